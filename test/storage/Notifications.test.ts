/** A listener on a server outlives its connection, and learns that it may have missed something. */
import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Queue, Redacted, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { Journal } from "../../src/domain/charger/Journal.ts"
import * as JournalStorage from "../../src/storage/charging/Journal.ts"
import { journalChannel, layerServerNotifications, Notifications } from "../../src/storage/kernel/Notifications.ts"
import { forEachDatabase, forEachDriver } from "../support/databases.ts"
import { seedChargers, transferred } from "../support/journalFacts.ts"
import { testUrl } from "../support/tried.ts"

const journal = JournalStorage.layer({ maxBatchFacts: 500, maxWaiting: 1000, patienceMillis: 1000 })

/** The notifications that a listener receives. */
const hear = (channel: string) =>
  Effect.gen(function* () {
    const notifications = yield* Notifications
    const heard = yield* Queue.unbounded<string>()
    yield* Effect.forkScoped(Stream.runForEach(notifications.listen(channel), (word) => Queue.offer(heard, word)))
    return heard
  })

/** Notifies until the word is received, since listening begins with a delay. */
const echo = (channel: string, heard: Queue.Queue<string>, word: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const speak = Effect.forever(Effect.andThen(sql`SELECT pg_notify(${channel}, ${word})`, Effect.sleep("20 millis")))
    const listen: Effect.Effect<void> = Effect.flatMap(Queue.take(heard), (said) =>
      said === word ? Effect.void : listen
    )
    yield* Effect.raceFirst(listen, Effect.orDie(speak))
  })

forEachDatabase(
  "Notifications",
  (it, driver) => {
    it.effect("serve a channel that gets its first listener later", () =>
      Effect.gen(function* () {
        const early = yield* hear("early")
        yield* echo("early", early, "a")
        const late = yield* hear("late")
        yield* echo("late", late, "b")
        yield* echo("early", early, "c")
      })
    )

    it.effect("drop a listener that has gone, and serve the next one on the same channel", () =>
      Effect.gen(function* () {
        yield* Effect.scoped(Effect.flatMap(hear("again"), (heard) => echo("again", heard, "a")))
        yield* echo("again", yield* hear("again"), "b")
      })
    )

    it.effect("are sent immediately after a pause, and once more for all that follow soon after", () =>
      Effect.gen(function* () {
        const notifications = yield* Notifications
        const heard = yield* hear("bell")
        yield* echo("bell", heard, "listening")
        yield* Effect.sleep("60 millis")
        yield* Queue.clear(heard)
        yield* notifications.ring("bell")
        assert.strictEqual(yield* Queue.take(heard), "")
        for (let n = 0; n < 100; n++) yield* notifications.ring("bell")
        assert.strictEqual(yield* Queue.take(heard), "")
        yield* Effect.sleep("200 millis")
        assert.deepStrictEqual(yield* Queue.clear(heard), [])
        yield* notifications.ring("bell")
        assert.strictEqual(yield* Queue.take(heard), "")
      })
    )

    if (driver.name === "PGlite") return

    it.effect("reach the other processes on the same database, and their own process once", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [here] = yield* sql<{ name: string }>`SELECT current_database() AS name`
        const url = new URL(testUrl ?? "")
        url.pathname = `/${here?.name ?? ""}`
        const other = yield* Layer.build(Layer.fresh(layerServerNotifications({ url: Redacted.make(url.href) })))
        const [own, theirs] = [yield* Notifications, Context.get(other, Notifications)]
        const heard = yield* hear("shared")
        const elsewhere = yield* Effect.provide(hear("shared"), other)
        yield* echo("shared", elsewhere, "listening")
        yield* echo("shared", heard, "listening too")
        yield* Effect.sleep("60 millis")
        yield* Queue.clear(heard)
        yield* Queue.clear(elsewhere)
        yield* own.ring("shared")
        const sought: Effect.Effect<void> = Effect.flatMap(Queue.take(elsewhere), (word) =>
          word === "" ? Effect.void : sought
        )
        yield* sought
        yield* theirs.ring("shared")
        const received = [yield* Queue.take(heard), yield* Queue.take(heard)]
        assert.deepStrictEqual(received, ["", ""])
        assert.deepStrictEqual(yield* Queue.clear(heard), [])
      })
    )

    it.effect("continue after the connection breaks, with an empty one that signals a possible loss", () =>
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

forEachDriver("The journal's notifications", journal, (it) => {
  it.effect("are sent by the writers of facts after the commit, and not by a trigger", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const triggers = yield* sql<{ body: string }>`
        SELECT p.prosrc AS body FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
        WHERE t.tgrelid = 'journal'::regclass AND NOT t.tgisinternal`
      assert.isNotEmpty(triggers)
      for (const { body } of triggers) assert.notMatch(body, /notify/i)
      const heard = yield* hear(journalChannel)
      yield* echo(journalChannel, heard, "listening")
      const seeded = yield* seedChargers(["RUNG"])
      const { commit } = yield* Journal
      yield* commit([transferred(seeded, "RUNG", "rung")])
      // The word was sent repeatedly, and some of it may arrive late.
      let word = "listening"
      while (word === "listening") word = yield* Queue.take(heard)
      assert.strictEqual(word, "")
    })
  )
})
