/**
 * Notifications from the database that something changed (`LISTEN`, `NOTIFY`), with the same interface for both databases. A notification
 * may be lost during a reconnect. Readers must therefore also poll now and then; notifications only make them faster.
 *
 * Frequent commits are not announced by a trigger, because PostgreSQL commits transactions that notify one after the other, server-wide.
 * Their writers call `ring` after the commit instead. That is at most one statement every 50 ms on a server and none in the embedded
 * database.
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Context, Effect, Layer, Queue, Scope, Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { guarded } from "./SqlErrors.ts"
import type { Engine } from "../pglite/Engine.ts"

/** `ring` is called on it after each commit of facts. */
export const journalChannel = "voltlane_journal"

/**
 * Carries the id of each command that ends. A trigger of the command table sends it. The journal's writer sends it earlier within its
 * process, and may add how the command ended (`commands/EndedPayload.ts`).
 */
export const commandEndedChannel = "voltlane_command_ended"

/** Carries the id of each charger for which a command was stored; sent by a trigger of the command table. */
export const commandWaitingChannel = "voltlane_command_waiting"

export class Notifications extends Context.Service<
  Notifications,
  {
    /**
     * The payloads of a channel, from the moment the stream is listening. An empty payload also means that notifications may have been
     * missed. A slow reader loses the oldest beyond 1,024. The channel's name must be a constant of the code with letters, digits and `_`
     * only.
     */
    readonly listen: (channel: string) => Stream.Stream<string>
    /**
     * Sends an empty notification on a channel after a commit: at once to listeners in this process and, on a server, to the other
     * processes. Further calls are combined to at most one notification every 50 ms. Call it after the commit and outside any transaction.
     * It does not wait and never fails.
     */
    readonly ring: (channel: string) => Effect.Effect<void>
    /**
     * Delivers a notification to listeners in this process at once, when a commit of this process has also sent it through the database.
     * They get it twice.
     */
    readonly ahead: (channel: string, payload: string) => void
  }
>()("voltlane/Notifications") {}

/** A reader with more pending notifications has not kept up and must poll anyway. */
const maxPending = 1_024

type Deliver = (channel: string, payload: string) => void

interface Subscribers {
  readonly channels: () => ReadonlyArray<string>
  readonly deliver: Deliver
  /** Signals all listeners that notifications may have been missed. */
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

/** The shortest time between two notifications of `ring` on one channel. */
const ringEveryMillis = 50

/** Notifies at once if the channel was idle, and after each pause in which it was rung again. */
const makeRing = (say: (channel: string) => Effect.Effect<void>) =>
  Effect.map(Scope.Scope, (scope) => {
    /** Channels in their pause; true if the channel was rung again during it. */
    const resting = new Map<string, boolean>()
    const sound = (channel: string): Effect.Effect<void> =>
      Effect.gen(function* () {
        do {
          resting.set(channel, false)
          yield* say(channel)
          yield* Effect.sleep(ringEveryMillis)
        } while (resting.get(channel) === true)
        resting.delete(channel)
      })
    return (channel: string): Effect.Effect<void> =>
      Effect.suspend(() => {
        const isResting = resting.has(channel)
        resting.set(channel, isResting)
        return isResting ? Effect.void : Effect.asVoid(Effect.forkIn(sound(channel), scope))
      })
  })

/** On the embedded database: one LISTEN per channel on its only session; the engine delivers the notifications. */
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
      return {
        listen: (channel) => subscribers.listen(channel, start(channel)),
        ring: yield* makeRing((channel) => Effect.sync(() => subscribers.deliver(channel, ""))),
        ahead: subscribers.deliver
      }
    })
  )

/** The payload of `ring` begins with this, followed by the id of the ringing process. */
const rungBy = "rung by "

/** The pause before a lost connection is reopened. */
const retryMillis = 1_000

/** On a server: one dedicated connection for all channels, which is reopened when it breaks. */
export const layerServerNotifications = (
  config: PgConnection.Config
): Layer.Layer<Notifications, never, SqlClient.SqlClient> =>
  Layer.effect(
    Notifications,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const subscribers = makeSubscribers()
      const scope = yield* Scope.Scope
      /** The payload of this process's own `ring` calls. Its listeners have them already when they come back from the server. */
      const ownWord = `${rungBy}${crypto.randomUUID()}`
      const heard = (channel: string, payload: string): void => {
        if (payload.startsWith(rungBy)) {
          if (payload !== ownWord) subscribers.deliver(channel, "")
        } else subscribers.deliver(channel, payload)
      }
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
                    Effect.forever(Effect.map(Queue.take(queue), ({ payload }) => heard(channel, payload))).pipe(
                      Effect.catch((error) => Queue.offer(over, error))
                    ),
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
      const notify = (channel: string) => Effect.ignore(guarded(sql`SELECT pg_notify(${channel}, ${ownWord})`))
      return {
        listen: (channel) => subscribers.listen(channel, start(channel)),
        ring: yield* makeRing((channel) =>
          Effect.suspend(() => {
            subscribers.deliver(channel, "")
            return notify(channel)
          })
        ),
        ahead: subscribers.deliver
      }
    })
  )
