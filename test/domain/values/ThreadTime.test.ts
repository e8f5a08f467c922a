/** The rule by which callers share the main thread: the one that has used least is next, and use is forgotten within seconds. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import {
  inSlices,
  mapInSlices,
  nextOf,
  readPlacesOf,
  useAfter,
  useLeft
} from "../../../src/domain/values/ThreadTime.ts"

describe("the use of the main thread", () => {
  it("counts half after two seconds, and almost nothing after half a minute", () => {
    const use = useAfter({ millis: 0, at: 0 }, 100, 1_000)
    expect(useLeft(use, 1_000)).toBe(100)
    expect(useLeft(use, 3_000)).toBe(50)
    expect(useLeft(use, 31_000)).toBeLessThan(0.01)
    expect(useAfter(use, 30, 3_000)).toEqual({ millis: 80, at: 3_000 })
  })

  it("decides who is next: the caller that has used least, and of several the first", () => {
    const callers = [30, 5, 5].map((millis, id) => ({ id, use: { millis, at: 0 } }))
    expect(nextOf(callers, 0)?.id).toBe(1)
    // The first has rested meanwhile.
    expect(
      nextOf(
        [
          { id: 0, use: { millis: 30, at: 0 } },
          { id: 1, use: { millis: 5, at: 10_000 } }
        ],
        10_000
      )?.id
    ).toBe(0)
    expect(nextOf([], 0)).toBeUndefined()
  })

  it("leaves half of the database's sessions for writes, and no caller all places of reads", () => {
    expect(readPlacesOf(10)).toMatchObject({ readsAtOnce: 5, readsAtOncePerCaller: 3 })
    expect(readPlacesOf(1)).toMatchObject({ readsAtOnce: 2, readsAtOncePerCaller: 1 })
  })
})

describe("work in slices", () => {
  it("does every item once, in order, a few at a time", () => {
    const items = Array.from({ length: 100 }, (_, n) => n)
    const pieces: Array<number> = []
    const made = Effect.runSync(
      inSlices(items, (some) => {
        pieces.push(some.length)
        return Effect.succeed(some.map((n) => n * 2))
      })
    )
    expect(made).toEqual(items.map((n) => n * 2))
    expect(Math.max(...pieces)).toBeLessThanOrEqual(16)
    expect(Effect.runSync(mapInSlices(items, String))).toEqual(items.map(String))
    expect(Effect.runSync(mapInSlices([], String))).toEqual([])
  })
})
