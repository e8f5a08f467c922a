import { assert } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { Presence } from "../../src/domain/charger/Presence.ts"
import * as LastSeen from "../../src/storage/charging/LastSeen.ts"
import { forEachDatabase } from "../support/databases.ts"
import { noon, seedChargers } from "../support/journalFacts.ts"
import { statementsOf } from "../support/statements.ts"

/** Nothing is flushed by the clock here, so that each test decides when to flush. */
const never = 3_600_000

const settings: LastSeen.LastSeenOptions = {
  flushEveryMillis: never,
  maxBatch: 1000,
  maxBatchBytes: 1_000_000,
  maxMessageBytes: 1000,
  keepEndsMillis: never
}

/** A presence of its own; what it holds is flushed when `use` ends. */
const withPresence = <A, E, R>(
  use: (presence: Presence["Service"]) => Effect.Effect<A, E, R>,
  options: Partial<LastSeen.LastSeenOptions> = {}
) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(LastSeen.layer({ ...settings, ...options }))
    return yield* Effect.provide(Effect.flatMap(Presence, use), context)
  }).pipe(Effect.scoped)

/** What the database has of a charger. */
const flushed = (chargerId: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ at: number; message: string }>`
      SELECT (extract(epoch FROM last_seen) * 1000)::float8 AS at, last_message AS message
      FROM charger_seen WHERE charger_id = ${chargerId}`
    return row && [row.at, row.message]
  })

