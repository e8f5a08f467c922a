/**
 * All secrets that this service issues and later checks: v2 keys, v1 pairs, chargers' passwords. Only this file decides what is stored of each (a
 * public part and a keyed hash) and how a presented secret is looked up. The hash function is an argument.
 */
import type { Secrets } from "../values/Secrets.ts"
import { formatKey, keyBytes, parseKey, toBase62, toHex } from "../values/KeyFormat.ts"

type Hashing = Pick<Secrets["Service"], "verifier">
type Randomness = Pick<Secrets["Service"], "randomBytes">

/** The purpose of a verifier; a verifier of one purpose never matches another. */
export const purposes = {
  apiKey: "api-key",
  /** For the public id of a key that is free text. */
  apiKeyId: "api-key-id",
  chargerPassword: "charger-password",
  v1Code: "v1-code"
} as const

/** The shortest key that is checked. Our own keys have 70 characters; for one set by hand (`BOOTSTRAP_API_KEY`) the operator chooses the length. */
export const keyMinLength = 1

/** The longest key that is checked. No key is longer, and a header of kilobytes must not cost a hash. */
export const keyMaxLength = 256

/** How to look up a presented key, and the text that is checked against its verifier (`purposes.apiKey`). */
export interface KeyLookup {
  readonly publicId: string
  readonly proof: string
}

/**
 * How a presented v2 key is found. A key in our own format contains its public id. For any other text (a key set by `BOOTSTRAP_API_KEY`) the public
 * id is the first 16 digits of its keyed hash. Undefined for text that cannot be a key, so that it costs no query.
 */
export const keyLookup = (secrets: Hashing, presented: string): KeyLookup | undefined => {
  if (presented.length < keyMinLength || presented.length > keyMaxLength) return undefined
  const parts = parseKey(presented)
  if (parts !== undefined) return { publicId: parts.publicId, proof: presented }
  return { publicId: toHex(secrets.verifier(purposes.apiKeyId, presented)).slice(0, 16), proof: presented }
}

/** What is stored of a v2 key. */
export interface StoredKey {
  readonly publicId: string
  /** The first characters, by which operators recognise the key: the public id of our own keys, four characters of any other. */
  readonly prefix: string
  readonly verifier: Uint8Array
}

/** What to store of a key with the given text; undefined when it is too short or too long. */
export const newKeyFrom = (secrets: Hashing, text: string): StoredKey | undefined => {
  const lookup = keyLookup(secrets, text)
  if (lookup === undefined) return undefined
  return {
    publicId: lookup.publicId,
    prefix: parseKey(text) === undefined ? text.slice(0, 4) : `vl_${lookup.publicId}`,
    verifier: secrets.verifier(purposes.apiKey, lookup.proof)
  }
}

/** A new v2 key: `text` is shown once and forgotten, the rest is stored. */
export const newKey = (secrets: Hashing & Randomness): StoredKey & { readonly text: string } => {
  const text = formatKey(secrets.randomBytes(keyBytes))
  const publicId = parseKey(text)?.publicId ?? ""
  return { text, publicId, prefix: `vl_${publicId}`, verifier: secrets.verifier(purposes.apiKey, text) }
}

/** A new v1 pair: `code` is shown once and forgotten. */
export const newV1Pair = (
  secrets: Hashing & Randomness
): { readonly clientId: string; readonly code: string; readonly codeVerifier: Uint8Array } => {
  const code = toBase62(secrets.randomBytes(32), 43)
  return { clientId: toHex(secrets.randomBytes(8)), code, codeVerifier: v1CodeVerifier(secrets, code) }
}

/** What is stored of a v1 code. */
export const v1CodeVerifier = (secrets: Hashing, code: string): Uint8Array => secrets.verifier(purposes.v1Code, code)

/** What is stored of a charger's password. */
export const passwordVerifier = (secrets: Hashing, password: string): Uint8Array =>
  secrets.verifier(purposes.chargerPassword, password)

/**
 * A new password for a charger: 20 letters and digits (119 bits). Every OCPP version can carry it (1.6: 16 to 20 bytes; 2.x: up to 40 characters).
 */
export const newChargerPassword = (secrets: Randomness): string => toBase62(secrets.randomBytes(16), 22).slice(-20)
