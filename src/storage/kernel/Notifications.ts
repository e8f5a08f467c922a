/**
 * Word from the database that something changed (`LISTEN`, `NOTIFY`), the same over both databases. A word may be lost while a
 * connection is made anew, so it only shortens the wait of a reader that also looks by itself now and then.
 *
 * What commits often is not announced by a trigger: PostgreSQL lets transactions that notify commit one after the other, in all of the server. Its
 * writers `ring` after the commit instead, which is at most one statement every 50 ms on a server and none in the embedded database.
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Context, Effect, Layer, Queue, Scope, Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { guarded } from "./SqlErrors.ts"
import type { Engine } from "../pglite/Engine.ts"

/** Rung after each commit of facts. */
export const journalChannel = "voltlane_journal"

/** The id of each command that ends: by a trigger of its table, and ahead of that by the journal's writer, which may say how (`commands/EndedWord.ts`). */
export const commandEndedChannel = "voltlane_command_ended"

/** The id of each charger for which a command was stored, by a trigger of the commands' table. */
export const commandWaitingChannel = "voltlane_command_waiting"

export class Notifications extends Context.Service<
  Notifications,
  {
    /**
     * Payloads of a channel, from the moment the stream is listening; an empty one also whenever words may have been missed. A slow
     * reader loses the oldest beyond 1,024. The name is a constant of the code: letters, digits and `_`.
     */
    readonly listen: (channel: string) => Stream.Stream<string>
    /**
     * Says on a channel, with an empty word, that something was committed: at once to those who listen in this process and, on a server, to the other
     * processes; again at most every 50 ms. To be run after the commit and in no transaction; it waits for nothing and never fails.
     */
    readonly ring: (channel: string) => Effect.Effect<void>
    /**
     * Gives the payload of a word that a commit of this process has sent through the database to those who listen in this process, without waiting until
     * it comes back. They get it twice.
     */
    readonly ahead: (channel: string, payload: string) => void
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

/** Between two words of `ring` on one channel. */
const ringEveryMillis = 50

/** One word at once where it was quiet, then one after each pause in which there were more. */
const makeRing = (say: (channel: string) => Effect.Effect<void>) =>
  Effect.map(Scope.Scope, (scope) => {
    /** Channels that were rung lately; true where one was rung again meanwhile. */
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
      return {
        listen: (channel) => subscribers.listen(channel, start(channel)),
        ring: yield* makeRing((channel) => Effect.sync(() => subscribers.deliver(channel, ""))),
        ahead: subscribers.deliver
      }
    })
  )

/** How a rung word begins; the ringing process follows. */
const rungBy = "rung by "

/** Pause before a lost connection is made anew. */
const retryMillis = 1_000

/** On a server: one connection of its own for all channels, made anew when it breaks. */
export const layerServerNotifications = (
  config: PgConnection.Config
): Layer.Layer<Notifications, never, SqlClient.SqlClient> =>
  Layer.effect(
    Notifications,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const subscribers = makeSubscribers()
      const scope = yield* Scope.Scope
      /** What this process rings it has heard already when it comes back from the server. */
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
