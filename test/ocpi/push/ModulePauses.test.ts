/** A module that answers 429 gets nothing until its wait is over. Other modules and other partners are not affected. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { PartnerFailed } from "../../../src/ocpi/client/OcpiClient.ts"
import { ModulePauses } from "../../../src/ocpi/push/ModulePauses.ts"

const busy = (retryAfterMillis?: number) =>
  new PartnerFailed({ heard: true, http: 429, status: 2000, message: "HTTP 429", retryAfterMillis })

/** Calls modules that answer with `answer`, and notes which calls were made. */
const world = (answer: (module: string) => PartnerFailed | undefined) => {
  const pauses = new ModulePauses()
  const made: Array<string> = []
  const call = (partner: string, module: string) =>
    Effect.suspend(() => {
      made.push(`${partner} ${module}`)
      const failed = answer(module)
      return failed === undefined ? Effect.void : Effect.fail(failed)
    })
  const to = (partner: string, module: string) =>
    Effect.map(Effect.result(pauses.calling(partner, module, call(partner, module))), (result) =>
      result._tag === "Success" ? "taken" : result.failure.message
    )
  return { made, to }
}

it.effect("a module that asks for a wait is not called in that time, and others are", () =>
  Effect.gen(function* () {
    let isBusy = true
    const { made, to } = world((module) => (isBusy && module === "locations" ? busy(90_000) : undefined))
    assert.strictEqual(yield* to("p", "locations"), "HTTP 429")
    isBusy = false
    yield* TestClock.adjust(89_000)
    assert.strictEqual(
      yield* to("p", "locations"),
      "HTTP 429: nothing is sent to its module locations before 1970-01-01T00:01:30.000Z"
    )
    assert.strictEqual(yield* to("p", "cdrs"), "taken")
    assert.strictEqual(yield* to("q", "locations"), "taken")
    yield* TestClock.adjust(1_000)
    assert.strictEqual(yield* to("p", "locations"), "taken")
    assert.deepStrictEqual(made, ["p locations", "p cdrs", "q locations", "p locations"])
  })
)

it.effect("a wait without a length is half a minute, and none is longer than an hour", () =>
  Effect.gen(function* () {
    for (const [asked, seconds] of [
      [undefined, 30],
      [86_400_000, 3_600]
    ] as const) {
      const { made, to } = world(() => busy(asked))
      yield* to("p", "tariffs")
      yield* TestClock.adjust(seconds * 1_000 - 1)
      yield* to("p", "tariffs")
      assert.strictEqual(made.length, 1)
      yield* TestClock.adjust(1)
      yield* to("p", "tariffs")
      assert.strictEqual(made.length, 2)
    }
  })
)
