/**
 * The format of the keys that this service makes: `vl_<publicId>_<secret>_<crc32>`. The public id finds the stored record and the secret
 * authenticates the caller. With the checksum, secret scanners and this service recognise a typing error without a look-up. Randomness is an
 * argument.
 */

/** The random bytes of one key: 8 for its public id, 32 for its secret. */
export const keyBytes = 40

const publicIdBytes = 8
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
/** The most base-62 digits that 32 bytes need. Shorter secrets are padded, so that every key has the same length. */
const secretDigits = 43

const pattern = /^vl_([0-9a-f]{16})_([0-9A-Za-z]{43})_([0-9a-f]{8})$/

export interface KeyParts {
  /** 16 hexadecimal digits; may be shown and stored in clear text. */
  readonly publicId: string
  readonly secret: string
}

/** Lower-case hexadecimal text of `bytes`. */
export const toHex = (bytes: Uint8Array): string => {
  let text = ""
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0")
  return text
}

/** `bytes` as one number in base 62, with at least `width` digits: only letters and digits, so that no context needs escaping. */
export const toBase62 = (bytes: Uint8Array, width: number): string => {
  let rest = bytes.length === 0 ? 0n : BigInt(`0x${toHex(bytes)}`)
  let text = ""
  for (; rest > 0n; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text
  return text.padStart(width, "0")
}

const table: ReadonlyArray<number> = Array.from({ length: 256 }, (_, n) => {
  let c = n
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1
  return c >>> 0
})

/** CRC-32 (ISO 3309, as in gzip) of ASCII text, eight hexadecimal digits. It detects typing errors, not forgery. */
export const crc32 = (text: string): string => {
  let c = 0xffffffff
  for (let i = 0; i < text.length; i++) c = (table[(c ^ text.charCodeAt(i)) & 0xff] ?? 0) ^ (c >>> 8)
  return ((c ^ 0xffffffff) >>> 0).toString(16).padStart(8, "0")
}

/** The key for `keyBytes` random bytes. */
export const formatKey = (random: Uint8Array): string => {
  const publicId = toHex(random.subarray(0, publicIdBytes))
  const body = `vl_${publicId}_${toBase62(random.subarray(publicIdBytes, keyBytes), secretDigits)}`
  return `${body}_${crc32(body)}`
}

/** The parts of a key of this format; undefined for any other text and for a wrong checksum. */
export const parseKey = (text: string): KeyParts | undefined => {
  const found = pattern.exec(text)
  if (found === null) return undefined
  const [, publicId = "", secret = "", checksum = ""] = found
  return crc32(`vl_${publicId}_${secret}`) === checksum ? { publicId, secret } : undefined
}
