/** Storage of drivers' tokens: the port `Tokens` over SQL. A token is found by its uid, ignoring upper and lower case. */
import { Effect, Equal, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import { type TokenFilter, Tokens, type TokenInput, type TokenPatch } from "../../domain/token/Tokens.ts"
import { type Token, tokenKey, tokenStatuses, tokenTypes } from "../../domain/token/Token.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { pagedList, TextKey } from "../kernel/Cursor.ts"
import { factOf, recording, type Recording, type RecordingServices } from "../kernel/Facts.ts"
import { Millis, optional, rowOf, rowsOf } from "../kernel/Rows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { refusingValues, storable, unstorableText } from "../kernel/Storable.ts"
import { mentions } from "../kernel/TextSearch.ts"

const TokenRow = Schema.Struct({
  uid: Schema.String,
  organisationId: Schema.String,
  type: Schema.Literals(tokenTypes),
  status: Schema.Literals(tokenStatuses),
  parentUid: optional(Schema.String),
  expiresAt: optional(Millis),
  visualNumber: optional(Schema.String),
  note: optional(Schema.String),
  createdAt: Millis,
  updatedAt: Millis
})

const tokenRow = rowOf(TokenRow)
const tokenRows = rowsOf(TokenRow)

const pages = pagedList("tokens", TextKey, (token: Token) => tokenKey(token.uid))

const columns = (sql: SqlClient.SqlClient) => sql`
  t.uid, t.organisation_id AS "organisationId", t.type, t.status, t.parent_uid AS "parentUid", t.expires_at AS "expiresAt",
  t.visual_number AS "visualNumber", t.note, t.created_at AS "createdAt", t.updated_at AS "updatedAt"`

const dateOrNull = (ms: number | undefined): Date | null => (ms === undefined ? null : new Date(ms))

const find = (sql: SqlClient.SqlClient, own: Scoped, uid: string) =>
  Effect.gen(function* () {
    const token = unstorableText(uid)
      ? undefined
      : yield* tokenRow(
          own`SELECT ${columns(sql)} FROM token t WHERE ${own.rowsOf("t")} AND t.uid_key = ${tokenKey(uid)}`
        )
    return token ?? (yield* new NotFound({ kind: "token", id: uid }))
  })

const create = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Tokens.create")(function* (input: TokenInput, audit: AuditContext) {
    yield* storable(input)
    const own = scopedTo(sql, audit.by.organisationId)
    const now = new Date(audit.now)
    const write = Effect.gen(function* () {
      const token = yield* tokenRow(own`
        INSERT INTO token AS t (organisation_id, uid_key, uid, type, status, parent_uid, expires_at, visual_number, note, created_at,
          updated_at)
        VALUES (${own.id}, ${tokenKey(input.uid)}, ${input.uid}, ${input.type}, ${input.status}, ${input.parentUid},
          ${dateOrNull(input.expiresAt)}, ${input.visualNumber}, ${input.note}, ${now}, ${now})
        ON CONFLICT (organisation_id, uid_key) DO NOTHING
        RETURNING ${columns(sql)}`)
      if (token === undefined) {
        return yield* new Conflict({
          code: "token_exists",
          message: "A token with this uid already exists. Change that token instead."
        })
      }
      const fact = factOf("TokenCreated", `token:${token.uid}`, secrets.uuid(audit.now), audit)
      return { result: token, facts: [{ ...fact, body: { by: audit.by.actor, after: token } }] }
    })
    return yield* journaled(refusingValues(write))
  })

/** Applies a patch to a token: undefined leaves a field unchanged, null clears it or resets type and status to their defaults. */
const patched = (token: Token, patch: TokenPatch): Token => {
  const given = Object.entries(patch).filter(([, value]) => value !== undefined)
  const next = { ...token, ...Object.fromEntries(given.map(([key, value]) => [key, value ?? undefined])) }
  return { ...next, type: next.type ?? "RFID", status: next.status ?? "Accepted" }
}

const update = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Tokens.update")(function* (uid: string, patch: TokenPatch, audit: AuditContext) {
    yield* storable(patch)
    const own = scopedTo(sql, audit.by.organisationId)
    const write = Effect.gen(function* () {
      const before = yield* find(sql, own, uid)
      const changed = patched(before, patch)
      if (Equal.equals(before, changed)) return { result: before, facts: [] }
      const after = { ...changed, updatedAt: audit.now }
      yield* own`
        UPDATE token t SET type = ${after.type}, status = ${after.status}, parent_uid = ${after.parentUid},
          expires_at = ${dateOrNull(after.expiresAt)}, visual_number = ${after.visualNumber}, note = ${after.note},
          updated_at = ${new Date(after.updatedAt)}
        WHERE ${own.rowsOf("t")} AND t.uid_key = ${tokenKey(uid)}`
      const fact = factOf("TokenChanged", `token:${before.uid}`, secrets.uuid(audit.now), audit)
      return { result: after, facts: [{ ...fact, body: { by: audit.by.actor, before, after } }] }
    })
    return yield* journaled(refusingValues(write))
  })

const remove = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Tokens.remove")(function* (uid: string, audit: AuditContext) {
    const own = scopedTo(sql, audit.by.organisationId)
    const write = Effect.gen(function* () {
      const before = yield* find(sql, own, uid)
      yield* own`DELETE FROM token t WHERE ${own.rowsOf("t")} AND t.uid_key = ${tokenKey(uid)}`
      const fact = factOf("TokenRemoved", `token:${before.uid}`, secrets.uuid(audit.now), audit)
      return { result: undefined, facts: [{ ...fact, body: { by: audit.by.actor, before } }] }
    })
    yield* journaled(write)
  })

const list = (sql: SqlClient.SqlClient) =>
  Effect.fn("Tokens.list")(function* (organisationId: string, request: PageRequest & TokenFilter) {
    const own = scopedTo(sql, organisationId)
    const after = yield* pages.after(request)
    const { status, text } = request
    if (text !== undefined && unstorableText(text)) return { items: [], nextCursor: null }
    const searched = [sql`t.uid`, sql`t.parent_uid`, sql`t.visual_number`, sql`t.note`]
    return yield* guarded(
      pages.read(sql, request, {
        statement: own`
        SELECT ${columns(sql)} FROM token t
        WHERE ${own.rowsOf("t")} ${after === undefined ? sql`` : sql`AND t.uid_key > ${after}`}
          ${status === undefined ? sql`` : sql`AND t.status = ${status}`}
          ${text === undefined ? sql`` : sql`AND ${mentions(sql, searched, text)}`}
        ORDER BY t.uid_key LIMIT ${pages.rows(request)}`,
        rows: tokenRows,
        item: (token) => token
      })
    )
  })

export const layer: Layer.Layer<Tokens, never, RecordingServices> = Layer.effect(
  Tokens,
  Effect.gen(function* () {
    const records = yield* recording
    const { sql } = records
    return Tokens.of({
      create: create(records),
      get: Effect.fn("Tokens.get")((organisationId, uid) => guarded(find(sql, scopedTo(sql, organisationId), uid))),
      list: list(sql),
      update: update(records),
      remove: remove(records)
    })
  })
)
