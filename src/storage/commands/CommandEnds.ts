/**
 * The ends of commands and their consequences. In the transaction that ends a command, the dependent rows are read, the domain decides how
 * they change, and they are written. Commands that no charger will answer end here. For an answered command the journal
 * (`charging/Journal.ts`) calls `followEnds`.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { type Unanswered, abandoned, leaseGraceMillis, overdue } from "../../domain/command/Unanswered.ts"
import { textArray, timestamptzArray, uuidArray } from "../kernel/Arrays.ts"
import { appendOnce } from "../kernel/Facts.ts"
import { locks } from "../kernel/Locks.ts"
import { Millis, optional, rowsOf } from "../kernel/Rows.ts"
import { followCredentials } from "./CredentialEnds.ts"
import { type EndedCommand, endedCommands, isFollowed, openCommands } from "./EndedCommands.ts"
import { followLists } from "./LocalListEnds.ts"
import { followReservations } from "./ReservationEnds.ts"
import { type ProfileChange, profilesChangedBy } from "../../domain/command/ProfileChange.ts"

const profileRows = rowsOf(
  Schema.Struct({
    commandId: Schema.String,
    organisationId: Schema.String,
    chargerId: Schema.String,
    evseId: Schema.Int,
    partnerId: Schema.String,
    sessionId: Schema.String
  })
)

const isProfileChange = (end: EndedCommand): end is EndedCommand & ProfileChange =>
  end.type === "SetChargingProfile" || end.type === "ClearChargingProfile"

/** After charging profiles were changed: opens a callback for each partner whose session is affected. An existing callback is opened again. */
const followProfiles = (sql: SqlClient.SqlClient, ended: ReadonlyArray<EndedCommand>) =>
  Effect.gen(function* () {
    const changes = ended.filter(isProfileChange).filter(({ status }) => status === "Accepted")
    if (changes.length === 0) return
    const profiles = yield* profileRows(sql`
      SELECT e.command_id AS "commandId", s.organisation_id AS "organisationId", s.charger_id AS "chargerId", s.evse_id AS "evseId",
        e.partner_id AS "partnerId", e.session_id AS "sessionId"
      FROM session s
      JOIN partner_command e ON e.session_id = s.id AND e.organisation_id = s.organisation_id AND e.kind = 'SetProfile'
      JOIN command m ON m.id = e.command_id AND m.status = 'Accepted'
      WHERE s.charger_id = ANY (${textArray(changes.map((change) => change.chargerId))}) AND s.ended_at IS NULL AND s.status = 'ACTIVE'`)
    const due = new Map(
      changes.flatMap((change) =>
        profilesChangedBy(change, profiles).map(({ commandId }) => [commandId, change.completedAt] as const)
      )
    )
    if (due.size === 0) return
    yield* sql`
      INSERT INTO partner_callback (command_id, about, organisation_id, answer_by, due_at)
      SELECT e.command_id, 'ProfileChanged', e.organisation_id, x.at, x.at
      FROM unnest(${uuidArray([...due.keys()])}, ${timestamptzArray([...due.values()])}) AS x(id, at)
      JOIN partner_command e ON e.command_id = x.id
      ON CONFLICT (command_id, about) DO UPDATE SET state = 'Open', due_at = excluded.due_at, tries = 0, problem = NULL, done_at = NULL`
  })

/** The most commands that one sweep ends. The next sweep comes a second later. */
const overdueAtMost = 500

const OpenRow = Schema.Struct({
  id: Schema.String,
  organisationId: Schema.String,
  chargerId: Schema.String,
  type: Schema.String,
  status: Schema.Literals(["Pending", "Sent"]),
  expiresAt: optional(Millis),
  sentEpoch: optional(Schema.Finite),
  openEpoch: optional(Schema.Finite),
  now: Schema.Finite
})
const openRows = rowsOf(OpenRow)

const selectOpen = (sql: SqlClient.SqlClient) => sql`
  SELECT m.id, m.organisation_id AS "organisationId", m.charger_id AS "chargerId", m.type, m.status, m.expires_at AS "expiresAt",
    m.sent_epoch::float8 AS "sentEpoch", n.epoch::float8 AS "openEpoch", floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now
  FROM command m LEFT JOIN connection n ON n.charger_id = m.charger_id AND n.closed_at IS NULL
  WHERE m.status IN ('Pending', 'Sent')`

interface Conclusion {
  readonly row: typeof OpenRow.Type
  readonly end: Unanswered
}

/** Applies the consequences of those of the commands that ended in this transaction. The transaction must have the journal's lock. */
export const followEnds = (sql: SqlClient.SqlClient, ids: ReadonlyArray<string>): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    if (ids.length === 0) return
    const ended = yield* endedCommands(sql, ids)
    yield* followLists(sql, ended)
    yield* followReservations(sql, ended)
    yield* followCredentials(sql, ended)
    yield* followProfiles(sql, ended)
  })

