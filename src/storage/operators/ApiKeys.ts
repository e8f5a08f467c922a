/** Storage of v2 keys and v1 pairs: who a caller is and what they may do now. Part of `Access`. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { Conflict, NotFound, PermissionDenied } from "../../domain/Errors.ts"
import { effectivePermissions, isLastFull } from "../../domain/operator/FullKey.ts"
import type { ApiKey } from "../../domain/operator/Operator.ts"
import type { Principal, AuditContext } from "../../domain/values/AuditContext.ts"
import { beyond, type Permission } from "../../domain/operator/Permission.ts"
import type { ApiKeyRecord } from "../../domain/event/RecordFact.ts"
import type { NewKey, RotatedKey } from "../../domain/operator/Access.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { textArray } from "../kernel/Arrays.ts"
import { makeBatched } from "../kernel/Batched.ts"
import { pagedList, UuidKey } from "../kernel/Cursor.ts"
import { factOf, type Recording } from "../kernel/Facts.ts"
import { Millis, optional, rowOf, rowsOf } from "../kernel/Rows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { refusingValues, storable, unstorableText } from "../kernel/Storable.ts"
import { closeVoid } from "./LinkChecks.ts"
import { grantColumns, GrantFields, permissionsOf, withRole } from "./Members.ts"

/** The permissions of a v1 pair: those for v1's own operations only. It acts for its organisation, not for an operator. */
export const v1Permissions: ReadonlyArray<Permission> = [
  "sites:read",
  "sites:write",
  "chargers:read",
  "chargers:write",
  "statistics:read"
]

const Permissions = Schema.Array(Schema.String)

const KeyRow = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  prefix: Schema.String,
  operatorId: Schema.String,
  permissions: optional(Permissions),
  createdAt: Millis,
  lastUsedAt: optional(Millis),
  lastUsedFrom: optional(Schema.String),
  revokedAt: optional(Millis),
  expiresAt: optional(Millis),
  networks: optional(Schema.Array(Schema.String))
})

const keyRow = rowOf(KeyRow)
export const keyRows = rowsOf(KeyRow)

const pages = pagedList("api-keys", UuidKey, (key: ApiKey) => key.id)

export const columns = (sql: SqlClient.SqlClient) => sql`
  k.id, k.name, k.prefix, k.operator_id AS "operatorId", k.permissions, k.created_at AS "createdAt",
  k.last_used_at AS "lastUsedAt", k.last_used_from AS "lastUsedFrom", k.revoked_at AS "revokedAt", k.expires_at AS "expiresAt", k.networks`

export const keyFact = <T extends "ApiKeyIssued" | "ApiKeyRevoked">(
  type: T,
  { expiresAt, id, name, networks, operatorId, permissions, prefix }: ApiKey,
  factId: string,
  audit: Parameters<typeof factOf>[3]
) => {
  const bounds = { ...(expiresAt === undefined ? {} : { expiresAt }), ...(networks === undefined ? {} : { networks }) }
  const record = { id, name, prefix, operatorId, permissions, ...bounds }
  const body = type === "ApiKeyIssued" ? { after: record } : { before: record }
  return { ...factOf(type, `api-key:${id}`, factId, audit), body: { by: audit.by.actor, ...body } }
}

/** Returns no row if the operator does not belong to the organisation. The caller makes the key's `id`. */
export const insertKey = (sql: SqlClient.SqlClient, own: Scoped, key: NewKey & { readonly id: string }, now: Date) =>
  keyRow(own`
    INSERT INTO api_key AS k (id, organisation_id, operator_id, name, public_id, prefix, verifier, permissions, created_at, expires_at, networks)
    SELECT ${key.id}::uuid, p.organisation_id, p.operator_id, ${key.name}, ${key.publicId}, ${key.prefix}, ${key.verifier},
      ${key.permissions === undefined ? null : textArray(key.permissions)}::text[], ${now},
      ${key.expiresAt === undefined ? null : new Date(key.expiresAt)}, ${key.networks === undefined ? null : textArray(key.networks)}::text[]
    FROM membership p WHERE ${own.rowsOf("p")} AND p.operator_id = ${key.operatorId}
    RETURNING ${columns(sql)}`)

