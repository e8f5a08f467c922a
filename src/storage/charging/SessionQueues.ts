/** Which sessions wait for an operator: conditions over `session s` with its review `r` and its price `p`, for lists and counts. */
import type { SqlClient, Statement } from "effect/sql"
import type { Scoped } from "../kernel/Scoped.ts"
import { heldReason } from "./SessionRows.ts"

/**
 * Whether a session is held. Held sessions are few. They are found with the two small indexes of sessions that may be held
 * (`schema/sessions.sql`), whose conditions are repeated here literally, and then checked with the usual condition. This is an array and
 * not a join because PostgreSQL assumes that most sessions that were ever held still are, and would then scan all sessions to find enough
 * of them.
 */
export const isHeld = (sql: SqlClient.SqlClient, own: Scoped, held: boolean): Statement.Fragment =>
  held
    ? own`(${heldReason(sql)} IS NOT NULL AND s.id = ANY (ARRAY(
        SELECT h.id FROM session h WHERE ${own.rowsOf("h")} AND NOT h.reviewed AND h.status <> 'INVALID'
          AND (h.held_reason IS NOT NULL OR (h.closed_as_of IS NOT NULL AND h.ended_at IS NULL))
        UNION ALL
        SELECT y.session_id FROM session_review y WHERE ${own.rowsOf("y")} AND y.held_reason IS NOT NULL AND y.released_at IS NULL)))`
    : // Nearly all are not; PostgreSQL takes it for rare that such an expression is NULL, and would read them all.
      sql`CASE WHEN ${heldReason(sql)} IS NULL THEN true END IS NOT NULL`

/**
 * The same as `needsCorrection` in the domain; price and record are compared whenever one of them is stored. Such sessions are few and are
 * found with two small indexes.
 */
export const differs = (sql: SqlClient.SqlClient, own: Scoped, needed: boolean): Statement.Fragment =>
  needed
    ? own`s.id = ANY (ARRAY(
        SELECT y.session_id FROM session_price y WHERE ${own.rowsOf("y")} AND y.differs
        UNION ALL
        SELECT h.id FROM session h WHERE ${own.rowsOf("h")} AND h.contradicted))`
    : sql`(p.differs IS NOT TRUE AND NOT s.contradicted)`
