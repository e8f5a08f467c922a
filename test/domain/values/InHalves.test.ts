import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { inHalves } from "../../../src/domain/values/InHalves.ts"

/** Runs a batch whose parts containing one of `bad` are refused; returns every part that was run, and what was accepted. */
const running = (batch: ReadonlyArray<number>, bad: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const parts: Array<ReadonlyArray<number>> = []
    const through: Array<number> = []
    yield* inHalves(batch, (part) =>
      Effect.sync(() => {
        parts.push(part)
        if (part.some((one) => bad.includes(one))) return false
        through.push(...part)
        return true
      })
    )
    return { parts, through }
  })

describe("a batch in halves", () => {
  it.effect("is run once if nothing is at fault", () =>
    Effect.gen(function* () {
      const { parts, through } = yield* running([1, 2, 3], [])
      expect(parts).toEqual([[1, 2, 3]])
      expect(through).toEqual([1, 2, 3])
    })
  )

  it.effect("leaves out only the items at fault, and keeps the order of the others", () =>
    Effect.gen(function* () {
      for (let length = 1; length <= 9; length++) {
        const batch = Array.from({ length }, (_, n) => n)
        for (const one of batch) {
          for (const other of batch) {
            const { parts, through } = yield* running(batch, [one, other])
            expect(through).toEqual(batch.filter((n) => n !== one && n !== other))
            // Each of the two was run alone, and no part was run twice.
            expect(parts.filter((part) => part.length === 1 && part[0] === one)).toHaveLength(1)
            expect(new Set(parts.map(String)).size).toBe(parts.length)
          }
        }
      }
    })
  )

  it.effect("stops at an empty batch that is refused", () =>
    Effect.gen(function* () {
      const parts: Array<number> = []
      yield* inHalves<number, never, never>([], (part) => Effect.sync(() => parts.push(part.length) < 0))
      expect(parts).toEqual([0])
    })
  )

  it.effect("stops at a failure, and runs nothing after it", () =>
    Effect.gen(function* () {
      const parts: Array<string> = []
      const exit = yield* Effect.exit(
        inHalves([1, 2, 3, 4], (part) => {
          parts.push(part.join(""))
          return part.length > 2 ? Effect.succeed(false) : Effect.fail("away")
        })
      )
      expect(exit).toEqual(Exit.fail("away"))
      expect(parts).toEqual(["1234", "12"])
    })
  )
})
