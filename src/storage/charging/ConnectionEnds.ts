/**
 * When a connection ended whose end is not stored: from this process's memory if it held the connection, otherwise the end of the lease of
 * the node that did. All readers of past connections use this, so that they report the same time.
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

/** Replaces a connection's end by the one in memory, if this process remembers that connection. */
export const asRemembered = <Row extends Ended>(presence: Presence["Service"], chargerId: string, row: Row): Row => {
  const seen = presence.peek(chargerId)
  return seen === undefined || BigInt(seen.epoch) !== row.epoch
    ? row
    : { ...row, disconnectedAt: seen.ended?.at, reason: seen.ended?.reason }
}
