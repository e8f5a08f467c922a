import { describe, expect, it } from "vitest"
import { Counts } from "../../../src/domain/values/Counts.ts"

describe("counts by key", () => {
  it("count each key separately, and all together", () => {
    const counts = new Counts()
    counts.add("a", 1)
    counts.add("a", 1)
    counts.add("b", 5)
    expect([counts.of("a"), counts.of("b"), counts.of("c"), counts.all]).toEqual([2, 5, 0, 7])
  })

  it("store nothing for a key that is back at 0", () => {
    const counts = new Counts()
    counts.add("a", 1)
    counts.add("b", 2)
    counts.add("a", -1)
    expect([counts.of("a"), counts.size, counts.all]).toEqual([0, 1, 2])
  })

  it("list the keys that have at least a given count", () => {
    const counts = new Counts()
    for (const [key, count] of [
      ["a", 1],
      ["b", 2],
      ["c", 3]
    ] as const)
      counts.add(key, count)
    expect(counts.full(2)).toEqual(["b", "c"])
  })

  it("can be cleared", () => {
    const counts = new Counts()
    counts.add("a", 3)
    counts.clear()
    expect([counts.of("a"), counts.size, counts.all]).toEqual([0, 0, 0])
  })
})
