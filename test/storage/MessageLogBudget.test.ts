/** How much the message log stores for a charger and an organisation in a day, also across restarts. */
import { assert } from "@effect/vitest"
import { Clock, Effect, Logger, Metric } from "effect"
import { SqlClient } from "effect/sql"
import type { LoggedFrame } from "../../src/domain/charger/MessageLog.ts"
import { emptyTables, forEachDriver } from "../support/databases.ts"
import { freshId, noon } from "../support/journalFacts.ts"
import { droppedFrames, frame, log, organisationId, ownLog } from "../support/messageLogs.ts"
import { statementsOf } from "../support/statements.ts"

forEachDriver("the budgets of the message log", log, (it) => {
  it.effect("limit a charger and its organisation to their budget plus one frame, until the next day", () =>
    Effect.gen(function* () {
      yield* emptyTables
      const registry: Metric.MetricRegistry = new Map()
      const lines: Array<unknown> = []
      const logger = Logger.layer([Logger.make(({ message }) => lines.push(message))])
      const limits = { chargerBytesPerDay: 20_000, organisationBytesPerDay: 50_000 }
      const flood = (append: (frame: LoggedFrame) => void, chargerId: string, at: number) => {
        for (let n = 0; n < 50; n++) append(frame({ chargerId, at, frame: "x".repeat(800) }))
      }
      yield* ownLog(limits, ({ append, search }) =>
        Effect.gen(function* () {
          flood(append, "L-11", noon)
          const counted = (reason: string) => droppedFrames(registry, reason)
          // 1,013 bytes a frame with its names and its row: the twentieth uses the budget up.
          assert.strictEqual(counted("charger-budget"), 30)
          append(frame({ chargerId: "L-11-quiet" }))
          assert.lengthOf((yield* search(organisationId, "L-11", { limit: 100 })).items, 20)
          assert.lengthOf((yield* search(organisationId, "L-11-quiet", { limit: 100 })).items, 1)
          assert.lengthOf(lines, 1)
          for (const other of ["L-11-b", "L-11-c"]) flood(append, other, noon)
          assert.isAbove(counted("organisation-budget"), 0)
          append(frame({ chargerId: "L-11-other", organisationId: freshId() }))
          const whole = droppedFrames(registry)
          assert.strictEqual(counted("charger-budget") + counted("organisation-budget"), whole)
          yield* search(organisationId, "L-11", { limit: 1 })
          const sql = yield* SqlClient.SqlClient
          const [row] = yield* sql<{ bytes: number; others: number }>`
            SELECT sum(octet_length(frame)) FILTER (WHERE organisation_id = ${organisationId}::uuid)::int AS bytes,
              (count(*) FILTER (WHERE organisation_id <> ${organisationId}::uuid))::int AS others FROM message`
          assert.isAtMost(row!.bytes, limits.organisationBytesPerDay + 800)
          assert.strictEqual(row!.others, 1)
          append(frame({ chargerId: "L-11", at: noon + 86_400_000, frame: "[tomorrow]" }))
          const [newest] = (yield* search(organisationId, "L-11", { limit: 1 })).items
          assert.strictEqual(newest?.frame, "[tomorrow]")
          assert.strictEqual(droppedFrames(registry), whole)
        })
      ).pipe(Effect.provideService(Metric.MetricRegistry, registry), Effect.provide(logger))
    })
  )

  it.effect("continue after a restart with what is left of the day", () =>
    Effect.gen(function* () {
      yield* emptyTables
      const now = yield* Clock.currentTimeMillis
      // The first log is from an earlier time of the same day.
      const clock = yield* Clock.Clock
      const at = Math.floor(now / 86_400_000) * 86_400_000 + 1000
      const restartedAt = at + 60_000
      const held: Clock.Clock = Object.assign(Object.create(clock) as Clock.Clock, {
        currentTimeMillis: Effect.succeed(restartedAt),
        currentTimeMillisUnsafe: () => restartedAt
      })
      const limits = { chargerBytesPerDay: 20_000 }
      const say = (append: (frame: LoggedFrame) => void, n: number, at: number) => {
        for (; n > 0; n--) append(frame({ chargerId: "L-12", at, frame: "x".repeat(800) }))
      }
      yield* ownLog(limits, ({ append }) => Effect.sync(() => say(append, 15, at)))
      yield* ownLog(limits, ({ append, search }) =>
        Effect.gen(function* () {
          yield* search(organisationId, "L-12", { limit: 1 })
          // The restore runs on a connection of its own and does not signal its end, so it is given a second.
          yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 1_000)))
          let kept = 15
          while (kept < 100) {
            say(append, 1, restartedAt)
            const n = (yield* search(organisationId, "L-12", { limit: 100 })).items.length
            if (n === kept) break
            kept = n
          }
          assert.strictEqual(kept, 20)
        })
      ).pipe(Effect.provideService(Clock.Clock, held), Effect.provide(Logger.layer([])))
    })
  )

  it.effect("are restored without reading frames, which would block an embedded database for too long", () =>
    Effect.gen(function* () {
      yield* emptyTables
      yield* ownLog({}, ({ append }) => Effect.sync(() => append(frame({ chargerId: "L-14" }))))
      const began = yield* statementsOf(
        ownLog({}, () => Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 500))))
      )
      assert.isAbove(began.length, 0)
      assert.deepStrictEqual(
        began.filter(({ text }) => /FROM message\b(?!_)/.test(text)),
        []
      )
    })
  )

  it.effect("are stored periodically, for both organisations of a moved charger, and earlier days are deleted", () =>
    Effect.gen(function* () {
      yield* emptyTables
      const sql = yield* SqlClient.SqlClient
      const other = freshId()
      yield* sql`INSERT INTO message_use (day, organisation_id, charger_id, bytes) VALUES ('2020-01-01', ${other}, 'L-15', 5)`
      const used = sql<{ charger: string; organisation: string; bytes: number }>`
        SELECT charger_id AS charger, organisation_id AS organisation, bytes::float8 AS bytes FROM message_use ORDER BY bytes, charger_id`
      const expected = [
        { charger: "L-15", organisation: other, bytes: 213 },
        { charger: "L-16", organisation: organisationId, bytes: 213 },
        { charger: "L-15", organisation: organisationId, bytes: 426 }
      ]
      // Shorter than the restore, during which nothing is stored.
      yield* ownLog({ useEveryMillis: 1 }, ({ append }) =>
        Effect.gen(function* () {
          for (const chargerId of ["L-15", "L-16", "L-15"]) append(frame({ chargerId }))
          append(frame({ chargerId: "L-15", organisationId: other }))
          let stored = yield* used
          for (let tries = 0; tries < 100 && stored.length !== expected.length; tries++) {
            yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 50)))
            stored = yield* used
          }
          assert.deepStrictEqual([...stored], expected)
        })
      )
      assert.deepStrictEqual([...(yield* used)], expected)
    })
  )
})
