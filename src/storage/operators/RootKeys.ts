/**
 * The two random keys from which everything in this database is hashed and encrypted. The first start makes them and stores them encrypted under
 * `SECRET_KEY`; every other start opens them. So `SECRET_KEY` can be changed without making stored hashes invalid, and a start with a wrong key is
 * refused.
 */
import { randomBytes } from "node:crypto"
import { Data, Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Secrets } from "../../domain/values/Secrets.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { make, openWith, type RootKeys, sealWith } from "./Secrets.ts"

/** The secret key does not match the database. */
export class WrongSecretKey extends Data.TaggedError("WrongSecretKey")<{ readonly message: string }> {}

const wrong = new WrongSecretKey({
  message:
    "is not the key of this database; set the key that it was created with, or that voltlane rotate-key gave it since (if it was never set, it is in the file secret-key in the DATA_DIR of that time)"
})

/** The name of the row in `service`. */
const name = "root-keys"

const Stored = Schema.fromJsonString(Schema.Struct({ hashing: Schema.String, sealing: Schema.String }))
const encode = Schema.encodeSync(Stored)
const decode = Schema.decodeUnknownOption(Stored)

const purpose = "root-keys"

const newKey = (): Redacted.Redacted => Redacted.make(randomBytes(32).toString("base64url"))

const sealed = (keys: RootKeys, secretKey: Redacted.Redacted): Uint8Array => {
  const text = encode({ hashing: Redacted.value(keys.hashing), sealing: Redacted.value(keys.sealing) })
  return new TextEncoder().encode(sealWith(secretKey, purpose, text))
}

const opened = (value: Uint8Array, secretKey: Redacted.Redacted): RootKeys | undefined => {
  const stored = decode(openWith(secretKey, purpose, new TextDecoder().decode(value)))
  if (stored._tag === "None") return undefined
  const { hashing, sealing } = stored.value
  return { hashing: Redacted.make(hashing), sealing: Redacted.make(sealing) }
}

/** The keys of the database; at the first start, new ones. */
export const rootKeys = Effect.fnUntraced(function* (secretKey: Redacted.Redacted) {
  const sql = yield* SqlClient.SqlClient
  const made = sealed({ hashing: newKey(), sealing: newKey() }, secretKey)
  yield* guarded(sql`INSERT INTO service (name, value) VALUES (${name}, ${made}) ON CONFLICT (name) DO NOTHING`)
  const [row] = yield* guarded(sql<{ value: Uint8Array }>`SELECT value FROM service WHERE name = ${name}`)
  const keys = row === undefined ? undefined : opened(row.value, secretKey)
  return keys ?? (yield* wrong)
})

/** The same keys with another key for encryption. */
export const withNewSealing = (keys: RootKeys): RootKeys => ({ ...keys, sealing: newKey() })

/** Stores the keys under another secret key. */
export const storeKeys = Effect.fnUntraced(function* (keys: RootKeys, secretKey: Redacted.Redacted) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE service SET value = ${sealed(keys, secretKey)} WHERE name = ${name}`
})

export const layer = (secretKey: Redacted.Redacted) =>
  Layer.effect(
    Secrets,
    Effect.map(rootKeys(secretKey), (keys) => Secrets.of(make(keys)))
  )
