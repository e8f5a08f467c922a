/** Each commit gets one result, also if the database fails between the parts of a batch that was halved for a faulty value. */
import { assert } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { ConnectionError, DeadlockError, SqlError, type SqlErrorReason } from "effect/sql/SqlError"
import { Statement } from "effect/sql"
import { type CommitResult, Journal } from "../../src/domain/charger/Journal.ts"
import * as JournalStorage from "../../src/storage/charging/Journal.ts"
import { journalMetrics } from "../../src/storage/charging/JournalMetrics.ts"
import { forEachDatabase } from "../support/databases.ts"
import { seedChargers, transferred } from "../support/journalFacts.ts"
import { count, numberOf } from "../support/journalRows.ts"

const layer = JournalStorage.layer({ maxBatchFacts: 500, maxWaiting: 1000, patienceMillis: 10_000 })

const deadlock = new DeadlockError({
  cause: Object.assign(new Error("deadlock detected"), { code: "40P01" }),
  message: "deadlock detected",
  operation: "query"
})

const unreachable = new ConnectionError({
  cause: new Error("connection refused"),
  message: "connection refused",
  operation: "connect"
})

/** The first commit of facts with `has` and without `hasNot` in their keys fails for this reason. A failing transaction comes as a defect. */
const failing = (reason: SqlErrorReason, has: string, hasNot: string) => {
  let fails = true
  return Statement.CurrentTransformer.of((statement) => {
    const [text, values] = statement.compile()
    const sent = JSON.stringify(values)
    if (!fails || !text.includes("journal_commit") || !sent.includes(has) || sent.includes(hasNot))
      return Effect.succeed(statement)
    fails = false
    return Effect.die(new SqlError({ reason }))
  })
}

const outcome = (result: CommitResult): unknown => {
  if (Result.isSuccess(result)) return result.success.recorded
  return result.failure._tag === "FactRefused" ? "refused" : result.failure.reason
}

/**
 * Commits a good fact, one that the database cannot store, and two more good ones, in one batch; the part with only the last two meets the error.
 * Returns the results of each.
 */
const halved = (chargerId: string, reason: SqlErrorReason) =>
  Effect.gen(function* () {
    const seeded = yield* seedChargers([chargerId])
    const transformer = failing(reason, `${chargerId}:third`, `${chargerId}:bad`)
    const context = yield* Effect.provideService(Layer.build(layer), Statement.CurrentTransformer, transformer)
    const { commit, commitThen } = yield* Effect.provide(Journal, context)
    const fact = (name: string) => [transferred(seeded, chargerId, `${chargerId}:${name}`)]
    const names = ["first", "bad\u0000", "third", "fourth"]
    const results: Array<Array<unknown>> = names.map(() => [])
    yield* Effect.callback<void>((resume) => {
      // While the journal stores this one, the others gather to a batch.
      commitThen(fact("before"), () => {})
      for (const [n, name] of names.entries())
        commitThen(fact(name), (result) => {
          results[n]!.push(outcome(result))
          if (results.every(({ length }) => length > 0)) resume(Effect.void)
        })
    })
    // A second result would come before the next batch.
    yield* commit(fact("after"))
    return results
  }).pipe(Effect.scoped)

forEachDatabase("a commit of a halved batch", (it) => {
  it.effect("that was stored or refused gets no second result when another part fails", () =>
    Effect.gen(function* () {
      const measured = Effect.all(journalMetrics.map(numberOf))
      const before = yield* measured
      const results = yield* halved("JO-1", deadlock)
      assert.deepStrictEqual(results, [[[true]], ["refused"], ["busy"], ["busy"]])
      const [, , waiting, ...failures] = (yield* measured).map((value, n) => value - before[n]!)
      assert.deepStrictEqual([waiting, failures.toSorted()], [0, [0, 0, 0, 1, 2]])
    })
  )

  it.effect("that was stored or refused is not committed again when the others are", () =>
    Effect.gen(function* () {
      const results = yield* halved("JO-2", unreachable)
      assert.deepStrictEqual(results, [[[true]], ["refused"], [[true]], [[true]]])
      assert.strictEqual(yield* count("journal", "subject", "charger:JO-2"), 5)
    })
  )
})