export const createKey = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Access.createKey")(function* (input: NewKey, audit: AuditContext) {
    yield* storable(input)
    const own = scopedTo(sql, audit.by.organisationId)
    const missing = new NotFound({ kind: "operator", id: input.operatorId })
    if (!isUuid(input.operatorId)) return yield* missing
    const write = Effect.gen(function* () {
      const id = secrets.uuid(audit.now)
      const key = yield* insertKey(sql, own, { ...input, id }, new Date(audit.now))
      if (key === undefined) return yield* missing
      return { result: key, facts: [keyFact("ApiKeyIssued", key, id, audit)] }
    })
    return yield* journaled(refusingValues(write))
  })

/** The data that determines what a key may do now. */
const Held = {
  keyPermissions: optional(Permissions),
  ...GrantFields
}
const Holding = Schema.Struct(Held)
const heldRow = rowOf(Schema.Struct({ ...KeyRow.fields, ...Held }))
const heldRows = rowsOf(Schema.Struct({ id: Schema.String, ...Held }))

/** How many valid keys without expiry are read when checking whether another full key is left; those without a permission limit come first. */
const keysLookedAt = 500

/** A key with the permissions of its operator. */
const withGrant = <K extends typeof Holding.Type>(key: K) => ({ ...key, operatorPermissions: permissionsOf(key) })

const workingKeys = (sql: SqlClient.SqlClient, own: Scoped) =>
  Effect.map(
    heldRows(own`
      SELECT k.id, k.permissions AS "keyPermissions", ${grantColumns(sql)}
      FROM api_key k ${withRole(sql, "k")}
      WHERE ${own.rowsOf("k")} AND k.revoked_at IS NULL AND k.expires_at IS NULL
      ORDER BY k.permissions IS NOT NULL, k.id LIMIT ${keysLookedAt}`),
    (keys) => keys.map(withGrant)
  )

const lastFull = new Conflict({
  code: "last_full_key",
  message:
    "This is the last key with every permission: without it, no key could create another. Create one first, or revoke it on the service's own machine (voltlane keys revoke)."
})

/**
 * Revokes a key within a write, and returns the facts. A key that is revoked already stays unchanged, since a repeated request is not an
 * error. The last full key is only revoked with `lastToo`.
 */
export const revoking = (
  recording: Pick<Recording, "secrets" | "sql">,
  own: Scoped,
  id: string,
  audit: AuditContext,
  options?: { readonly lastToo: boolean }
) =>
  Effect.gen(function* () {
    const { secrets, sql } = recording
    const key = yield* heldRow(own`
      SELECT ${columns(sql)}, k.permissions AS "keyPermissions", ${grantColumns(sql)}
      FROM api_key k ${withRole(sql, "k")}
      WHERE ${own.rowsOf("k")} AND k.id = ${id}`)
    if (key === undefined) return yield* new NotFound({ kind: "api-key", id })
    if (key.revokedAt !== undefined) return []
    const lacking = beyond(audit.by.permissions, effectivePermissions(withGrant(key)))
    if (lacking.length > 0) return yield* new PermissionDenied({ requiredPermissions: lacking })
    if (options?.lastToo !== true && isLastFull(id, yield* workingKeys(sql, own))) return yield* lastFull
    yield* own`UPDATE api_key k SET revoked_at = ${new Date(audit.now)} WHERE ${own.rowsOf("k")} AND k.id = ${id}`
    const links = yield* closeVoid(recording, own, audit)
    return [keyFact("ApiKeyRevoked", key, secrets.uuid(audit.now), audit), ...links]
  })

