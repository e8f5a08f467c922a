import { describe, expect, it } from "vitest"
import { transactionIdOf } from "../../../src/domain/values/TransactionId.ts"

const keys = [0x12345678, 0x9abcdef0, 0x0badcafe, 0xdeadbeef]
const sample = 200_000

describe("transaction ids", () => {
  it("are positive, of 31 bits, and unique", () => {
    const seen = new Set<number>()
    let outside = 0
    for (let n = 1; n <= sample; n++) {
      const id = transactionIdOf(n, keys)
      if (!Number.isInteger(id) || id < 1 || id > 0x7fffffff) outside++
      seen.add(id)
    }
    expect([outside, seen.size]).toEqual([0, sample])
  })

  it("are so also at the end of the number range", () => {
    const ids = Array.from({ length: 1000 }, (_, i) => transactionIdOf(0x7fffffff - i, keys))
    expect(new Set(ids).size).toBe(1000)
    expect(Math.min(...ids)).toBeGreaterThan(0)
    expect(Math.max(...ids)).toBeLessThanOrEqual(0x7fffffff)
  })

  it("are the same for the same keys, and different for other keys", () => {
    expect(transactionIdOf(1, keys)).toBe(transactionIdOf(1, [...keys]))
    const others = Array.from({ length: 100 }, (_, i) => transactionIdOf(i + 1, [1, 2, 3, 4]))
    expect(others.filter((id, i) => id === transactionIdOf(i + 1, keys))).toEqual([])
  })

  it("do not reveal the next one", () => {
    const steps = Array.from({ length: 1000 }, (_, i) => transactionIdOf(i + 2, keys) - transactionIdOf(i + 1, keys))
    expect(new Set(steps).size).toBeGreaterThan(990)
    const rising = steps.filter((step) => step > 0).length
    expect(rising).toBeGreaterThan(400)
    expect(rising).toBeLessThan(600)
  })
})