forEachDatabase("when each charger was last heard", (it) => {
  it.effect("is in memory immediately, and in the database after a shutdown", () =>
    Effect.gen(function* () {
      yield* seedChargers(["S-1"])
      yield* withPresence((presence) =>
        Effect.gen(function* () {
          assert.isUndefined(presence.peek("S-1"))
          presence.opened("S-1", 7)
          const silent = { epoch: 7, lastSeen: undefined, lastMessage: "", ended: undefined }
          assert.deepStrictEqual(presence.peek("S-1"), silent, "the database knows its last words")
          presence.heard("S-1", noon + 1, "[first]")
          presence.heard("S-1", noon + 2, "[second]")
          assert.deepStrictEqual(presence.peek("S-1"), {
            epoch: 7,
            lastSeen: noon + 2,
            lastMessage: "[second]",
            ended: undefined
          })
          assert.isUndefined(yield* flushed("S-1"))
        })
      )
      assert.deepStrictEqual(yield* flushed("S-1"), [noon + 2, "[second]"])
    })
  )

  it.effect("is written with one statement for all chargers, however many messages they sent", () =>
    Effect.gen(function* () {
      const ids = Array.from({ length: 50 }, (_, n) => `S-2-${n}`)
      yield* seedChargers(ids)
      const sent = yield* statementsOf(
        withPresence(({ heard, opened }) =>
          Effect.sync(() => {
            for (const id of ids) opened(id, 1)
            for (let n = 0; n < 20; n++) for (const id of ids) heard(id, noon + n, `[${id},${n}]`)
          })
        )
      )
      assert.lengthOf(sent, 1)
      assert.deepStrictEqual(yield* flushed("S-2-0"), [noon + 19, "[S-2-0,19]"])
      assert.deepStrictEqual(yield* flushed("S-2-49"), [noon + 19, "[S-2-49,19]"])
    })
  )

  it.effect("is written with more statements when there are more chargers than `maxBatch`", () =>
    Effect.gen(function* () {
      const ids = Array.from({ length: 7 }, (_, n) => `S-3-${n}`)
      yield* seedChargers(ids)
      const sent = yield* statementsOf(
        withPresence(
          ({ heard }) =>
            Effect.sync(() => {
              for (const id of ids) heard(id, noon, "[x]")
            }),
          { maxBatch: 3 }
        )
      )
      assert.lengthOf(sent, 3)
      assert.deepStrictEqual(
        yield* Effect.forEach(ids, flushed),
        ids.map(() => [noon, "[x]"])
      )
    })
  )

  it.effect("includes the beginning of a long frame, and takes more statements for many long frames", () =>
    Effect.gen(function* () {
      const ids = Array.from({ length: 6 }, (_, n) => `S-9-${n}`)
      yield* seedChargers(ids)
      const cut = `${"x".repeat(996)}…`
      const sent = yield* statementsOf(
        withPresence(
          ({ heard, peek }) =>
            Effect.sync(() => {
              for (const id of ids) heard(id, noon, `${"x".repeat(996)}${"é".repeat(500_000)}`)
              assert.strictEqual(peek("S-9-0")?.lastMessage, cut)
            }),
          { maxBatchBytes: 2500 }
        )
      )
      assert.lengthOf(sent, 3)
      assert.deepStrictEqual(
        yield* Effect.forEach(ids, flushed),
        ids.map(() => [noon, cut])
      )
    })
  )

  it.effect("is never set back by an older time", () =>
    Effect.gen(function* () {
      yield* seedChargers(["S-4"])
      yield* withPresence(({ heard }) => Effect.sync(() => heard("S-4", noon + 60_000, "[new]")))
      yield* withPresence(({ heard }) => Effect.sync(() => heard("S-4", noon, "[old]")))
      assert.deepStrictEqual(yield* flushed("S-4"), [noon + 60_000, "[new]"])
      yield* withPresence(({ heard }) => Effect.sync(() => heard("S-4", noon + 60_001, "[newer]")))
      assert.deepStrictEqual(yield* flushed("S-4"), [noon + 60_001, "[newer]"])
    })
  )

  it.effect("includes the end of a connection until a while after it is stored, and then nothing", () =>
    Effect.gen(function* () {
      yield* seedChargers(["S-5", "S-5-silent"])
      const until = (holds: () => boolean) =>
        Effect.gen(function* () {
          while (!holds()) yield* Effect.sleep(1)
        })
      yield* withPresence(
        (presence) =>
          Effect.gen(function* () {
            const end = { at: noon + 500, reason: "the line broke off" }
            presence.opened("S-5", 3)
            presence.heard("S-5", noon, "[last words]")
            presence.closed("S-5", 3, end)
            presence.opened("S-5-silent", 4)
            presence.closed("S-5-silent", 4, end)
            presence.closed("S-5-silent", 4, { at: noon + 600, reason: "again" })
            presence.closed("S-5-never", 1, end)
            // Stored ends are forgotten, while theirs, which are not stored, remain.
            presence.opened("S-5-other", 1)
            presence.closed("S-5-other", 1, end)
            presence.stored("S-5-other", 1)
            yield* until(() => presence.peek("S-5-other") === undefined)
            const gone = { epoch: 3, lastSeen: noon, lastMessage: "[last words]", ended: end }
            const silent = { epoch: 4, lastSeen: undefined, lastMessage: "", ended: end }
            assert.deepStrictEqual([presence.peek("S-5"), presence.peek("S-5-silent")], [gone, silent])
            assert.isUndefined(presence.peek("S-5-never"))
            presence.stored("S-5", 3)
            presence.stored("S-5-silent", 4)
            assert.deepStrictEqual([presence.peek("S-5"), presence.peek("S-5-silent")], [gone, silent])
            yield* until(() => presence.peek("S-5-silent") === undefined)
            assert.deepStrictEqual(presence.peek("S-5"), gone, "its last words are not written yet")
          }),
        { keepEndsMillis: 5 }
      )
      assert.deepStrictEqual(yield* flushed("S-5"), [noon, "[last words]"])
      assert.isUndefined(yield* flushed("S-5-silent"))
    })
  )

  it.effect("is kept for a charger that has reconnected, despite a late end of an older connection", () =>
    withPresence(
      (presence) =>
        Effect.gen(function* () {
          const end = { at: noon + 500, reason: "the line broke off" }
          presence.opened("S-8", 1)
          presence.closed("S-8", 1, end)
          presence.stored("S-8", 1)
          presence.opened("S-8", 2)
          presence.closed("S-8", 1, { at: noon + 700, reason: "late" })
          presence.opened("S-8-other", 1)
          presence.closed("S-8-other", 1, end)
          presence.stored("S-8-other", 1)
          while (presence.peek("S-8-other") !== undefined) yield* Effect.sleep(1)
          const back = { epoch: 2, lastSeen: undefined, lastMessage: "", ended: undefined }
          assert.deepStrictEqual(presence.peek("S-8"), back)
        }),
      { keepEndsMillis: 5 }
    )
  )

  it.effect("stays in memory until it is in the database, even if the charger disconnects meanwhile", () =>
    Effect.gen(function* () {
      yield* seedChargers(["S-7"])
      const writing = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const held = Statement.CurrentTransformer.of((statement) =>
        Effect.as(Effect.andThen(Deferred.succeed(writing, undefined), Deferred.await(go)), statement)
      )
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(LastSeen.layer({ ...settings, flushEveryMillis: 1 }), scope).pipe(
        Effect.provideService(Statement.CurrentTransformer, held)
      )
      const presence = yield* Effect.provide(Presence, context)
      presence.opened("S-7", 1)
      presence.heard("S-7", noon, "[goodbye]")
      yield* Deferred.await(writing)
      const end = { at: noon + 1, reason: "bye" }
      presence.closed("S-7", 1, end)
      assert.deepStrictEqual(presence.peek("S-7"), {
        epoch: 1,
        lastSeen: noon,
        lastMessage: "[goodbye]",
        ended: end
      })
      // The shutdown comes in the middle of the write, and waits for it.
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(closing)
      assert.deepStrictEqual(yield* flushed("S-7"), [noon, "[goodbye]"])
    })
  )

  it.effect("is dropped for a charger that is no longer registered, and stored for the others", () =>
    Effect.gen(function* () {
      yield* seedChargers(["S-6"])
      yield* withPresence(({ heard }) =>
        Effect.sync(() => {
          heard("S-6-removed", noon, "[x]")
          heard("S-6", noon, "[with \0 in it]")
        })
      )
      assert.isUndefined(yield* flushed("S-6-removed"))
      assert.deepStrictEqual(yield* flushed("S-6"), [noon, "[with \\u0000 in it]"])
    })
  )
})
