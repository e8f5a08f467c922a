/**
 * This process among several: a database lock on its name ensures that no two processes have the same one, and a lease says that it is
 * running. A starting process first closes every connection that its predecessor with the same name left open.
 */
import { Data, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { StorageHealth } from "../../domain/values/StorageHealth.ts"
import { abandonCommands } from "../commands/CommandEnds.ts"
import { locks } from "../kernel/Locks.ts"
import { guarded } from "../kernel/SqlErrors.ts"

/** Another running process has this name. */
export class NodeIdInUse extends Data.TaggedError("NodeIdInUse")<{ readonly message: string }> {}

export interface NodeOptions {
  readonly nodeId: string
  /** How long the lease is valid without renewal, in ms; it is renewed three times in that time. */
  readonly leaseMillis: number
}

/**
 * How often the lock is tried, and the pause between tries: 5 s in all. After `kill -9`, the database notices the closed socket of the old
 * process at once or at the end of its statement.
 */
const tries = 40
const betweenTriesMillis = 125

/** How often to check that the connection with the lock is still open. */
const lockLookMillis = 5_000

/**
 * Holds the node's name on a connection of its own until the scope closes. A session's lock ends with its process, however that ends. If
 * the connection breaks (the database restarts), the lock is taken again; until then, only the lease shows that this node is running.
 */
const holdName = (sql: SqlClient.SqlClient, nodeId: string) => {
  const lock = Effect.gen(function* () {
    const connection = yield* sql.reserve
    const take = Effect.map(
      connection.executeValues("SELECT pg_try_advisory_lock(hashtextextended($1, $2))", [nodeId, locks.nodes]),
      (rows) => rows[0]?.[0] === true
    )
    for (let n = 0; n < tries; n++) {
      if (yield* take) return connection
      yield* Effect.sleep(betweenTriesMillis)
    }
    return undefined
  })
  const keep = Effect.scoped(
    Effect.flatMap(lock, (connection) =>
      connection === undefined
        ? Effect.void
        : Effect.forever(Effect.delay(connection.executeValues("SELECT 1", []), lockLookMillis))
    )
  )
  return { lock, keep: Effect.ignore(keep) }
}

const inUse = (nodeId: string) =>
  new NodeIdInUse({
    message: `${nodeId} is the name of another process that runs on this database; choose another name, or stop that process`
  })

/**
 * Closes the connections of an earlier process, with the usual facts in the journal. When they really ended is unknown; they have ended by
 * now. Answers since the lease ran out have said that they ended then, so that time is used.
 */
const endEarlierLife = (sql: SqlClient.SqlClient, nodeId: string) =>
  sql.withTransaction(
    Effect.gen(function* () {
      const [ended] = yield* sql<{ chargers: ReadonlyArray<string> | null }>`
        SELECT json_agg(n.charger_id) AS chargers, connection_close(array_agg(n.charger_id), array_agg(n.epoch::float8),
          array_agg(greatest(n.connected_at, least(now(), l.lease_until))), array_agg('the service ended without a farewell'::text))
        FROM connection n LEFT JOIN node l ON l.node_id = n.node_id WHERE n.node_id = ${nodeId} AND n.closed_at IS NULL`
      yield* abandonCommands(sql, ended?.chargers ?? [])
    })
  )

const renew = (sql: SqlClient.SqlClient, options: NodeOptions) => sql`
  INSERT INTO node (node_id, started_at, lease_until)
  VALUES (${options.nodeId}, now(), now() + make_interval(secs => ${options.leaseMillis / 1000}::float8))
  ON CONFLICT (node_id) DO UPDATE SET lease_until = excluded.lease_until`

/** Takes the node's name, closes the connections that an earlier process left open, takes the lease and renews it until the layer is closed. */
export const layer = (options: NodeOptions) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { kind } = yield* StorageHealth
      // The embedded database has only one session, and a lock file of its own.
      if (kind === "postgres") {
        const { keep, lock } = holdName(sql, options.nodeId)
        const connection = yield* guarded(lock)
        if (connection === undefined) return yield* inUse(options.nodeId)
        const held = Effect.ignore(
          Effect.forever(Effect.delay(connection.executeValues("SELECT 1", []), lockLookMillis))
        )
        yield* Effect.forkScoped(Effect.andThen(held, Effect.forever(Effect.delay(keep, lockLookMillis))))
      }
      yield* guarded(endEarlierLife(sql, options.nodeId))
      yield* guarded(renew(sql, options))
      yield* Effect.addFinalizer(() =>
        Effect.ignore(guarded(sql`UPDATE node SET lease_until = now() WHERE node_id = ${options.nodeId}`))
      )
      const renewal = guarded(renew(sql, options)).pipe(
        Effect.catchCause((cause) => Effect.logWarning("node lease: could not be renewed", cause)),
        Effect.delay(options.leaseMillis / 3)
      )
      yield* Effect.forkScoped(Effect.forever(renewal))
    })
  )
