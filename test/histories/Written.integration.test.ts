/**
 * Every written history, played in its order, has the outcome that was calculated by hand. Each history of a broken or false meter (T28) is billed
 * correctly, or held for the expected reason.
 */
import { assert, describe, it as plain } from "@effect/vitest"
import { Effect } from "effect"
import { forEachDriver } from "../support/databases.ts"
import { expectOutcome, expectSound } from "./Check.ts"
import { isMessage, type Story } from "./Story.ts"
import { HistoryRun, keep, placeOf, ports } from "./World.ts"
import { poisoned } from "./poisoned/all.ts"
import { stories } from "./written/all.ts"

/** Checks that the price of a running session never falls. */
const neverFalling = (run: HistoryRun, story: Story, costs: Map<string, number>) =>
  Effect.gen(function* () {
    for (const of of Object.keys(story.expected)) {
      const session = run.answered.has(of) ? yield* run.find(of) : undefined
      if (session === undefined || session.endedAt !== undefined) continue
      const priced = yield* run.pricedOf(session)
      if (priced === undefined) continue
      expectSound(priced)
      assert.isAtLeast(priced.total.exclVat, costs.get(of) ?? 0, "what a running session costs never falls")
      costs.set(of, priced.total.exclVat)
    }
  })

const played = (story: Story) =>
  Effect.gen(function* () {
    const run = yield* HistoryRun.at(yield* placeOf(story))
    const costs = new Map<string, number>()
    for (const step of story.steps) {
      yield* run.step(step)
      if (isMessage(step) && story.mayFall === undefined) yield* neverFalling(run, story, costs)
    }
    yield* keep
    for (const [of, outcome] of Object.entries(story.expected)) {
      const exists = (yield* run.find(of)) !== undefined
      expectOutcome(exists ? yield* run.resultOf(of) : undefined, outcome)
    }
    const expected = Object.values(story.expected).filter((outcome) => outcome !== "none").length
    assert.strictEqual(yield* run.count, expected, "there are no other sessions")
  })

describe("the written histories", () => {
  plain("are sixty and forty poisoned ones at least, each with a name of its own", () => {
    const names = [...stories, ...poisoned].map(({ name }) => name)
    assert.isAtLeast(stories.length, 60)
    assert.isAtLeast(poisoned.length, 40)
    assert.strictEqual(new Set(names).size, names.length)
  })
})

forEachDriver("a written history", ports, (it) => {
  for (const story of stories) it.effect(story.name, () => played(story))
})

forEachDriver("poisoned telemetry", ports, (it) => {
  for (const story of poisoned) it.effect(story.name, () => played(story))
})
