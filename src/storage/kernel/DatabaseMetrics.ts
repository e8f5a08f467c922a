/**
 * What repositories ask of the database, measured from outside of the pool, whose client shows nothing of itself: how many are at it at one time and how
 * long each takes. Both count the wait for a connection, so that more at one time than the pool has connections are those that wait.
 */
import { Context, Effect, Exit, Metric } from "effect"

const size = Metric.gauge("database_pool_connections_max", {
  description: "Connections that this process may have to its database; the embedded one has a single session"
})

const atIt = Metric.gauge("database_operations_in_progress", {
  description: "Operations of repositories that have a connection or wait for one: more than the pool has are waiting"
})

const duration = (outcome: "done" | "failed") =>
  Metric.histogram("database_operation_duration_seconds", {
    description: "How long an operation of a repository takes, the wait for a connection included",
    boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    attributes: { outcome }
  })

const done = duration("done")
const failed = duration("failed")

export const databaseMetrics = [size, atIt, done, failed]

/** Says how many connections there are at most. */
export const poolOf = (connections: number): Effect.Effect<void> => Metric.update(size, connections)

/** One operation may be made of others, which are a part of it. */
const Measured = Context.Reference<boolean>("voltlane/storage/Measured", { defaultValue: () => false })

/** Measures an operation; nothing where it is a part of one that is measured. */
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
