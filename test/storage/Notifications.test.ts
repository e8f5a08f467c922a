/** A listener on a server outlives its connection, and is told that it may have missed something. */
import { assert } from "@effect/vitest"
import { Effect, Queue, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { Notifications } from "../../src/storage/kernel/Notifications.ts"
import { forEachDatabase } from "../support/databases.ts"

/** What a listener hears, as it comes. */
const hear = (channel: string) =>
  Effect.gen(function* () {
    const notifications = yield* Notifications
    const heard = yield* Queue.unbounded<string>()
    yield* Effect.forkScoped(Stream.runForEach(notifications.listen(channel), (word) => Queue.offer(heard, word)))
    return heard
  })

forEachDatabase(
  "Notifications",
  (it, driver) => {
    /** Speaks until the word is heard, since listening begins in its own time. */
    const echo = (channel: string, heard: Queue.Queue<string>, word: string) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const speak = Effect.forever(
          Effect.andThen(sql`SELECT pg_notify(${channel}, ${word})`, Effect.sleep("20 millis"))
        )
        const listen: Effect.Effect<void> = Effect.flatMap(Queue.take(heard), (said) =>
          said === word ? Effect.void : listen
        )
        yield* Effect.raceFirst(listen, Effect.orDie(speak))
      })

    it.effect("serves a channel that somebody begins to listen to later", () =>
      Effect.gen(function* () {
        const early = yield* hear("early")
        yield* echo("early", early, "a")
        const late = yield* hear("late")
        yield* echo("late", late, "b")
        yield* echo("early", early, "c")
      })
    )

    it.effect("forgets a listener that has gone, and serves the next on the same channel", () =>
      Effect.gen(function* () {
        yield* Effect.scoped(Effect.flatMap(hear("again"), (heard) => echo("again", heard, "a")))
        yield* echo("again", yield* hear("again"), "b")
      })
    )

    if (driver.name === "PGlite") return

    it.effect("listens again when its connection breaks, and says with an empty word that some may be lost", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const heard = yield* hear("stubborn")
        yield* echo("stubborn", heard, "before")
        const killed = yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND query LIKE 'LISTEN%'`
        assert.isAtLeast(killed.length, 1)
        const wake: Effect.Effect<void> = Effect.flatMap(Queue.take(heard), (word) =>
          word === "" ? Effect.void : wake
        )
        yield* wake
        yield* echo("stubborn", heard, "after")
      })
    )
  },
  { migrations: {} }
)
