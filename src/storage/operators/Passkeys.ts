/**
 * The port `Passkeys` over SQL. A person's passkeys belong to no organisation; changes are recorded in the organisations where the person
 * works.
 */
import { Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import type { CredentialChange } from "../../domain/event/RecordFact.ts"
import { type Passkey, Passkeys, passkeysMost } from "../../domain/operator/Passkeys.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import { textArray } from "../kernel/Arrays.ts"
import { type Recording, type RecordingServices, recording } from "../kernel/Facts.ts"
import { Millis, optional, rowOf, rowsOf, Whole } from "../kernel/Rows.ts"
import { guarded, guardedWrite } from "../kernel/SqlErrors.ts"
import { unstorableText } from "../kernel/Storable.ts"
import { credentialFact, isFirstFactor } from "./Credentials.ts"

const Row = Schema.Struct({
  id: Schema.String,
  operatorId: Schema.String,
  name: Schema.String,
  publicKey: Schema.Uint8Array,
  counter: Whole,
  transports: Schema.Array(Schema.String),
  createdAt: Millis,
  usedAt: optional(Millis)
})
const row = rowOf(Row)
const rows = rowsOf(Row)

const columns = (sql: SqlClient.SqlClient) => sql`
  k.id, k.operator_id AS "operatorId", k.name, k.public_key AS "publicKey", k.counter, k.transports, k.created_at AS "createdAt", k.used_at AS "usedAt"`

const ownOf = (audit: AuditContext): string => audit.by.operatorId ?? ""

const noted = ({ secrets }: Recording, type: CredentialChange, audit: AuditContext) =>
  credentialFact(type, ownOf(audit), secrets.uuid(audit.now), audit)

const missing = (id: string) => new NotFound({ kind: "passkey", id })

const exists = new Conflict({ code: "passkey_exists", message: "This passkey already belongs to an account." })
const tooMany = new Conflict({
  code: "too_many_passkeys",
  message: `An account can have at most ${passkeysMost} passkeys: remove one first.`
})

const answered = ({ sql, writable }: Recording) =>
  Effect.fn("Passkeys.answered")(function* (
    { expiresAt, hash }: Parameters<Passkeys["Service"]["answered"]>[0],
    now: number
  ) {
    yield* writable
    const taken = yield* guardedWrite(
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`DELETE FROM passkey_challenge c WHERE c.expires_at <= ${new Date(now)}`
          return yield* sql`
            INSERT INTO passkey_challenge (hash, expires_at) VALUES (${hash}, ${new Date(expiresAt)})
            ON CONFLICT (hash) DO NOTHING RETURNING 1`
        })
      )
    )
    return taken.length > 0
  })

const add = (recording: Recording) =>
  Effect.fn("Passkeys.add")(function* (passkey: Parameters<Passkeys["Service"]["add"]>[0], audit: AuditContext) {
    const { journaled, sql } = recording
    const write = Effect.gen(function* () {
      const isFirst = yield* isFirstFactor(sql, audit)
      const own = yield* sql`SELECT 1 FROM passkey k WHERE k.operator_id = ${ownOf(audit)}`
      if (own.length >= passkeysMost) return yield* tooMany
      const made = yield* row(sql`
        INSERT INTO passkey AS k (id, operator_id, name, public_key, counter, transports, created_at)
        VALUES (${passkey.id}, ${ownOf(audit)}::uuid, ${passkey.name}, ${passkey.publicKey}, ${passkey.counter}::float8::bigint,
          ${textArray(passkey.transports)}, ${new Date(audit.now)})
        ON CONFLICT (id) DO NOTHING RETURNING ${columns(sql)}`)
      if (made === undefined) return yield* exists
      return { result: { passkey: made satisfies Passkey, isFirst }, facts: [noted(recording, "PasskeyAdded", audit)] }
    })
    return yield* journaled(write)
  })

const rename = ({ sql, writable }: Recording) =>
  Effect.fn("Passkeys.rename")(function* (id: string, name: string, audit: AuditContext) {
    if (unstorableText(id)) return yield* missing(id)
    yield* writable
    const changed = yield* guardedWrite(
      row(
        sql`UPDATE passkey k SET name = ${name} WHERE k.id = ${id} AND k.operator_id = ${ownOf(audit)} RETURNING ${columns(sql)}`
      )
    )
    return changed ?? (yield* missing(id))
  })

const remove = (recording: Recording) =>
  Effect.fn("Passkeys.remove")(function* (id: string, audit: AuditContext) {
    const { journaled, sql } = recording
    if (unstorableText(id)) return yield* missing(id)
    const write = Effect.gen(function* () {
      const gone = yield* sql`DELETE FROM passkey k WHERE k.id = ${id} AND k.operator_id = ${ownOf(audit)} RETURNING 1`
      if (gone.length === 0) return yield* missing(id)
      return { result: undefined, facts: [noted(recording, "PasskeyRemoved", audit)] }
    })
    yield* journaled(write)
  })

/** One statement, so that one of two uses with the same counter is refused. */
const used = ({ sql, writable }: Recording) =>
  Effect.fn("Passkeys.used")(function* (id: string, counter: number, now: number) {
    yield* writable
    const noted = yield* guardedWrite(sql`
      UPDATE passkey k SET counter = ${counter}::float8::bigint, used_at = ${new Date(now)}
      WHERE k.id = ${id} AND (k.counter < ${counter}::float8::bigint OR (k.counter = 0 AND ${counter}::float8 = 0)) RETURNING 1`)
    return noted.length > 0
  })

export const layer: Layer.Layer<Passkeys, never, RecordingServices> = Layer.effect(
  Passkeys,
  Effect.gen(function* () {
    const records = yield* recording
    const { sql } = records
    return Passkeys.of({
      answered: answered(records),
      list: Effect.fn("Passkeys.list")((operatorId: string) =>
        guarded(
          rows(
            sql`SELECT ${columns(sql)} FROM passkey k WHERE k.operator_id = ${operatorId} ORDER BY k.created_at, k.id`
          )
        )
      ),
      find: Effect.fn("Passkeys.find")(function* (id: string) {
        if (unstorableText(id)) return undefined
        return yield* guarded(row(sql`SELECT ${columns(sql)} FROM passkey k WHERE k.id = ${id}`))
      }),
      add: add(records),
      rename: rename(records),
      remove: remove(records),
      used: used(records)
    })
  })
)
