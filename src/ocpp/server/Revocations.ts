/**
 * Client certificates that their CA has revoked. Revocation lists are in the same PEM file as the CA's certificates, as
 * with OpenSSL. They are parsed here because Deno's TLS does not support them. Only the serial numbers are read,
 * without checking signatures: the file belongs to the operator.
 */

const blocks = /-----BEGIN X509 CRL-----([^-]*)-----END X509 CRL-----/g

/** One DER element (X.690 §8.1): its tag, its content, and where the next element begins. */
interface Element {
  readonly tag: number
  readonly content: Buffer
  readonly next: number
}

const sequence = 0x30
const integer = 0x02
const utcTime = 0x17
const generalizedTime = 0x18

const unreadable = (): Error =>
  new Error("contains a revocation list (X509 CRL) that cannot be read: replace it with a valid PEM file")

const read = (der: Buffer, at: number): Element => {
  const tag = der[at]
  const first = der[at + 1]
  if (tag === undefined || first === undefined) throw unreadable()
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f
  if (lengthBytes > 4 || at + 2 + lengthBytes > der.length) throw unreadable()
  const start = at + 2 + lengthBytes
  const length = lengthBytes === 0 ? first : der.readUIntBE(at + 2, lengthBytes)
  if (start + length > der.length) throw unreadable()
  return { tag, content: der.subarray(start, start + length), next: start + length }
}

const children = (der: Buffer): ReadonlyArray<Element> => {
  const found: Array<Element> = []
  for (let at = 0; at < der.length; at = found.at(-1)!.next) found.push(read(der, at))
  return found
}

/** Normalises a serial number for comparison: hex, upper case, without leading zeros. */
export const serialOf = (hex: string): string => hex.toUpperCase().replace(/^0+(?=.)/, "")

/** CertificateList (RFC 5280 §5.1): version?, signature, issuer, thisUpdate, nextUpdate?, revokedCertificates?, extensions? */
const serialsOf = (der: Buffer): ReadonlyArray<string> => {
  const [list] = children(read(der, 0).content)
  if (list === undefined || list.tag !== sequence) throw unreadable()
  const isBefore = ({ tag }: Element): boolean => tag === integer || tag === utcTime || tag === generalizedTime
  const sequences = children(list.content).filter((element) => !isBefore(element))
  const revoked = sequences[2]
  if (revoked === undefined || revoked.tag !== sequence) return []
  return children(revoked.content).map((entry) => {
    const serial = read(entry.content, 0)
    if (serial.tag !== integer) throw unreadable()
    return serialOf(serial.content.toString("hex"))
  })
}

/** The serial numbers in the revocation lists of a PEM text. Throws an Error that says what is wrong with the text. */
export const revokedSerials = (pem: string): ReadonlySet<string> =>
  new Set([...pem.matchAll(blocks)].flatMap(([, base64 = ""]) => serialsOf(Buffer.from(base64, "base64"))))

/** The PEM text without its revocation lists. */
export const withoutRevocations = (pem: string): string => pem.replaceAll(blocks, "")
