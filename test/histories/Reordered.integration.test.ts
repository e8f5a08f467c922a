/**
 * Whatever happens to the messages of a history on their way, and whichever process is killed meanwhile: the result is the same sessions and the same
 * records to the cent. A record that was issued before a reading came remains as it is, and the session shows that it needs a correction; after that
 * the record is the same too. Uses the written histories, and random ones whose true energy is known; `PROPERTY=full` sends each ten times as often.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { forEachDriver } from "../support/databases.ts"
import { Random, seeds } from "../support/random.ts"
import { expectOutcome, expectSound, expectWhole, needsCorrection } from "./Check.ts"
import { poisoned } from "./poisoned/all.ts"
import { poisonedBy } from "./Poison.ts"
import { sendReordered, type Ways } from "./Reorder.ts"
import { correct, type Outcome, type Story, thirtyCents } from "./Story.ts"
import { truthOf } from "./Truth.ts"
import { HistoryRun, keep, placeOf, ports, recordInForce } from "./World.ts"
import { stories } from "./written/all.ts"

const isBilled = (outcome: Outcome): boolean => outcome !== "none" && "total" in outcome

/** A session has the expected outcome, at once or after a correction. */
const expectInTheEnd = (run: HistoryRun, of: string, outcome: Outcome) =>
  Effect.gen(function* () {
    if ((yield* run.find(of)) === undefined) return expectOutcome(undefined, outcome)
    const result = yield* run.resultOf(of)
    expectWhole(result)
    if (!isBilled(outcome) || typeof outcome === "string" || !("total" in outcome))
      return expectOutcome(result, outcome)
    // Periods may differ if a reading came late and changed no price.
    assert.strictEqual(result.session.heldReason, undefined)
    if (!needsCorrection(result)) {
      const total = result.records.at(-1)?.body.total
      return assert.deepStrictEqual<unknown>([total?.exclVat, total?.inclVat], outcome.total)
    }
    const [before] = result.records
    assert.lengthOf(result.records, 1, "late readings change nothing by themselves")
    yield* run.happen(correct({}, of))
    const total = before!.body.total
    expectOutcome(yield* run.resultOf(of), {
      ...outcome,
      records: [
        [total.exclVat, total.inclVat],
        [total.exclVat === 0 ? 0 : -total.exclVat, total.inclVat === 0 ? 0 : -total.inclVat],
        outcome.total
      ]
    })
  })

/** As long as readings come in order, no price falls while its session runs, and the parts add up. */
const watching = (run: HistoryRun, story: Story) => {
  const costs = new Map<string, number>()
  return Effect.gen(function* () {
    for (const of of Object.keys(story.expected)) {
      if (!run.answered.has(of)) continue
      const { priced, session } = yield* run.resultOf(of)
      if (priced === undefined) continue
      expectSound(priced)
      // Before the first reading it is not known which power, and so which flat fee, applies.
      if (session.endedAt !== undefined || priced.durationMillis === 0) continue
      assert.isAtLeast(priced.total.exclVat, costs.get(of) ?? 0, "what a running session costs never falls")
      costs.set(of, priced.total.exclVat)
    }
  })
}

const checkReordered = (story: Story, seed: number, ways: Ways, isWatched: boolean) =>
  Effect.gen(function* () {
    const run = yield* HistoryRun.at(yield* placeOf(story))
    const watch = isWatched ? watching(run, story) : Effect.void
    yield* sendReordered(run, story, new Random(seed), ways, watch)
    for (const [of, outcome] of Object.entries(story.expected)) yield* expectInTheEnd(run, of, outcome)
    const expected = Object.values(story.expected).filter((outcome) => outcome !== "none").length
    assert.strictEqual(yield* run.count, expected, "there are no other sessions")
  }).pipe(
    Effect.tapCause(() => Effect.sync(() => console.log(`"${story.name}" is broken by PROPERTY_SEED=${seed}`))),
    Effect.orDie
  )

/** 0.30 a kWh at any time, so that any figure but the energy may be false without changing the price. */
const poisonedHistory = (random: Random, seed: number) =>
  Effect.gen(function* () {
    const truth = { ...truthOf(random, seed, { tariff: thirtyCents, connectors: 1 }), maxPowerW: 40_000 }
    const story = poisonedBy(random, truth)
    const run = yield* HistoryRun.at(yield* placeOf(story))
    for (const step of story.steps) yield* run.step(step)
    yield* keep
    for (const [of, outcome] of Object.entries(story.expected)) {
      if ((yield* run.find(of)) === undefined) continue
      const result = yield* run.resultOf(of)
      expectWhole(result)
      const inForce = recordInForce(result.records)?.body
      if (inForce === undefined) {
        const { endedAt, heldReason } = result.session
        assert.isTrue(endedAt === undefined || heldReason !== undefined, "it runs, or is billed or held")
      } else if (outcome !== "none" && "total" in outcome) {
        const { energyWh, total } = inForce
        assert.deepStrictEqual([energyWh, total.exclVat, total.inclVat], [outcome.energyWh, ...outcome.total])
      }
    }
  }).pipe(
    Effect.tapCause(() => Effect.sync(() => console.log(`broken by PROPERTY_SEED=${seed}`))),
    Effect.orDie
  )

const reorderable = [...stories, ...poisoned].filter(({ needsOrder }) => needsOrder === undefined)
const billedAlone = reorderable.filter(
  ({ expected, needsReadings }) => needsReadings === undefined && Object.values(expected).every(isBilled)
)

/** Ten times the histories, on a machine that does other work too. */
const limitMillis = 900_000

const inEach = <E, R>(count: number, check: (random: Random, seed: number) => Effect.Effect<void, E, R>) =>
  Effect.forEach(seeds(count), (seed) => check(new Random(seed), seed), { discard: true })

forEachDriver("a history that is sent in another way", ports, (it) => {
  it.effect(
    "has the same result with repeats, delays, other connectors' messages in between, and restarts",
    () => inEach(60, (random, seed) => checkReordered(random.pick(reorderable), seed, { readings: "loose" }, false)),
    limitMillis
  )

  it.effect(
    "has the same result when readings come after the stop, or after the record once that is corrected",
    () => inEach(40, (random, seed) => checkReordered(random.pick(billedAlone), seed, { readings: "late" }, false)),
    limitMillis
  )

  it.effect(
    "is billed by the true energy, whatever that was",
    () =>
      inEach(30, (random, seed) =>
        checkReordered(
          truthOf(random, seed),
          seed,
          { readings: random.pick(["kept", "loose", "late"] as const) },
          false
        )
      ),
    limitMillis
  )

  it.effect(
    "never becomes cheaper while it runs, and its parts add up to the whole",
    () => inEach(6, (random, seed) => checkReordered(truthOf(random, seed), seed, { readings: "kept" }, true)),
    limitMillis
  )

  it.effect(
    "is billed by the true energy, or held, when one of its figures is false",
    () => inEach(30, poisonedHistory),
    limitMillis
  )
})
