/** Certificates in commands: PEM (RFC 7468). Each must be readable before a charger is asked to trust or present it. */
import { X509Certificate } from "node:crypto"
import { Schema } from "effect"
import { rule } from "../../Fields.ts"

const block = /-----BEGIN ([^-]*)-----([^-]*)-----END \1-----/g

/** Accepts lines of any length: OpenSSL needs short ones, but the simple parsers of chargers do not. */
const isReadable = (base64: string): boolean => {
  if (!/^[A-Za-z0-9+/\s]+[=\s]*$/.test(base64)) return false
  try {
    return new X509Certificate(Buffer.from(base64, "base64")).raw.length > 0
  } catch {
    return false
  }
}

/**
 * How many certificates a text contains; undefined if it contains anything else (above all a private key), or a certificate that cannot be
 * read.
 */
const certificatesIn = (text: string): number | undefined => {
  const blocks = [...text.matchAll(block)]
  const around = text.replaceAll(block, "")
  if (around.includes("-----")) return undefined
  return blocks.every(([, label, base64 = ""]) => label === "CERTIFICATE" && isReadable(base64))
    ? blocks.length
    : undefined
}

const pem = (max: number, fits: (certificates: number) => boolean, message: string) =>
  Schema.String.check(
    Schema.isMinLength(1),
    Schema.isMaxLength(max),
    rule((text: string) => {
      // A text that is too long is reported by its own check, and not parsed.
      if (text.length > max) return true
      const found = certificatesIn(text)
      return found !== undefined && fits(found)
    }, message)
  )

/** One certificate. */
export const PemCertificate = (max: number) =>
  pem(
    max,
    (n) => n === 1,
    "Must be one X.509 certificate in PEM: -----BEGIN CERTIFICATE-----, base64, -----END CERTIFICATE-----"
  )

/** A certificate and the certificates of its chain. */
export const PemChain = (max: number) =>
  pem(
    max,
    (n) => n >= 1,
    "Must be X.509 certificates in PEM, the charger's own first: -----BEGIN CERTIFICATE-----, base64, …"
  )
