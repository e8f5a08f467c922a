/**
 * The port `LocalLists` over SQL. Chargers whose list is out of date are found for all organisations at once. The outcome of a message is
 * stored in the transaction that ends its command (`commands/LocalListEnds.ts`).
 */
import { Effect, Layer, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { NotFound } from "../../domain/Errors.ts"
import {
  type ChangesWanted,
  keptListStates,
  type ListClaim,
  LocalLists,
  type LocalListStatus,
  type PendingList,
  type UnkeptList
} from "../../domain/command/LocalLists.ts"
import { idTagMax, type TokenChange } from "../../domain/command/LocalList.ts"
import { isChargerId } from "../../domain/values/ChargerId.ts"
import { textArray } from "../kernel/Arrays.ts"
import { recording, type Recording, type RecordingServices } from "../kernel/Facts.ts"
import { locks } from "../kernel/Locks.ts"
import { Millis, optional, rowOf, rowsOf, Whole } from "../kernel/Rows.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { guarded, guardedWrite } from "../kernel/SqlErrors.ts"
import { tokenStatuses } from "../../domain/token/Token.ts"

const Configuration = Schema.Array(
  Schema.Struct({
    key: Schema.String,
    value: Schema.optional(Schema.NullOr(Schema.String)),
    readonly: Schema.optional(Schema.NullOr(Schema.Boolean))
  })
)

const configurationOf = (keys: typeof Configuration.Type) =>
  keys.map(({ key, readonly, value }) => ({ key, value: value ?? undefined, readonly: readonly ?? false }))

const ClaimedRow = Schema.Struct({
  chargerId: Schema.String,
  organisationId: Schema.String,
  configuration: Configuration,
  version: Schema.Int,
  syncedSeq: Whole,
  fillTo: Whole,
  needsFull: Schema.Boolean,
  supported: Schema.Boolean,
  checked: Schema.Boolean,
  latestSeq: Whole,
  tokens: Schema.Int
})
const claimedRows = rowsOf(ClaimedRow)

const changeRows = rowsOf(
  Schema.Struct({
    seq: Whole,
    uid: Schema.String,
    status: Schema.NullOr(Schema.Literals(tokenStatuses)),
    parentUid: optional(Schema.String),
    expiresAt: optional(Millis)
  })
)

const StatusRow = Schema.Struct({
  managed: Schema.Boolean,
  connected: Schema.Boolean,
  accepted: Schema.Boolean,
  configured: Schema.Boolean,
  version: optional(Schema.Int),
  state: optional(Schema.Literals(keptListStates)),
  inStep: Schema.Boolean,
  reason: optional(Schema.String),
  updatedAt: optional(Millis)
})
const statusRow = rowOf(StatusRow)

const byHandRow = rowOf(Schema.Struct({ version: Schema.Int, configuration: Configuration }))

/** The newest change of an organisation: of its tokens or of removed ones. */
const latestOf = (sql: SqlClient.SqlClient, organisation: string) => sql`
  greatest(
    coalesce((SELECT max(t.changed_seq) FROM token t WHERE t.organisation_id = ${sql(organisation)}), 0),
    coalesce((SELECT max(r.removed_seq) FROM token_removed r WHERE r.organisation_id = ${sql(organisation)}), 0))`

const due = (sql: SqlClient.SqlClient, { leaseMillis, limit, now, settleMillis }: ListClaim) => sql<{ id: string }>`
  WITH managed AS MATERIALIZED (
    SELECT o.id, ${latestOf(sql, "o.id")} AS latest FROM organisation o WHERE o.local_lists = 'Managed'
  ), due AS (
    SELECT c.charger_id, c.organisation_id
    FROM managed g
    JOIN connection n ON n.organisation_id = g.id AND n.closed_at IS NULL AND n.ocpp_version = '1.6'
    JOIN charger c ON c.charger_id = n.charger_id AND c.organisation_id = g.id AND c.registration = 'Accepted'
    JOIN charger_configuration f ON f.charger_id = c.charger_id
    LEFT JOIN local_list l ON l.charger_id = c.charger_id
    WHERE n.connected_at <= ${new Date(now - settleMillis)}
      AND (l.charger_id IS NULL OR (
        (l.next_look_at <= ${new Date(now)} OR ((n.connected_at > l.looked_at OR f.reported_at > l.looked_at)
          -- In the pause after a failure only the version is queried: a restart may be what the failure causes.
          AND (l.state <> 'Failed' OR l.checked_epoch IS DISTINCT FROM n.epoch OR c.booted_at > l.checked_at)))
        AND (l.checked_epoch IS DISTINCT FROM n.epoch OR c.booted_at > l.checked_at
          OR (l.state <> 'Unsupported' AND (l.needs_full OR l.synced_seq < l.fill_to OR l.synced_seq < g.latest)))))
      AND NOT EXISTS (SELECT 1 FROM command m WHERE m.charger_id = c.charger_id AND m.status IN ('Pending', 'Sent')
        AND m.type IN ('SendLocalList', 'GetLocalListVersion'))
    ORDER BY l.next_look_at NULLS FIRST LIMIT ${limit}
  )
  INSERT INTO local_list (charger_id, organisation_id, looked_at, next_look_at, updated_at)
  SELECT d.charger_id, d.organisation_id, ${new Date(now)}, ${new Date(now + leaseMillis)}, ${new Date(now)} FROM due d
  ON CONFLICT (charger_id) DO UPDATE SET looked_at = excluded.looked_at, next_look_at = excluded.next_look_at
  RETURNING charger_id AS id`

const claimed = (sql: SqlClient.SqlClient, ids: ReadonlyArray<string>) => sql`
  WITH listable AS MATERIALIZED (
    SELECT o.id, ${latestOf(sql, "o.id")} AS latest,
      (SELECT count(*)::int FROM token t WHERE t.organisation_id = o.id AND char_length(t.uid) <= ${idTagMax}) AS tokens
    FROM organisation o WHERE o.id IN (SELECT c.organisation_id FROM charger c WHERE c.charger_id = ANY (${textArray(ids)}))
  )
  SELECT l.charger_id AS "chargerId", l.organisation_id AS "organisationId", f.keys AS configuration, l.version,
    l.synced_seq AS "syncedSeq", l.fill_to AS "fillTo", l.needs_full AS "needsFull", l.state <> 'Unsupported' AS supported,
    (l.checked_epoch IS NOT DISTINCT FROM n.epoch AND coalesce(c.booted_at <= l.checked_at, true)) AS checked,
    g.latest AS "latestSeq", g.tokens
  FROM local_list l
  JOIN charger c ON c.charger_id = l.charger_id
  JOIN connection n ON n.charger_id = l.charger_id AND n.closed_at IS NULL
  JOIN charger_configuration f ON f.charger_id = l.charger_id
  JOIN listable g ON g.id = l.organisation_id
  WHERE l.charger_id = ANY (${textArray(ids)}) ORDER BY l.charger_id`

const claim = ({ sql, writable }: Recording) =>
  Effect.fn("LocalLists.claim")(function* (asked: ListClaim) {
    const look = Effect.gen(function* () {
      const [lock] = yield* sql<{ ours: boolean }>`SELECT pg_try_advisory_xact_lock(${locks.localLists}) AS ours`
      if (lock?.ours !== true) return []
      const ids = yield* due(sql, asked)
      return ids.length === 0
        ? []
        : yield* claimedRows(
            claimed(
              sql,
              ids.map(({ id }) => id)
            )
          )
    })
    yield* writable
    const rows = yield* guardedWrite(sql.withTransaction(look))
    return rows.map(({ chargerId, configuration, latestSeq, organisationId, tokens, ...list }) => ({
      chargerId,
      organisationId,
      configuration: configurationOf(configuration),
      list,
      listable: { latestSeq, tokens }
    }))
  })

const changes = (sql: SqlClient.SqlClient) =>
  Effect.fn("LocalLists.changes")(function* (
    organisationId: string,
    { after, limit, newest, removed, upTo }: ChangesWanted
  ) {
    const own = scopedTo(sql, organisationId)
    // The sequence number just below those of the newest `newest` tokens.
    const floor =
      newest === undefined
        ? sql`0`
        : own`coalesce((SELECT t.changed_seq FROM token t WHERE ${own.rowsOf("t")} AND char_length(t.uid) <= ${idTagMax}
            AND t.changed_seq <= ${upTo} ORDER BY t.changed_seq DESC OFFSET ${newest} LIMIT 1), 0)`
    const rows = yield* guarded(
      changeRows(own`
        SELECT * FROM (
          (SELECT t.changed_seq AS seq, t.uid, t.status, t.parent_uid AS "parentUid", t.expires_at AS "expiresAt" FROM token t
            WHERE ${own.rowsOf("t")} AND char_length(t.uid) <= ${idTagMax} AND t.changed_seq > greatest(${after}::bigint, ${floor})
              AND t.changed_seq <= ${upTo}
            ORDER BY t.changed_seq LIMIT ${limit})
          UNION ALL
          (SELECT r.removed_seq, r.uid, NULL, NULL, NULL FROM token_removed r
            WHERE ${removed} AND ${own.rowsOf("r")} AND char_length(r.uid) <= ${idTagMax} AND r.removed_seq > ${after}
              AND r.removed_seq <= ${upTo}
            ORDER BY r.removed_seq LIMIT ${limit})
        ) changes ORDER BY seq LIMIT ${limit}`)
    )
    return rows.map(({ expiresAt, parentUid, seq, status, uid }): TokenChange => ({
      seq,
      uid,
      token: status === null ? undefined : { status, expiresAt, parentUid }
    }))
  })

/** Why a managed list cannot be sent to the charger yet. */
const awaited = ({ accepted, configured, connected }: typeof StatusRow.Type): string | undefined => {
  if (!accepted) return "the charger's registration is not Accepted"
  if (!connected) return "the charger is not connected"
  return configured ? undefined : "the charger has not reported its configuration; request it with GetConfiguration"
}

/** A list that is not managed cannot be out of date. That the charger supports no list is still reported. */
const statusOf = (row: typeof StatusRow.Type): LocalListStatus => {
  const { inStep, managed, reason, updatedAt, version } = row
  const state = row.state ?? "Unknown"
  if (!managed && state !== "Unsupported") {
    const byHand = "the organisation's localLists is Manual: a list is changed only by the command SendLocalList"
    return { version, state: "Manual", inStep: false, reason: byHand, updatedAt }
  }
  return { version, state, inStep, reason: inStep ? undefined : (reason ?? awaited(row)), updatedAt }
}

const status = (sql: SqlClient.SqlClient) =>
  Effect.fn("LocalLists.status")(function* (organisationId: string, chargerId: string) {
    const own = scopedTo(sql, organisationId)
    const row = isChargerId(chargerId)
      ? yield* guarded(
          statusRow(own`
            SELECT o.local_lists = 'Managed' AS managed, c.registration = 'Accepted' AS accepted, l.state, l.reason,
              EXISTS (SELECT 1 FROM connection n WHERE n.charger_id = c.charger_id AND n.closed_at IS NULL) AS connected,
              EXISTS (SELECT 1 FROM charger_configuration f WHERE f.charger_id = c.charger_id) AS configured,
              CASE WHEN l.version <> 0 OR l.checked_at IS NOT NULL THEN l.version END AS version, l.updated_at AS "updatedAt",
              coalesce(l.state = 'InStep' AND l.synced_seq >= ${latestOf(sql, "c.organisation_id")}, false) AS "inStep"
            FROM charger c
            JOIN organisation o ON o.id = c.organisation_id
            LEFT JOIN local_list l ON l.charger_id = c.charger_id AND l.organisation_id = c.organisation_id
            WHERE ${own.rowsOf("c")} AND c.charger_id = ${chargerId}`)
        )
      : undefined
    if (row === undefined) return yield* new NotFound({ kind: "charger", id: chargerId })
    return statusOf(row)
  })

/** What is needed to send a list by hand, including the version of a message that has not been answered yet. */
const byHand = (sql: SqlClient.SqlClient) =>
  Effect.fn("LocalLists.byHand")(function* (organisationId: string, chargerId: string) {
    const own = scopedTo(sql, organisationId)
    const row = isChargerId(chargerId)
      ? yield* guarded(
          byHandRow(own`
            SELECT coalesce(f.keys, '[]'::jsonb) AS configuration, greatest(
              coalesce((SELECT l.version FROM local_list l
                WHERE l.charger_id = c.charger_id AND l.organisation_id = c.organisation_id), 0),
              coalesce((SELECT max((m.command ->> 'listVersion')::int) FROM command m
                WHERE m.charger_id = c.charger_id AND m.organisation_id = c.organisation_id AND m.type = 'SendLocalList'
                  AND m.status IN ('Pending', 'Sent')), 0)) AS version
            FROM charger c
            LEFT JOIN charger_configuration f ON f.charger_id = c.charger_id
            WHERE ${own.rowsOf("c")} AND c.charger_id = ${chargerId}`)
        )
      : undefined
    if (row === undefined) return yield* new NotFound({ kind: "charger", id: chargerId })
    return { version: row.version, configuration: configurationOf(row.configuration) }
  })

/**
 * Deletes old removals, and marks lists that have not received them for a full update. Runs under the journal's lock, like the code that
 * settles lists.
 */
const forget = ({ journaled, sql }: Recording, before: number) =>
  journaled(
    Effect.as(
      sql`
        WITH gone AS (
          DELETE FROM token_removed WHERE removed_at < ${new Date(before)} RETURNING organisation_id, removed_seq
        ), last AS (SELECT organisation_id, max(removed_seq) AS seq FROM gone GROUP BY organisation_id)
        UPDATE local_list l SET needs_full = true FROM last g WHERE l.organisation_id = g.organisation_id AND l.synced_seq < g.seq`,
      { result: undefined, facts: [] }
    )
  )

export const layer: Layer.Layer<LocalLists, never, RecordingServices> = Layer.effect(
  LocalLists,
  Effect.gen(function* () {
    const records = yield* recording
    const { sql, writable } = records
    const written = (statement: Statement.Statement<object>) =>
      Effect.asVoid(Effect.andThen(writable, guardedWrite(statement)))
    return LocalLists.of({
      claim: claim(records),
      changes: changes(sql),
      pending: (chargerId: string, { fillTo, full, seq, version }: PendingList, now: number) =>
        written(sql`
          UPDATE local_list SET state = 'Sending', reason = NULL, pending_version = ${version}, pending_seq = ${seq}, pending_fill = ${fillTo},
            pending_full = ${full}, updated_at = ${new Date(now)} WHERE charger_id = ${chargerId}`),
      caughtUp: (chargerId, seq, now) =>
        written(sql`
          UPDATE local_list SET synced_seq = greatest(synced_seq, ${seq}::bigint), state = 'InStep', reason = NULL, next_look_at = ${new Date(now)},
            updated_at = ${new Date(now)} WHERE charger_id = ${chargerId} AND state <> 'Unsupported'`),
      // A version that was reported before is no longer valid: when the charger has a list again, its version is requested again.
      unkept: (chargerId: string, { reason, state, until }: UnkeptList, now: number) =>
        written(sql`
          UPDATE local_list SET next_look_at = ${new Date(until)}, checked_epoch = NULL, state = ${state}, reason = ${reason},
            updated_at = CASE WHEN state = ${state} THEN updated_at ELSE ${new Date(now)} END WHERE charger_id = ${chargerId}`),
      forget: (before) => forget(records, before),
      byHand: byHand(sql),
      status: status(sql)
    })
  })
)
