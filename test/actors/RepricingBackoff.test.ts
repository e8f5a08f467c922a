/** How often a running session is priced. */
import { assert, describe, it } from "@effect/vitest"
import { RepricingBackoff } from "../../src/actors/background/RepricingBackoff.ts"
import type { ChargingSession } from "../../src/domain/session/ChargingSession.ts"

const reading = { at: 0, registerWh: 0, samples: undefined }

const ledger = (id: string, readings: number, endedAt?: number) => ({
  session: { id, endedAt } as ChargingSession,
  readings: Array.from({ length: readings }, () => reading)
})

const nothing = { sessionIds: [], metered: [] }
const metered = (...ids: ReadonlyArray<string>) => ({ sessionIds: ids, metered: ids })

describe("a running session", () => {
  it("with few readings is priced at most once in an interval, even if rounds follow at once", () => {
    const backoff = new RepricingBackoff(1_000)
    backoff.priced([ledger("a", 9)], 0)
    for (const now of [1, 500, 999]) assert.deepStrictEqual(backoff.due(metered("a", "b"), now), ["b"])
    assert.deepStrictEqual(backoff.due(nothing, 1_000), ["a"])
    backoff.priced([ledger("a", 9)], 1_000)
    assert.deepStrictEqual(backoff.due(nothing, 2_000), [], "nothing has come since")
    assert.deepStrictEqual(backoff.due(metered("a"), 2_000), ["a"])
  })

  it("with many readings waits in proportion, and is then priced even without new readings", () => {
    const backoff = new RepricingBackoff(1_000)
    backoff.priced([ledger("a", 600)], 0)
    assert.deepStrictEqual(backoff.due(metered("a", "b"), 1000), ["b"])
    assert.deepStrictEqual(backoff.due(nothing, 59_999), [])
    assert.strictEqual(backoff.nextAt, 60_000)
    assert.deepStrictEqual(backoff.due(nothing, 60_000), ["a"])
    assert.deepStrictEqual(backoff.due(nothing, 60_001), ["a"], "until its price is kept")
    backoff.priced([ledger("a", 601)], 60_001)
    assert.deepStrictEqual(backoff.due(nothing, 200_000), [])
    assert.strictEqual(backoff.nextAt, undefined)
  })

  it("never waits longer than a quarter of an hour", () => {
    const backoff = new RepricingBackoff(1_000)
    backoff.priced([ledger("a", 250_000)], 0)
    assert.deepStrictEqual(backoff.due(metered("a"), 899_999), [])
    assert.deepStrictEqual(backoff.due(nothing, 900_000), ["a"])
  })

  it("that ends is priced at once, and then at every late reading", () => {
    const backoff = new RepricingBackoff(1_000)
    backoff.priced([ledger("a", 600)], 0)
    assert.deepStrictEqual(backoff.due({ sessionIds: ["a"], metered: [] }, 1), ["a"])
    backoff.priced([ledger("a", 600, 5)], 1)
    assert.deepStrictEqual(backoff.due(metered("a"), 2), ["a"])
  })
})
