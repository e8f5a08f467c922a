/**
 * Checks whether a text from a charger is a certificate signing request (PKCS #10, RFC 2986 §4). Only its structure is checked; the authority that
 * signs it checks the rest. Any other text is refused, since no authority could sign it.
 */
import { Option, Schema } from "effect"

const bytesOf = Schema.decodeUnknownOption(Schema.Uint8ArrayFromBase64)

/** RFC 7468 §7. Older software writes `NEW`. */
const armour = /-----BEGIN (NEW )?CERTIFICATE REQUEST-----([^-]*)-----END (?:NEW )?CERTIFICATE REQUEST-----/

/** A DER element: its tag, and the range of its content in bytes. */
interface Element {
  readonly tag: number
  readonly from: number
  readonly to: number
}

const integer = 0x02
const bitString = 0x03
const sequence = 0x30
/** The attributes of a request, `[0] IMPLICIT`. */
const attributes = 0xa0

const elementAt = (bytes: Uint8Array, at: number, end: number): Element | undefined => {
  const tag = bytes[at]
  const first = bytes[at + 1]
  if (tag === undefined || first === undefined) return undefined
  // From 128 on, the low bits are the number of length bytes that follow. Two are enough for any message.
  const more = first < 0x80 ? 0 : first & 0x7f
  if (more > 2 || (first >= 0x80 && more === 0)) return undefined
  let length = more === 0 ? first : 0
  for (let i = 0; i < more; i++) length = length * 256 + (bytes[at + 2 + i] ?? 0)
  const from = at + 2 + more
  return from + length <= end ? { tag, from, to: from + length } : undefined
}

/** The elements in a range of bytes; undefined if it contains anything else. */
const elements = (bytes: Uint8Array, from: number, to: number): ReadonlyArray<Element> | undefined => {
  const found: Array<Element> = []
  for (let at = from; at < to;) {
    const element = elementAt(bytes, at, to)
    if (element === undefined) return undefined
    found.push(element)
    at = element.to
  }
  return found
}

const tagsAre = (found: ReadonlyArray<Element> | undefined, tags: ReadonlyArray<number>): boolean =>
  found?.length === tags.length && tags.every((tag, i) => found[i]?.tag === tag)

/** Some chargers send a line break as a backslash and an n, and some omit the PEM header and footer. */
const derOf = (text: string): Uint8Array | undefined => {
  const plain = text.replaceAll(/\\[rn]/g, "\n")
  const base64 = plain.includes("-----") ? armour.exec(plain)?.[2] : plain
  return base64 === undefined ? undefined : Option.getOrUndefined(bytesOf(base64.replaceAll(/\s/g, "")))
}

/** True for `SEQUENCE { SEQUENCE { version, subject, public key, attributes }, SEQUENCE, BIT STRING }`. */
export const isSigningRequest = (text: string): boolean => {
  const der = derOf(text)
  if (der === undefined) return false
  const [whole, ...others] = elements(der, 0, der.length) ?? []
  if (whole?.tag !== sequence || others.length > 0) return false
  const parts = elements(der, whole.from, whole.to)
  const info = parts?.[0]
  if (info === undefined || !tagsAre(parts, [sequence, sequence, bitString])) return false
  const reported = elements(der, info.from, info.to)
  const [version] = reported ?? []
  const isFirstVersion = version !== undefined && version.to - version.from === 1 && der[version.from] === 0
  const needed = [integer, sequence, sequence]
  return isFirstVersion && (tagsAre(reported, [...needed, attributes]) || tagsAre(reported, needed))
}
