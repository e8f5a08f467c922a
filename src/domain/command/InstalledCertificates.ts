/** The certificates that a charger trusts, as its own answers to GetInstalledCertificateIds tell (security whitepaper, edition 3, §5.3). */
import { Option, Schema } from "effect"
import { CertificateHash, type CertificateUse } from "./ChargerCommand.ts"

export interface InstalledCertificates {
  readonly certificateType: CertificateUse
  /** When the charger reported it, ms epoch. */
  readonly askedAt: number
  readonly certificates: ReadonlyArray<CertificateHash>
  /** Certificates were installed or deleted after that, or may have been: ask again. */
  readonly changedSince: boolean
}

const Answer = Schema.Struct({ certificateHashData: Schema.optionalKey(Schema.Unknown) })
const Said = Schema.Struct({ ...CertificateHash.fields, hashAlgorithm: Schema.String })

const decodeAnswer = Schema.decodeUnknownOption(Answer)
const decodeSaid = Schema.decodeUnknownOption(Said)
const decodeHash = Schema.decodeUnknownOption(CertificateHash)

/** Some write SHA-256 or sha256; what lacks a part cannot be named to the charger again, and is left out. */
const hashIn = (said: unknown): ReadonlyArray<CertificateHash> =>
  Option.toArray(
    Option.flatMap(decodeSaid(said), ({ hashAlgorithm, ...rest }) =>
      decodeHash({ ...rest, hashAlgorithm: hashAlgorithm.trim().toUpperCase().replace("-", "") })
    )
  )

/** The certificates in an answer as it came; none where it names none. */
export const certificatesIn = (answer: unknown): ReadonlyArray<CertificateHash> => {
  const said = Option.getOrUndefined(decodeAnswer(answer))?.certificateHashData
  return (Array.isArray(said) ? said : [said]).flatMap(hashIn)
}
