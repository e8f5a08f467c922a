/** The certificates that a charger trusts, from its answers to GetInstalledCertificateIds (security whitepaper, edition 3, §5.3). */
import { Option, Schema } from "effect"
import { CertificateHash, type CertificateUse } from "./ChargerCommand.ts"

export interface InstalledCertificates {
  readonly certificateType: CertificateUse
  /** When the charger reported it, ms epoch. */
  readonly askedAt: number
  readonly certificates: ReadonlyArray<CertificateHash>
  /** True if certificates were or may have been installed or deleted since, so that the charger should be asked again. */
  readonly changedSince: boolean
}

const Answer = Schema.Struct({ certificateHashData: Schema.optionalKey(Schema.Unknown) })
const Said = Schema.Struct({ ...CertificateHash.fields, hashAlgorithm: Schema.String })

const decodeAnswer = Schema.decodeUnknownOption(Answer)
const decodeSaid = Schema.decodeUnknownOption(Said)
const decodeHash = Schema.decodeUnknownOption(CertificateHash)

/** Some chargers write SHA-256 or sha256. An incomplete entry is left out, since no command could refer to it. */
const hashIn = (said: unknown): ReadonlyArray<CertificateHash> =>
  Option.toArray(
    Option.flatMap(decodeSaid(said), ({ hashAlgorithm, ...rest }) =>
      decodeHash({ ...rest, hashAlgorithm: hashAlgorithm.trim().toUpperCase().replace("-", "") })
    )
  )

/** The certificates in an answer as received; empty if it lists none. */
export const certificatesIn = (answer: unknown): ReadonlyArray<CertificateHash> => {
  const said = Option.getOrUndefined(decodeAnswer(answer))?.certificateHashData
  return (Array.isArray(said) ? said : [said]).flatMap(hashIn)
}