/** A transaction that may end these commands, with the consequences of those that it ended. */
export const endingCommands = <A, E>(
  sql: SqlClient.SqlClient,
  ids: ReadonlyArray<string>,
  write: Effect.Effect<A, E>
): Effect.Effect<A, E | SqlError> =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SELECT pg_advisory_xact_lock(${locks.journal})`
      const open = yield* openCommands(sql, ids)
      const result = yield* write
      yield* followEnds(
        sql,
        open.map(({ id }) => id)
      )
      return result
    })
  )

/** Ends commands by facts. The trigger on the journal updates their rows. */
const conclude = (sql: SqlClient.SqlClient, ends: ReadonlyArray<Conclusion>, at: number) =>
  Effect.gen(function* () {
    const facts = ends.map(({ end, row: { chargerId, id, organisationId, type } }) => ({
      key: `command-answered|${id}`,
      organisationId,
      type: "CommandAnswered",
      subject: `charger:${chargerId}`,
      at,
      heardAt: at,
      body: { commandId: id, type, ...end }
    }))
    yield* appendOnce(sql, facts)
    yield* followEnds(
      sql,
      ends.flatMap(({ row }) => (isFollowed(row.type) ? [row.id] : []))
    )
  })

const endedBy = (
  rows: ReadonlyArray<typeof OpenRow.Type>,
  decide: (row: typeof OpenRow.Type) => Unanswered | undefined
): ReadonlyArray<Conclusion> =>
  rows.flatMap((row) => {
    const end = decide(row)
    return end === undefined ? [] : [{ row, end }]
  })

/**
 * Ends the commands of these chargers that were sent over a closed connection, or that may not wait for a connection. The transaction has the
 * journal's lock. `at` is the database's time by default.
 */
export const abandonCommands = (
  sql: SqlClient.SqlClient,
  chargers: ReadonlyArray<string>,
  at?: number
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const rows = yield* openRows(sql`
      ${selectOpen(sql)} AND m.charger_id = ANY (${textArray(chargers)}) ORDER BY m.status = 'Pending', m.id`)
    const ends = endedBy(rows, (row) => abandoned(row, row.openEpoch))
    yield* conclude(sql, ends, at ?? rows[0]?.now ?? 0)
  })

const DueRow = Schema.Struct({
  late: optional(Schema.Array(Schema.String)),
  gone: optional(Schema.Array(Schema.String))
})
const dueRows = rowsOf(DueRow)

/** When the next waiting command expires (ms since 1970); undefined if none does. */
export const nextExpiry = (sql: SqlClient.SqlClient): Effect.Effect<number | undefined, SqlError> =>
  Effect.map(
    sql<{ at: number | null }>`
      SELECT (extract(epoch FROM least(
        (SELECT min(expires_at) FROM command WHERE status = 'Pending'),
        (SELECT min(expires_at) FROM reservation WHERE status = 'Active' AND session_id IS NOT NULL)
      )) * 1000)::float8 AS at`,
    ([row]) => row?.at ?? undefined
  )

/**
 * Whether the lease of a node `o` ran out so long ago that its connections `n` are gone. Never that of this process: its lease runs out if
 * the database is away, but its chargers stay connected.
 */
const isGone = (sql: SqlClient.SqlClient, nodeId: string, now: number) =>
  sql`(n.node_id <> ${nodeId} AND o.lease_until < ${new Date(now - leaseGraceMillis)})`

/** Commands that have expired, and chargers with commands that were sent over a closed connection. */
const due = (sql: SqlClient.SqlClient, nodeId: string, now: number) =>
  dueRows(sql`
    SELECT (
      SELECT json_agg(l.id) FROM (
        SELECT id FROM command WHERE status = 'Pending' AND expires_at <= ${new Date(now)} ORDER BY expires_at LIMIT ${overdueAtMost}::int) l
    ) AS late, (
      SELECT json_agg(DISTINCT m.charger_id)
      FROM command m JOIN connection n ON n.charger_id = m.charger_id LEFT JOIN node o ON o.node_id = n.node_id
      WHERE m.status IN ('Pending', 'Sent') AND (m.status = 'Sent' OR m.expires_at IS NULL)
        AND (n.closed_at IS NOT NULL OR n.epoch <> m.sent_epoch OR o.lease_until IS NULL OR ${isGone(sql, nodeId, now)})
    ) AS gone`)

/** Closes, by a fact, the connections of nodes that are gone. They ended when the node's lease did. */
const closeOfGoneNodes = (
  sql: SqlClient.SqlClient,
  chargers: ReadonlyArray<string>,
  nodeId: string,
  now: number
) => sql`
  SELECT connection_close(array_agg(n.charger_id), array_agg(n.epoch::float8),
    array_agg(greatest(n.connected_at, o.lease_until)), array_agg('the node that held the connection is gone'::text))
  FROM connection n JOIN node o ON o.node_id = n.node_id
  WHERE n.charger_id = ANY (${textArray(chargers)}) AND n.closed_at IS NULL AND ${isGone(sql, nodeId, now)}`

/**
 * Ends commands that have expired, and those that were sent by a node that is gone; returns true if there were any. `nodeId` is this process,
 * which is not gone.
 */
export const expireCommands = (
  sql: SqlClient.SqlClient,
  nodeId: string,
  now: number
): Effect.Effect<boolean, SqlError> =>
  Effect.gen(function* () {
    const [found] = yield* due(sql, nodeId, now)
    const { gone = [], late = [] } = found ?? {}
    if (late.length === 0 && gone.length === 0) return false
    const ending = Effect.gen(function* () {
      yield* sql`SELECT pg_advisory_xact_lock(${locks.journal})`
      if (late.length > 0) {
        const rows = yield* openRows(sql`${selectOpen(sql)} AND m.id = ANY (${uuidArray(late)}) ORDER BY m.id`)
        yield* conclude(
          sql,
          endedBy(rows, (row) => overdue(row, now)),
          now
        )
      }
      if (gone.length > 0) {
        yield* closeOfGoneNodes(sql, gone, nodeId, now)
        yield* abandonCommands(sql, gone, now)
      }
    })
    yield* sql.withTransaction(ending)
    return true
  })