export const revokeKey = (recording: Recording) =>
  Effect.fn("Access.revokeKey")(function* (id: string, audit: AuditContext, options?: { readonly lastToo: boolean }) {
    const own = scopedTo(recording.sql, audit.by.organisationId)
    if (!isUuid(id)) return yield* new NotFound({ kind: "api-key", id })
    const write = revoking(recording, own, id, audit, options)
    yield* recording.journaled(Effect.map(write, (facts) => ({ result: undefined, facts })))
  })

const ended = new Conflict({ code: "key_ended", message: "This key was revoked or has expired. Create a new one." })

const anothers = new Conflict({
  code: "other_operators_key",
  message: "This key acts for another operator. Create a key of your own, and revoke this one."
})

/** The fact that another key replaces this one. */
const rotatedFact = (key: ApiKey, next: ApiKey, expiresAt: number, factId: string, audit: AuditContext) => {
  const { body, ...fact } = keyFact("ApiKeyRevoked", key, factId, audit)
  const { before } = body as { readonly before: ApiKeyRecord }
  const after = { ...before, expiresAt, replacedBy: next.id }
  return { ...fact, type: "ApiKeyRotated" as const, body: { by: audit.by.actor, before, after } }
}

export const rotateKey = (recording: Recording) =>
  Effect.fn("Access.rotateKey")(function* (id: string, given: RotatedKey, audit: AuditContext) {
    const { journaled, secrets, sql } = recording
    const { by, now } = audit
    const { overlapMillis, ...next } = given
    const own = scopedTo(sql, by.organisationId)
    const missing = new NotFound({ kind: "api-key", id })
    if (!isUuid(id)) return yield* missing
    const write = Effect.gen(function* () {
      const key = yield* heldRow(own`
        SELECT ${columns(sql)}, k.permissions AS "keyPermissions", ${grantColumns(sql)}
        FROM api_key k ${withRole(sql, "k")}
        WHERE ${own.rowsOf("k")} AND k.id = ${id}`)
      if (key === undefined) return yield* missing
      const { expiresAt, name, networks, operatorId, revokedAt } = key
      if (revokedAt !== undefined || (expiresAt !== undefined && expiresAt <= now)) return yield* ended
      if (operatorId !== by.operatorId) return yield* anothers
      const lacking = beyond(by.permissions, effectivePermissions(withGrant(key)))
      if (lacking.length > 0) return yield* new PermissionDenied({ requiredPermissions: lacking })
      const nextId = secrets.uuid(now)
      const made = yield* insertKey(sql, own, { ...next, name, networks, operatorId, id: nextId }, new Date(now))
      if (made === undefined) return yield* missing
      const endsAt = Math.min(now + overlapMillis, expiresAt ?? Number.POSITIVE_INFINITY)
      yield* own`UPDATE api_key k SET expires_at = ${new Date(endsAt)} WHERE ${own.rowsOf("k")} AND k.id = ${id}`
      yield* own`UPDATE account_link l SET expires_at = least(l.expires_at, ${new Date(endsAt)}::timestamptz)
        WHERE ${own.rowsOf("l")} AND l.maker_key_id = ${id} AND l.closed_at IS NULL`
      const issued = keyFact("ApiKeyIssued", made, nextId, audit)
      return { result: made, facts: [issued, rotatedFact(key, made, endsAt, secrets.uuid(now), audit)] }
    })
    return yield* journaled(refusingValues(write))
  })

export const getKey = (sql: SqlClient.SqlClient) =>
  Effect.fn("Access.getKey")(function* (organisationId: string, id: string) {
    const own = scopedTo(sql, organisationId)
    const key = isUuid(id)
      ? yield* guarded(keyRow(own`SELECT ${columns(sql)} FROM api_key k WHERE ${own.rowsOf("k")} AND k.id = ${id}`))
      : undefined
    return key ?? (yield* new NotFound({ kind: "api-key", id }))
  })

