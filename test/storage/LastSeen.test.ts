import { assert } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { Presence } from "../../src/domain/ports/Presence.ts"
import * as LastSeen from "../../src/storage/LastSeen.ts"
import { forEachDatabase } from "../support/databases.ts"
import { noon, seedChargers } from "../support/journalFacts.ts"
import { statementsOf } from "../support/statements.ts"

/** Nothing is flushed by the clock here, so that a test says what is. */
const never = 3_600_000

/** A presence of its own; what it holds is flushed when `use` ends. */
const withPresence = <A, E, R>(
  use: (presence: Presence["Service"]) => Effect.Effect<A, E, R>,
  options: Partial<LastSeen.LastSeenOptions> = {}
) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(LastSeen.layer({ flushEveryMillis: never, maxBatch: 1000, ...options }))
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
  it.effect("is in memory at once, and in the database after the end", () =>
    Effect.gen(function* () {
      yield* seedChargers(["S-1"])
      yield* withPresence((presence) =>
        Effect.gen(function* () {
          assert.isUndefined(presence.peek("S-1"))
          presence.opened("S-1", noon)
          assert.isUndefined(presence.peek("S-1"), "it has said nothing yet: the database knows its last words")
          presence.heard("S-1", noon + 1, "[first]")
          presence.heard("S-1", noon + 2, "[second]")
          assert.deepStrictEqual(presence.peek("S-1"), {
            lastSeen: noon + 2,
            lastMessage: "[second]",
            connected: true
          })
          assert.isUndefined(yield* flushed("S-1"))
        })
      )
      assert.deepStrictEqual(yield* flushed("S-1"), [noon + 2, "[second]"])
    })
  )

  it.effect("takes one statement for all chargers, however often they spoke", () =>
    Effect.gen(function* () {
      const ids = Array.from({ length: 50 }, (_, n) => `S-2-${n}`)
      yield* seedChargers(ids)
      const sent = yield* statementsOf(
        withPresence(({ heard, opened }) =>
          Effect.sync(() => {
            for (const id of ids) opened(id, noon)
            for (let n = 0; n < 20; n++) for (const id of ids) heard(id, noon + n, `[${id},${n}]`)
          })
        )
      )
      assert.lengthOf(sent, 1)
      assert.deepStrictEqual(yield* flushed("S-2-0"), [noon + 19, "[S-2-0,19]"])
      assert.deepStrictEqual(yield* flushed("S-2-49"), [noon + 19, "[S-2-49,19]"])
    })
  )

  it.effect("takes more statements where there are more chargers than one may have", () =>
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

  it.effect("says that a charger has gone until that is written, and then nothing more", () =>
    Effect.gen(function* () {
      yield* seedChargers(["S-5", "S-5-silent"])
      yield* withPresence((presence) =>
        Effect.gen(function* () {
          presence.opened("S-5", noon)
          presence.heard("S-5", noon, "[last words]")
          presence.closed("S-5")
          assert.deepStrictEqual(presence.peek("S-5"), {
            lastSeen: noon,
            lastMessage: "[last words]",
            connected: false
          })
          presence.opened("S-5-silent", noon)
          presence.closed("S-5-silent")
          presence.closed("S-5-never")
          assert.isUndefined(presence.peek("S-5-silent"))
          yield* Effect.yieldNow
        })
      )
      assert.deepStrictEqual(yield* flushed("S-5"), [noon, "[last words]"])
      assert.isUndefined(yield* flushed("S-5-silent"))
    })
  )

  it.effect("stays in memory until it is in the database, though the charger goes meanwhile", () =>
    Effect.gen(function* () {
      yield* seedChargers(["S-7"])
      const writing = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const held = Statement.CurrentTransformer.of((statement) =>
        Effect.as(Effect.andThen(Deferred.succeed(writing, undefined), Deferred.await(go)), statement)
      )
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(LastSeen.layer({ flushEveryMillis: 1, maxBatch: 1000 }), scope).pipe(
        Effect.provideService(Statement.CurrentTransformer, held)
      )
      const presence = yield* Effect.provide(Presence, context)
      presence.opened("S-7", noon)
      presence.heard("S-7", noon, "[goodbye]")
      yield* Deferred.await(writing)
      presence.closed("S-7")
      assert.deepStrictEqual(presence.peek("S-7"), { lastSeen: noon, lastMessage: "[goodbye]", connected: false })
      // The end comes in the middle of the write, and waits for it.
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(closing)
      assert.isUndefined(presence.peek("S-7"))
      assert.deepStrictEqual(yield* flushed("S-7"), [noon, "[goodbye]"])
    })
  )

  it.effect("of a charger that is not registered any more costs the others nothing", () =>
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
