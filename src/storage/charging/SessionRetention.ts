/**
 * Deletes sessions after `SESSIONS_RETENTION_MONTHS`, together with their prices, records and reservations. A record without its session
 * could be neither explained nor corrected, and a session without its record would be billed again. Sessions with open work are kept
 * longer: those that are running, held or not yet billed, whose record needs a correction, or whose delivery to a partner is not settled.
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { monthsBefore } from "../../domain/values/Month.ts"
import { uuidArray } from "../kernel/Arrays.ts"
import { hourly } from "../kernel/Hourly.ts"
import { deletedInPieces } from "../kernel/InPieces.ts"
import { locks } from "../kernel/Locks.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { endedAt, heldReason, withReview } from "./SessionRows.ts"

/** How many sessions are deleted in one transaction, which holds the journal's lock. */
const sessionRows = 200

const pieces = { rows: sessionRows, statements: 50 }

/** Objects that still have to be sent to partners, or are parked for an operator. */
const unsettled = (sql: SqlClient.SqlClient, kind: "session" | "cdr") => sql`
  SELECT o.object_id FROM subscription_object o WHERE o.kind = ${kind} AND (o.next_at IS NOT NULL OR o.parked_at IS NOT NULL)`

/** Ids begin with the time at which the start was received, so the primary key gives the oldest first. */
const due = (sql: SqlClient.SqlClient, before: Date, rows: number) => sql<{ readonly id: string }>`
  SELECT s.id FROM session s ${withReview(sql)}
  WHERE s.id < uuid_at(${before}) AND ${heldReason(sql)} IS NULL AND s.updated_at < ${before}
    AND coalesce(${endedAt(sql)}, CASE WHEN s.status = 'INVALID' THEN s.updated_at END) < ${before}
    AND NOT s.contradicted AND NOT EXISTS (SELECT 1 FROM session_price p WHERE p.session_id = s.id AND p.differs)
    AND (s.status <> 'COMPLETED' OR EXISTS (SELECT 1 FROM cdr d WHERE d.session_id = s.id)
      OR NOT EXISTS (SELECT 1 FROM session_tariff t WHERE t.session_id = s.id))
    AND NOT EXISTS (SELECT 1 FROM cdr d WHERE d.session_id = s.id
      AND (d.issued_at >= ${before} OR d.id::text IN (${unsettled(sql, "cdr")})))
    AND s.id::text NOT IN (${unsettled(sql, "session")})
  ORDER BY s.id LIMIT ${rows}::int`

/**
 * Deletes some of the oldest sessions that ended before a time, with all that belongs to them; returns their ids. The review is deleted
 * before its session, since both change the organisation's sum.
 */
export const forgetSessions = (sql: SqlClient.SqlClient, before: number, rows = sessionRows) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SELECT pg_advisory_xact_lock(${locks.journal})`
      const found = yield* due(sql, new Date(before), rows)
      const ids = found.map(({ id }) => id)
      if (ids.length === 0) return ids
      const these = sql`ANY (${uuidArray(ids)})`
      yield* sql`DELETE FROM session_review WHERE session_id = ${these}`
      yield* sql`DELETE FROM session_price WHERE session_id = ${these}`
      yield* sql`DELETE FROM session_tariff WHERE session_id = ${these}`
      yield* sql`DELETE FROM reservation WHERE session_id = ${these}`
      // Allows the deletion of records until the transaction ends; otherwise records cannot be deleted.
      yield* sql`SELECT set_config('voltlane.retention', 'on', true)`
      yield* sql`DELETE FROM cdr WHERE session_id = ${these}`
      yield* sql`DELETE FROM session WHERE id = ${these}`
      return ids
    })
  )

/** Deletes transaction messages without a session after the same time; those of a session that is kept are kept too. */
export const forgetOrphans = (sql: SqlClient.SqlClient, before: number, rows = sessionRows) => sql`
  DELETE FROM orphan WHERE id = ANY (ARRAY(
    SELECT o.id FROM orphan o
    WHERE o.id < uuid_at(${new Date(before)}) AND NOT EXISTS (SELECT 1 FROM session s WHERE s.id IN (o.session_id, o.contradicts))
    ORDER BY o.id LIMIT ${rows}::int))
  RETURNING id`

/** One round at `now` (ms since 1970); returns how many sessions and messages were deleted. */
export const forget = (sql: SqlClient.SqlClient, months: number, now: number) => {
  const before = monthsBefore(now, months)
  return guarded(
    Effect.zipWith(
      deletedInPieces(pieces, (rows) => forgetSessions(sql, before, rows)),
      deletedInPieces(pieces, (rows) => forgetOrphans(sql, before, rows)),
      (sessions, orphans) => ({ sessions, orphans })
    )
  )
}

/** Runs at the start and every hour; does nothing without a retention time. */
export const layer = (months: number | undefined): Layer.Layer<never, never, SqlClient.SqlClient> =>
  months === undefined
    ? Layer.empty
    : Layer.effectDiscard(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const round = Effect.suspend(() => forget(sql, months, Date.now()))
          yield* hourly("retention: old sessions could not be deleted", round)
        })
      )
