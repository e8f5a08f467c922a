/**
 * Metrics of database use. The client shows nothing of its pool, so operations of repositories are counted and timed outside it. Both
 * metrics include the wait for a connection: if more operations run than the pool has connections, the rest are waiting.
 */
import { Context, Effect, Exit, Metric } from "effect"

const size = Metric.gauge("database_pool_connections_max", {
  description:
    "Maximum number of connections from this process to its database; the embedded database has a single session"
})

const atIt = Metric.gauge("database_operations_in_progress", {
  description:
    "Operations of repositories that have a connection or wait for one; those beyond the size of the pool are waiting"
})

const duration = (outcome: "done" | "failed") =>
  Metric.histogram("database_operation_duration_seconds", {
    description: "Duration of an operation of a repository, including the wait for a connection",
    boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    attributes: { outcome }
  })

const done = duration("done")
const failed = duration("failed")

export const databaseMetrics = [size, atIt, done, failed]

/** Sets the metric for the pool's maximum number of connections. */
export const poolOf = (connections: number): Effect.Effect<void> => Metric.update(size, connections)

/** True within a measured operation: operations may contain others, which are not measured separately. */
const Measured = Context.Reference<boolean>("voltlane/storage/Measured", { defaultValue: () => false })

/** Measures an operation, unless it is part of another one that is measured. */
export const measured = <A, E, R>(operation: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.contextWith((context: Context.Context<R>) => {
    if (Context.get(context, Measured)) return operation
    const began = performance.now()
    atIt.modifyUnsafe(1, context as Context.Context<never>)
    return Effect.onExit(Effect.provideService(operation, Measured, true), (exit) =>
      Effect.sync(() => {
        atIt.modifyUnsafe(-1, context as Context.Context<never>)
        const outcome = Exit.isSuccess(exit) ? done : failed
        outcome.updateUnsafe((performance.now() - began) / 1000, context as Context.Context<never>)
      })
    )
  })
