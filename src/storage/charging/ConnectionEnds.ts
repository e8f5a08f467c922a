/**
 * When a connection ended of which the database has no end: as the memory of this process has it where it held the connection, and else
 * with the lease of the node that did. Every reader of past connections asks here, so that all tell the same time.
 */
import type { SqlClient } from "effect/sql"
import type { Presence } from "../../domain/charger/Presence.ts"

export const goneReason = "the node that held the connection is gone"

/** Joins to a row `h` of the history, as `e`, the end of a connection that its node left open. */
export const leftOpen = (sql: SqlClient.SqlClient) => sql`
  LEFT JOIN LATERAL (
    SELECT l.lease_until AS at, ${goneReason}::text AS reason FROM connection n JOIN node l ON l.node_id = n.node_id
    WHERE n.charger_id = h.charger_id AND n.epoch = h.epoch AND n.closed_at IS NULL AND l.lease_until <= now()
  ) e ON h.disconnected_at IS NULL`

interface Ended {
  readonly epoch: bigint
  readonly disconnectedAt?: number | undefined
  readonly reason?: string | undefined
}

/** A connection of a charger with its end as memory has it, where memory knows that connection. */
export const asRemembered = <Row extends Ended>(presence: Presence["Service"], chargerId: string, row: Row): Row => {
  const seen = presence.peek(chargerId)
  return seen === undefined || BigInt(seen.epoch) !== row.epoch
    ? row
    : { ...row, disconnectedAt: seen.ended?.at, reason: seen.ended?.reason }
}
