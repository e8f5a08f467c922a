/**
 * Word from the database that something changed (`LISTEN`, `NOTIFY`), the same over both databases. A word may be lost while a
 * connection is made anew, so it only shortens the wait of a reader that also looks by itself now and then.
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Context, Effect, Layer, Queue, Scope, Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { guarded } from "./SqlErrors.ts"
import type { Engine } from "../pglite/Engine.ts"

export class Notifications extends Context.Service<
  Notifications,
  {
    /**
     * Payloads of a channel, from the moment the stream is listening; an empty one also whenever words may have been missed. A slow
     * reader loses the oldest beyond 1,024. The name is a constant of the code: letters, digits and `_`.
     */
    readonly listen: (channel: string) => Stream.Stream<string>
  }
>()("voltlane/Notifications") {}

/** Beyond this a reader has not kept up and must look for itself anyway. */
const maxPending = 1_024

type Deliver = (channel: string, payload: string) => void

interface Subscribers {
  readonly channels: () => ReadonlyArray<string>
  readonly deliver: Deliver
  /** Signals all listeners that something may have been missed. */
  readonly wake: () => void
  readonly listen: (channel: string, start: Effect.Effect<void>) => Stream.Stream<string>
}

const makeSubscribers = (): Subscribers => {
  const queues = new Map<string, Set<Queue.Queue<string>>>()
  const offer = (channel: string, payload: string): void => {
    for (const queue of queues.get(channel) ?? []) Queue.offerUnsafe(queue, payload)
  }
  return {
    channels: () => [...queues.keys()],
    deliver: offer,
    wake: () => {
      for (const channel of queues.keys()) offer(channel, "")
    },
    listen: (channel, start) =>
      Stream.unwrap(
        Effect.gen(function* () {
          const queue = yield* Effect.acquireRelease(
            Queue.sliding<string>(maxPending).pipe(
              Effect.tap((queue) =>
                Effect.sync(() => {
                  const set = queues.get(channel) ?? new Set()
                  queues.set(channel, set.add(queue))
                })
              )
            ),
            (queue) => Effect.sync(() => queues.get(channel)?.delete(queue))
          )
          yield* start
          return Stream.fromQueue(queue)
        })
      )
  }
}

/** On the embedded database: LISTEN once per channel on its only session, and the engine hands over what comes. */
export const layerEngineNotifications = (engine: Engine): Layer.Layer<Notifications, never, SqlClient.SqlClient> =>
  Layer.effect(
    Notifications,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const subscribers = makeSubscribers()
      yield* Effect.acquireRelease(
        Effect.sync(() => engine.onNotice(({ channel, payload }) => subscribers.deliver(channel, payload))),
        (stop) => Effect.sync(stop)
      )
      const listening = new Set<string>()
      const start = (channel: string) =>
        Effect.suspend(() => {
          if (listening.has(channel)) return Effect.void
          listening.add(channel)
          return guarded(sql`LISTEN ${sql(channel)}`).pipe(Effect.ignore({ log: true }))
        })
      return { listen: (channel) => subscribers.listen(channel, start(channel)) }
    })
  )

/** Pause before a lost connection is made anew. */
const retryMillis = 1_000

/** On a server: one connection of its own for all channels, made anew when it breaks. */
export const layerServerNotifications = (config: PgConnection.Config): Layer.Layer<Notifications> =>
  Layer.effect(
    Notifications,
    Effect.gen(function* () {
      const subscribers = makeSubscribers()
      const scope = yield* Scope.Scope
      let listenOn: ((channel: string) => Effect.Effect<void>) | undefined

      const session: Effect.Effect<void, SqlError> = Effect.scoped(
        Effect.gen(function* () {
          const connection = yield* (yield* PgConnection.make(config)).pin
          const session = yield* Scope.Scope
          const over = yield* Queue.unbounded<SqlError>()
          const on = new Set<string>()
          const listenTo = (channel: string): Effect.Effect<void> =>
            Effect.suspend(() => {
              if (on.has(channel)) return Effect.void
              on.add(channel)
              return connection.listen(channel).pipe(
                Scope.provide(session),
                Effect.flatMap((queue) =>
                  Effect.forkIn(
                    Effect.forever(
                      Effect.map(Queue.take(queue), ({ payload }) => subscribers.deliver(channel, payload))
                    ).pipe(Effect.catch((error) => Queue.offer(over, error))),
                    session
                  )
                ),
                Effect.catch((error) => Queue.offer(over, error)),
                Effect.asVoid
              )
            })
          yield* Effect.addFinalizer(() => Effect.sync(() => (listenOn = undefined)))
          listenOn = listenTo
          yield* Effect.forEach(subscribers.channels(), listenTo, { discard: true })
          subscribers.wake()
          return yield* Effect.flatMap(Queue.take(over), Effect.fail)
        })
      )
      const forever = session.pipe(
        Effect.catch((error) => Effect.logWarning(`listening to the database was interrupted: ${error.message}`)),
        Effect.andThen(Effect.sleep(retryMillis)),
        Effect.forever
      )
      yield* Effect.forkIn(forever, scope)
      const start = (channel: string) => Effect.suspend(() => listenOn?.(channel) ?? Effect.void)
      return { listen: (channel) => subscribers.listen(channel, start(channel)) }
    })
  )
