/**
 * The port `Secrets` with the runtime's own cryptography. A key for each purpose is derived from the database's root keys, which are
 * stored encrypted under `SECRET_KEY`. So a verifier for one purpose is useless for another, and a stolen database is useless without that key.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
  scrypt,
  timingSafeEqual
} from "node:crypto"
import { Effect, Layer, Redacted, Schema, Semaphore } from "effect"
import type { TooMany } from "../../domain/Errors.ts"
import { passwordsAtOnce, tooManyPasswords } from "../../domain/operator/Password.ts"
import { Secrets } from "../../domain/values/Secrets.ts"
import { uuid7 } from "../../domain/values/Uuid7.ts"

/** The cost of a password hash (scrypt): 128 · 2^log2N · r bytes of memory, p times. */
export interface HashCost {
  readonly log2N: number
  readonly r: number
  readonly p: number
}

/** OWASP's second choice: 32 MiB and about 0.2 s. */
const usualCost: HashCost = { log2N: 15, r: 8, p: 3 }

/** A stored hash with higher parameters was not written by us. It is refused instead of computed. */
const costMax = { log2N: 17, r: 8, p: 4 }

const saltBytes = 16
const hashBytes = 32

const hmac = (key: string | KeyObject, data: string | Uint8Array): Uint8Array =>
  createHmac("sha256", key).update(data).digest()

/** One password may be typed as different code points that look the same; they count as the same password. */
const normal = (password: string): string => password.normalize("NFKC")

const derive = (
  password: string,
  salt: Uint8Array,
  length: number,
  { log2N, p, r }: HashCost
): Effect.Effect<Uint8Array> =>
  Effect.callback((resume) => {
    const N = 2 ** log2N
    // The runtime's default memory limit is slightly too low here.
    scrypt(normal(password), salt, length, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
      resume(error === null ? Effect.succeed(key) : Effect.die(error))
    )
  })

const hashForm = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w-]{1,128})\$([\w-]{1,128})$/

const StoredHash = Schema.Struct({
  log2N: Schema.FiniteFromString.check(Schema.isBetween({ minimum: 1, maximum: costMax.log2N })),
  r: Schema.FiniteFromString.check(Schema.isBetween({ minimum: 1, maximum: costMax.r })),
  p: Schema.FiniteFromString.check(Schema.isBetween({ minimum: 1, maximum: costMax.p })),
  salt: Schema.Uint8ArrayFromBase64Url,
  hash: Schema.Uint8ArrayFromBase64Url
})

const decodeHash = Schema.decodeUnknownOption(StoredHash)

const equal = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b)

const hashPassword = Effect.fn("Secrets.hashPassword")(function* (password: string, salt: Uint8Array, cost: HashCost) {
  const hash = yield* derive(password, salt, hashBytes, cost)
  const text = (bytes: Uint8Array): string => Schema.encodeSync(Schema.Uint8ArrayFromBase64Url)(bytes)
  return `${prefix(cost)}${text(salt)}$${text(hash)}`
})

const prefix = ({ log2N, p, r }: HashCost): string => `$scrypt$ln=${log2N},r=${r},p=${p}$`

/** The hash to compare with if there is none: no password has this hash. */
const noHash = (cost: HashCost): string => `${prefix(cost)}${"A".repeat(22)}$${"A".repeat(43)}`

/**
 * How many salts one address may have. It has one, unless the service's key was changed: then accounts have the salt of the time when their password
 * was set.
 */
const saltsMost = 4

/** A hash that is not ours matches no password. */
const matchPassword = Effect.fn("Secrets.matchPassword")(function* (
  password: string,
  stored: ReadonlyArray<string>,
  cost: HashCost
) {
  const derived = new Map<string, Uint8Array>()
  let found: number | undefined
  for (const [index, text] of (stored.length === 0 ? [noHash(cost)] : stored).entries()) {
    const [, log2N, r, p, salt, hash] = hashForm.exec(text) ?? []
    const parts = decodeHash({ log2N, r, p, salt, hash })
    if (parts._tag === "None") continue
    const { hash: wanted, salt: salted, ...parameters } = parts.value
    const key = JSON.stringify([log2N, r, p, salt, wanted.length])
    let one = derived.get(key)
    if (one === undefined) {
      if (derived.size >= saltsMost) continue
      derived.set(key, (one = yield* derive(password, salted, wanted.length, parameters)))
    }
    if (equal(one, wanted)) found ??= index
  }
  return found
})

const cipher = "aes-256-gcm"

/** A random nonce for each seal (NIST SP 800-38D §8.2.2). It is safe for 2^32 seals under one key, more than one service makes. */
const nonceBytes = 12
const tagBytes = 16

const Base64Url = Schema.Uint8ArrayFromBase64Url

const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

const sealed = (key: Uint8Array, text: string): string => {
  const nonce = randomBytes(nonceBytes)
  const encrypt = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes })
  const parts = [nonce, encrypt.update(text, "utf8"), encrypt.final(), encrypt.getAuthTag()]
  return Schema.encodeSync(Base64Url)(joined(parts))
}

