/** A list that is read page by page is counted rarely, and always at its end. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { totals } from "../../src/storage/billing/Totals.ts"

/** A list that grows and shrinks, with how often it was counted. */
const aList = (total: number) => {
  const list = { total, counted: 0 }
  const totalOf = totals()
  const page = (offset: number, limit = 50, key = "one") =>
    Effect.map(
      totalOf(
        key,
        { offset, limit },
        Effect.sync(() => ((list.counted += 1), list.total)),
        Effect.sync(() => Array.from({ length: Math.max(0, Math.min(limit, list.total - offset)) }, (_, n) => n))
      ),
      (found) => [found.total, found.items.length]
    )
  return { list, page }
}

it.effect("the total of a long list is remembered for a short time, for each filter separately", () =>
  Effect.gen(function* () {
    const { list, page } = aList(1_000_000)
    expect(yield* page(0)).toEqual([1_000_000, 50])
    list.total = 1_000_001
    expect(yield* page(50)).toEqual([1_000_000, 50])
    expect(list.counted).toBe(1)
    expect(yield* page(0, 50, "other")).toEqual([1_000_001, 50])
    yield* TestClock.adjust("31 seconds")
    expect(yield* page(100)).toEqual([1_000_001, 50])
    expect(list.counted).toBe(3)
  })
)

it.effect("items that were added at the end are included, and removed ones are not", () =>
  Effect.gen(function* () {
    const { list, page } = aList(100_000)
    yield* page(0)
    list.total = 100_050
    expect(yield* page(99_950)).toEqual([100_050, 50])
    expect(yield* page(100_000)).toEqual([100_050, 50])
    list.total = 99_000
    expect(yield* page(98_990)).toEqual([99_000, 10])
  })
)

it.effect("a short list is counted for each page", () =>
  Effect.gen(function* () {
    const { list, page } = aList(200)
    yield* page(0)
    list.total = 201
    expect(yield* page(50)).toEqual([201, 50])
    expect(list.counted).toBe(2)
    // A list is long when counting it costs as much as a page.
    list.total = 8_000
    yield* page(50)
    yield* page(100)
    expect(list.counted).toBe(3)
  })
)
