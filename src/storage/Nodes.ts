/**
 * This process among several: a lease that says it lives, renewed in one statement for all its connections. A starting process first ends
 * every connection that an earlier life of its own left open.
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { guarded } from "./SqlErrors.ts"

export interface NodeOptions {
  readonly nodeId: string
  /** How long the lease runs without being renewed, in ms; it is renewed three times as often. */
  readonly leaseMillis: number
}

/** In the journal as any other end of a connection: when it truly ended nobody knows, and what is sure is that it has by now. */
const endEarlierLife = (sql: SqlClient.SqlClient, nodeId: string) => sql`
  SELECT connection_close(array_agg(n.charger_id), array_agg(n.epoch::float8), array_agg(now()),
    array_agg('the service ended without a farewell'::text))
  FROM connection n WHERE n.node_id = ${nodeId} AND n.closed_at IS NULL`

const renew = (sql: SqlClient.SqlClient, options: NodeOptions) => sql`
  INSERT INTO node (node_id, started_at, lease_until)
  VALUES (${options.nodeId}, now(), now() + make_interval(secs => ${options.leaseMillis / 1000}::float8))
  ON CONFLICT (node_id) DO UPDATE SET lease_until = excluded.lease_until`

/** Ends what an earlier life left open, takes the lease and keeps it until the layer is closed. */
export const layer = (options: NodeOptions): Layer.Layer<never, never, SqlClient.SqlClient> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* Effect.orDie(guarded(endEarlierLife(sql, options.nodeId)))
      yield* Effect.orDie(guarded(renew(sql, options)))
      yield* Effect.addFinalizer(() =>
        Effect.ignore(guarded(sql`UPDATE node SET lease_until = now() WHERE node_id = ${options.nodeId}`))
      )
      const keep = guarded(renew(sql, options)).pipe(
        Effect.catchCause((cause) => Effect.logWarning("node lease: not renewed", cause)),
        Effect.delay(options.leaseMillis / 3)
      )
      yield* Effect.forkScoped(Effect.forever(keep))
    })
  )
