/**
 * The certificates of a charger (security whitepaper, edition 3, §5): installing, listing and deleting them, and
 * sending the charger its own.
 */
import { type CertificateHash, hashAlgorithms } from "../../domain/command/ChargerCommand.ts"
import { answersWith, take, type Command } from "./Command.ts"
import { list, text, word } from "./Kinds.ts"
import { message, optional, type ReadOf } from "./Lenient.ts"

/** CertificateSigned.req: the chain that answers the charger's SignCertificate. */
export const certificateSigned: Command<"CertificateSigned"> = {
  action: "CertificateSigned",
  encode: ({ certificateChain }) => ({ certificateChain }),
  decode: answersWith(["Accepted", "Rejected"])
}

/** InstallCertificate.req: a root certificate that the charger must trust. */
export const installCertificate: Command<"InstallCertificate"> = {
  action: "InstallCertificate",
  encode: ({ certificate, certificateType }) => ({ certificateType, certificate }),
  decode: answersWith(["Accepted", "Failed", "Rejected"])
}

/** DeleteCertificate.req. */
export const deleteCertificate: Command<"DeleteCertificate"> = {
  action: "DeleteCertificate",
  encode: ({ hash: { hashAlgorithm, issuerKeyHash, issuerNameHash, serialNumber } }) => ({
    certificateHashData: { hashAlgorithm, issuerNameHash, issuerKeyHash, serialNumber }
  }),
  decode: answersWith(["Accepted", "Failed", "NotFound"])
}

const hashData = message({
  hashAlgorithm: word(hashAlgorithms),
  issuerNameHash: text(128),
  issuerKeyHash: text(128),
  serialNumber: text(40)
})

const installed = message({ certificateHashData: optional(list(hashData)) })

/** The hash of a certificate. A certificate without some part of its hash is left out, since we could not name it to the charger. */
const readHash = (said: ReadOf<typeof hashData>): ReadonlyArray<CertificateHash> => {
  const { issuerKeyHash, issuerNameHash, serialNumber } = said
  // Some write SHA-256 or sha256.
  const spelt = said.hashAlgorithm?.trim().toUpperCase().replace("-", "")
  const hashAlgorithm = hashAlgorithms.find((known) => known === spelt)
  if (hashAlgorithm === undefined || issuerNameHash === undefined) return []
  if (issuerKeyHash === undefined || serialNumber === undefined) return []
  return [{ hashAlgorithm, issuerNameHash, issuerKeyHash, serialNumber }]
}

/** GetInstalledCertificateIds.req. `NotFound` means that the charger has none of this type. */
export const getInstalledCertificateIds: Command<"GetInstalledCertificateIds"> = {
  action: "GetInstalledCertificateIds",
  encode: ({ certificateType }) => ({ certificateType }),
  decode: answersWith(["Accepted", "NotFound"], (payload) => ({
    _tag: "Certificates",
    hashes: (take(installed, payload).certificateHashData ?? []).flatMap(readHash)
  }))
}
