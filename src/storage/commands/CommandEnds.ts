/**
 * The ends of commands, and what follows from them: in the transaction that ends a command the rows that depend on it are read, the domain
 * decides what becomes of them, and they are written. Commands end here where no charger will answer them; where one does, the journal
 * (`charging/Journal.ts`) asks for what follows.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { abandoned, leaseGraceMillis, overdue, type Unanswered } from "../../domain/command/Unanswered.ts"
import { textArray, uuidArray } from "../kernel/Arrays.ts"
import { appendOnce } from "../kernel/Facts.ts"
import { journalLock } from "../kernel/JournalLock.ts"
import { Millis, optional, rowsOf } from "../kernel/Rows.ts"
import { followCredentials } from "./CredentialEnds.ts"
import { endedCommands, isFollowed, openCommands } from "./EndedCommands.ts"
import { followLists } from "./LocalListEnds.ts"
import { followProfiles } from "./ProfileChanges.ts"
import { followReservations } from "./ReservationEnds.ts"

/** Commands that are ended in one sweep at most; the next one comes a second later. */
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

/** What follows from commands that have ended in this transaction, which has the journal's lock. Others among them are left alone. */
export const followEnds = (sql: SqlClient.SqlClient, ids: ReadonlyArray<string>): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    if (ids.length === 0) return
    const ended = yield* endedCommands(sql, ids)
    yield* followLists(sql, ended)
    yield* followReservations(sql, ended)
    yield* followCredentials(sql, ended)
    yield* followProfiles(sql, ended)
  })

/** A transaction that may end these commands, with all that follows from those of them that it has ended. */
export const endingCommands = <A, E>(
  sql: SqlClient.SqlClient,
  ids: ReadonlyArray<string>,
  write: Effect.Effect<A, E>
): Effect.Effect<A, E | SqlError> =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SELECT pg_advisory_xact_lock(${journalLock})`
      const open = yield* openCommands(sql, ids)
      const result = yield* write
      yield* followEnds(
        sql,
        open.map(({ id }) => id)
      )
      return result
    })
  )

/** Ends commands by facts, from which their rows follow by the trigger on the journal. */
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
 * Ends what cannot end by itself at these chargers: sent by a connection that is gone, or not allowed to wait for one. In a transaction
 * that has the journal's lock. `at` is the database's time where it is left out.
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

/** Commands that may have waited for too long, and chargers with commands of a connection that is gone. */
const due = (sql: SqlClient.SqlClient, now: number) =>
  dueRows(sql`
    SELECT (
      SELECT json_agg(l.id) FROM (
        SELECT id FROM command WHERE status = 'Pending' AND expires_at <= ${new Date(now)} ORDER BY expires_at LIMIT ${overdueAtMost}::int) l
    ) AS late, (
      SELECT json_agg(DISTINCT m.charger_id)
      FROM command m JOIN connection n ON n.charger_id = m.charger_id LEFT JOIN node o ON o.node_id = n.node_id
      WHERE m.status IN ('Pending', 'Sent') AND (m.status = 'Sent' OR m.expires_at IS NULL)
        AND (n.closed_at IS NOT NULL OR n.epoch <> m.sent_epoch OR o.lease_until IS NULL OR o.lease_until < ${new Date(now - leaseGraceMillis)})
    ) AS gone`)

/** The connections of nodes that are gone ended with the lease, and are closed by a fact. */
const closeOfGoneNodes = (sql: SqlClient.SqlClient, chargers: ReadonlyArray<string>, now: number) => sql`
  SELECT connection_close(array_agg(n.charger_id), array_agg(n.epoch::float8),
    array_agg(greatest(n.connected_at, o.lease_until)), array_agg('the node that held the connection is gone'::text))
  FROM connection n JOIN node o ON o.node_id = n.node_id
  WHERE n.charger_id = ANY (${textArray(chargers)}) AND n.closed_at IS NULL AND o.lease_until < ${new Date(now - leaseGraceMillis)}`

/** Ends what waited too long, and what was sent by a node that is gone. */
export const expireCommands = (sql: SqlClient.SqlClient, now: number): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const [found] = yield* due(sql, now)
    const { gone = [], late = [] } = found ?? {}
    if (late.length === 0 && gone.length === 0) return
    const ending = Effect.gen(function* () {
      yield* sql`SELECT pg_advisory_xact_lock(${journalLock})`
      if (late.length > 0) {
        const rows = yield* openRows(sql`${selectOpen(sql)} AND m.id = ANY (${uuidArray(late)}) ORDER BY m.id`)
        yield* conclude(
          sql,
          endedBy(rows, (row) => overdue(row, now)),
          now
        )
      }
      if (gone.length > 0) {
        yield* closeOfGoneNodes(sql, gone, now)
        yield* abandonCommands(sql, gone, now)
      }
    })
    yield* sql.withTransaction(ending)
  })
