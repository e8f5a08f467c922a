/**
 * All secrets that this service issues and later checks: v2 keys, v1 pairs, chargers' passwords. This is the only place that decides what is stored of
 * each (a public part and a keyed hash) and how a presented one is looked up. The hash function is an argument.
 */
import type { Secrets } from "../values/Secrets.ts"
import { formatKey, keyBytes, parseKey, toBase62, toHex } from "../values/KeyFormat.ts"

type Hashing = Pick<Secrets["Service"], "verifier">
type Randomness = Pick<Secrets["Service"], "randomBytes">

/** What a verifier is for; a verifier of one purpose never fits another. */
export const purposes = {
  apiKey: "api-key",
  /** Gives keys of free text their public id. */
  apiKeyId: "api-key-id",
  chargerPassword: "charger-password",
  v1Code: "v1-code"
} as const

/** The shortest key that is checked. Ours have 70 characters; how long one set by hand is (`BOOTSTRAP_API_KEY`) is the operator's choice. */
export const keyMinLength = 1

/** The longest key that is checked: none is longer, and a header of kilobytes must not cost a hash. */
export const keyMaxLength = 256

/** How to look a presented key up, and the text that is checked against its verifier (`purposes.apiKey`). */
export interface KeyLookup {
  readonly publicId: string
  readonly proof: string
}

/**
 * How a presented v2 key is found. A key of our own format carries its public id; any other text (a key set by `BOOTSTRAP_API_KEY`) has
 * the first 16 digits of a keyed hash of itself. Undefined for what cannot be a key, so that it costs no query.
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
  /** The beginning by which operators recognise it: the public id of our own keys, four characters of any other. */
  readonly prefix: string
  readonly verifier: Uint8Array
}

/** What to store of a key of given text; undefined when it is too short or too long to be one. */
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
 * A new password for a charger: 20 letters and digits (119 bits), which every OCPP version can carry (1.6 has 16 to 20 bytes, 2.x up to
 * 40 characters).
 */
export const newChargerPassword = (secrets: Randomness): string => toBase62(secrets.randomBytes(16), 22).slice(-20)