const opened = (key: Uint8Array, text: string): string | undefined => {
  const bytes = Schema.decodeOption(Base64Url)(text)
  if (bytes._tag === "None" || bytes.value.length < nonceBytes + tagBytes) return undefined
  const nonce = bytes.value.subarray(0, nonceBytes)
  const decrypt = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes })
  decrypt.setAuthTag(bytes.value.subarray(-tagBytes))
  try {
    return decrypt.update(bytes.value.subarray(nonceBytes, -tagBytes), undefined, "utf8") + decrypt.final("utf8")
  } catch {
    // Changed since, or sealed under another key: `final` throws, and there is no other way to check.
    return undefined
  }
}

/**
 * How many random bytes are requested from the system at a time. Identifiers are made by the thousand, and each request costs more than
 * making one.
 */
const stockBytes = 4_096

const stocked = () => {
  let stock = new Uint8Array(0)
  return (length: number): Uint8Array => {
    if (stock.length < length) stock = randomBytes(stockBytes)
    const taken = stock.subarray(0, length)
    stock = stock.subarray(length)
    return taken
  }
}

/** Any texts with enough randomness. */
export interface RootKeys {
  /** With another one all stored verifiers become invalid, and ids of transactions would repeat. */
  readonly hashing: Redacted.Redacted
  readonly sealing: Redacted.Redacted
}

/** The key of a purpose, derived from a root key or the secret key. */
const derivedKey = (root: Redacted.Redacted, purpose: string): Uint8Array =>
  hmac(Redacted.value(root), `voltlane:${purpose}`)

/** `seal` and `open` of the port, under any key. */
export const sealWith = (key: Redacted.Redacted, purpose: string, text: string): string =>
  sealed(derivedKey(key, `seal:${purpose}`), text)
export const openWith = (key: Redacted.Redacted, purpose: string, text: string): string | undefined =>
  opened(derivedKey(key, `seal:${purpose}`), text)

export const make = ({ hashing: hashKey, sealing }: RootKeys, cost = usualCost): Secrets["Service"] => {
  // Purposes are constants of our code, so these maps stay small.
  const keys = new Map<string, Uint8Array>()
  const sealingKey = (purpose: string): Uint8Array => {
    const known = keys.get(purpose)
    if (known !== undefined) return known
    const key = derivedKey(sealing, `seal:${purpose}`)
    keys.set(purpose, key)
    return key
  }
  // A key object: Node takes five times as long with a key given as bytes, and every request and connect is verified.
  const verifiers = new Map<string, KeyObject>()
  const verifier = (purpose: string, secret: Uint8Array | string): Uint8Array => {
    let key = verifiers.get(purpose)
    if (key === undefined) verifiers.set(purpose, (key = createSecretKey(derivedKey(hashKey, purpose))))
    return hmac(key, secret)
  }
  const numbers = new DataView(Uint8Array.from(derivedKey(hashKey, "transaction-ids")).buffer)
  const random = stocked()
  const slowly = Semaphore.makeUnsafe(passwordsAtOnce.atOnce)
  let hashing = 0
  const inTurn = <A>(work: Effect.Effect<A>): Effect.Effect<A, TooMany> =>
    Effect.suspend(() => {
      if (hashing >= passwordsAtOnce.atOnce + passwordsAtOnce.waiting) return Effect.fail(tooManyPasswords)
      hashing++
      return Effect.ensuring(
        // A running hash cannot be interrupted: a caller who hangs up does not free its place early.
        slowly.withPermits(1)(Effect.uninterruptible(work)),
        Effect.sync(() => void hashing--)
      )
    })
  return {
    verifier,
    verify: (purpose, secret, stored) => equal(verifier(purpose, secret), stored),
    seal: (purpose, text) => sealed(sealingKey(purpose), text),
    open: (purpose, text) => opened(sealingKey(purpose), text),
    randomBytes: (length) => randomBytes(length),
    uuid: (now) => uuid7(now, random(10)),
    transactionIdKeys: [0, 4, 8, 12].map((offset) => numbers.getUint32(offset)),
    hmacSha1: (key, data) => createHmac("sha1", key).update(data).digest(),
    hashPassword: (password, email) =>
      inTurn(hashPassword(password, verifier("password-salt", email.toLowerCase()).subarray(0, saltBytes), cost)),
    verifyPassword: (password, hash) =>
      Effect.map(
        inTurn(matchPassword(password, hash === undefined ? [] : [hash], cost)),
        (found) => found !== undefined
      ),
    matchPassword: (password, hashes) => inTurn(matchPassword(password, hashes, cost))
  }
}

/** From one key, without a database. */
export const layer = (key: Redacted.Redacted, cost = usualCost): Layer.Layer<Secrets> =>
  Layer.sync(Secrets, () => Secrets.of(make({ hashing: key, sealing: key }, cost)))
