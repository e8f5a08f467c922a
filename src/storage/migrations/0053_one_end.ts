/**
 * A connection whose node is gone ended with the node's lease, as everybody was told since. It is closed as any other is, with its fact in
 * the journal; before, it was closed by whoever found that its commands would never end, at that time and without a fact.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const from = `    UPDATE connection n SET closed_at = p_at FROM node o
    WHERE n.charger_id = ANY (v_gone) AND n.closed_at IS NULL AND o.node_id = n.node_id AND o.lease_until < p_at - interval '1 minute';
`

const to = `    PERFORM connection_close(array_agg(n.charger_id), array_agg(n.epoch::float8),
      array_agg(greatest(n.connected_at, o.lease_until)), array_agg('the node that held the connection is gone'::text))
    FROM connection n JOIN node o ON o.node_id = n.node_id
    WHERE n.charger_id = ANY (v_gone) AND n.closed_at IS NULL AND o.lease_until < p_at - interval '1 minute';
`

export const oneEnd = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [stands] = yield* sql<{ readonly text: string }>`
    SELECT pg_get_functiondef('commands_expire'::regproc) AS text`
  const parts = (stands?.text ?? "").split(from)
  if (parts.length !== 2) return yield* Effect.die(new Error(`expected to find once in commands_expire: ${from}`))
  return yield* sql.unsafe(parts.join(to))
})