export const listKeys = (sql: SqlClient.SqlClient) =>
  Effect.fn("Access.listKeys")(function* (organisationId: string, request: PageRequest) {
    const own = scopedTo(sql, organisationId)
    const after = yield* pages.after(request)
    return yield* guarded(
      pages.read(sql, request, {
        statement: own`
        SELECT ${columns(sql)} FROM api_key k
        WHERE ${own.rowsOf("k")} ${after === undefined ? sql`` : sql`AND k.id > ${after}`}
        ORDER BY k.id LIMIT ${pages.rows(request)}`,
        rows: keyRows,
        item: (key) => key
      })
    )
  })

const Holder = Schema.Struct({
  publicId: Schema.String,
  id: Schema.String,
  organisationId: Schema.String,
  operatorId: Schema.String,
  verifier: Schema.Uint8Array,
  expiresAt: KeyRow.fields.expiresAt,
  networks: KeyRow.fields.networks,
  ...Held
})
const holderRows = rowsOf(Holder)

type Holder = typeof Holder.Type

const keyHolder = (row: Holder) => {
  const principal: Principal = {
    organisationId: row.organisationId,
    actor: `key:${row.id}`,
    keyId: row.id,
    operatorId: row.operatorId,
    permissions: effectivePermissions(withGrant(row))
  }
  return { verifier: row.verifier, principal, bounds: { expiresAt: row.expiresAt, networks: row.networks } }
}

/** How many keys one statement looks up, and how many may wait: as many as the open connections of callers to a process. */
const lookups = { maxBatch: 500, maxQueue: 10_000 }

/**
 * Looks up a key before the caller is known. It is therefore the only lookup of keys that is not limited to an organisation; `public_id` is
 * unique. Simultaneous requests are looked up together, with a statement that begins after they arrived. A flood of requests with one key
 * costs the database only one statement at a time.
 */
export const findKey = (sql: SqlClient.SqlClient) =>
  Effect.map(
    makeBatched({
      ...lookups,
      absent: () => undefined,
      run: (publicIds: ReadonlyArray<string>) =>
        guarded(
          holderRows(sql`
            SELECT k.id, k.organisation_id AS "organisationId", k.operator_id AS "operatorId", k.verifier, k.public_id AS "publicId",
              k.expires_at AS "expiresAt", k.networks,
              k.permissions AS "keyPermissions", ${grantColumns(sql)}
            FROM api_key k ${withRole(sql, "k")}
            WHERE k.public_id = ANY (${textArray([...new Set(publicIds)])}) AND k.revoked_at IS NULL`)
        ).pipe(
          Effect.map(
            (rows): ReadonlyMap<string, ReturnType<typeof keyHolder> | undefined> =>
              new Map(rows.map((row) => [row.publicId, keyHolder(row)]))
          )
        )
    }),
    (lookUp) =>
      Effect.fn("Access.findKey")(function* (publicId: string) {
        return unstorableText(publicId) ? undefined : yield* lookUp(publicId)
      })
  )

const pairRow = rowOf(Schema.Struct({ organisationId: Schema.String, verifier: Schema.Uint8Array }))

/** Not limited to an organisation, for the same reason as `findKey`. */
export const findV1 = (sql: SqlClient.SqlClient) =>
  Effect.fn("Access.findV1")(function* (clientId: string) {
    if (unstorableText(clientId)) return undefined
    const row = yield* guarded(
      pairRow(
        sql`SELECT v.organisation_id AS "organisationId", v.verifier FROM v1_credential v WHERE v.client_id = ${clientId}`
      )
    )
    if (row === undefined) return undefined
    const actor = `v1:${clientId}`
    const principal: Principal = {
      organisationId: row.organisationId,
      actor,
      keyId: actor,
      operatorId: undefined,
      permissions: v1Permissions
    }
    return { verifier: row.verifier, principal }
  })
