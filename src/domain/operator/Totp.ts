/**
 * Time-based one-time passwords (RFC 6238 over RFC 4226) with SHA-1, six digits and steps of 30 s, which every authenticator app supports, and
 * recovery codes. The MAC is an argument.
 */
import type { Secrets } from "../values/Secrets.ts"
import { signInPurposes } from "./SignIn.ts"
import { toHex } from "../values/KeyFormat.ts"

const stepSeconds = 30
const digits = 6

/** How many steps a clock may be off in either direction. */
const tolerance = 1

/** RFC 4226 §4 R6: 160 bits. */
const secretBytes = 20

const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

/** RFC 4648 base32 without padding, as authenticator apps expect it. */
export const toBase32 = (bytes: Uint8Array): string => {
  let bits = 0
  let value = 0
  let text = ""
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += base32[(value >>> bits) & 31]
    }
    value &= 0xff
  }
  return bits === 0 ? text : text + base32[(value << (5 - bits)) & 31]
}

export const fromBase32 = (text: string): Uint8Array => {
  let bits = 0
  let value = 0
  const bytes: Array<number> = []
  for (const letter of text) {
    value = (value << 5) | Math.max(0, base32.indexOf(letter))
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes.push((value >>> bits) & 0xff)
    }
    value &= 0xff
  }
  return Uint8Array.from(bytes)
}

type Mac = Secrets["Service"]["hmacSha1"]

/** RFC 4226 §5.3. */
export const hotp = (mac: Mac, secret: Uint8Array, counter: number, length = digits): string => {
  const message = new Uint8Array(8)
  new DataView(message.buffer).setBigUint64(0, BigInt(counter))
  const hash = mac(secret, message)
  const offset = (hash[19] ?? 0) & 15
  const word = new DataView(hash.buffer, hash.byteOffset).getUint32(offset) & 0x7fffffff
  return String(word % 10 ** length).padStart(length, "0")
}

export const stepAt = (now: number): number => Math.floor(now / 1000 / stepSeconds)

/** The step of a code, if it is after `usedStep`; no code works twice (RFC 6238 §5.2). */
export const stepOf = (mac: Mac, secret: string, code: string, usedStep: number, now: number): number | undefined => {
  if (!/^\d{6}$/.test(code)) return undefined
  const bytes = fromBase32(secret)
  const around = stepAt(now)
  for (let step = around - tolerance; step <= around + tolerance; step++) {
    if (step > usedStep && hotp(mac, bytes, step) === code) return step
  }
  return undefined
}

export const newTotpSecret = (secrets: Pick<Secrets["Service"], "randomBytes">): string =>
  toBase32(secrets.randomBytes(secretBytes))

/** The text of the QR code that authenticator apps read. */
export const totpUri = (secret: string, email: string): string =>
  `otpauth://totp/Voltlane:${encodeURIComponent(email)}?secret=${secret}&issuer=Voltlane&algorithm=SHA1&digits=${digits}&period=${stepSeconds}`

const codesMade = 10

/** Ten codes of 80 bits: `abcd-efgh-ijkl-mnop`. */
export const newRecoveryCodes = (secrets: Pick<Secrets["Service"], "randomBytes">): ReadonlyArray<string> =>
  Array.from({ length: codesMade }, () =>
    (toBase32(secrets.randomBytes(10)).toLowerCase().match(/.{4}/g) ?? []).join("-")
  )

/** The hash by which a recovery code is found, ignoring case, spaces and hyphens; undefined for text that cannot be one. */
export const recoveryHash = (secrets: Pick<Secrets["Service"], "verifier">, code: string): string | undefined => {
  const plain = code.toLowerCase().replaceAll(/[\s-]/g, "")
  return /^[a-z2-7]{16}$/.test(plain) ? toHex(secrets.verifier(signInPurposes.recoveryCode, plain)) : undefined
}
