/** What happens to an object after a delivery attempt, and to its subscriber. */
import { describe, expect, it } from "vitest"
import { circuitAfter, defaultSettling as options, settlementOf } from "../../../src/domain/event/Settling.ts"
import type { Outcome } from "../../../src/domain/event/Subscription.ts"

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

const down: Outcome = { _tag: "Failed", message: "HTTP 404" }
const alone: Outcome = { ...down, isAlone: true }
const refused: Outcome = { _tag: "Refused", message: "2001" }
const delivered: Outcome = { _tag: "Delivered" }
const silent: Outcome = { _tag: "Delivered", isSilent: true }

/** When an object due at 0 is tried if every attempt has the same outcome, and when it is parked. */
const lifeUnder = (outcome: Outcome) => {
  const at: Array<number> = []
  let now = 0
  let refusals = 0
  for (let tries = 0; ; tries++) {
    at.push(now)
    const settlement = settlementOf({ tries, refusals, dueAt: 0 }, outcome, now, options)
    if (settlement._tag === "Parked") return { at, parked: now }
    if (settlement._tag !== "Again") throw new Error("it was taken, or not tried")
    now = settlement.at
    refusals = settlement.refusals
  }
}

describe("an object", () => {
  it("is parked within seconds after five refusals", () => {
    expect(lifeUnder(refused)).toEqual({ at: [0, second, 3 * second, 7 * second, 15 * second], parked: 15 * second })
  })

  it("is tried for three days after failures, at most a quarter of an hour apart", () => {
    const { at, parked } = lifeUnder(down)
    expect(parked).toBeGreaterThanOrEqual(72 * hour)
    expect(Math.max(...at.slice(1).map((time, i) => time - at[i]!))).toBe(15 * minute)
  })

  it("is tried each minute for two hours if it alone fails, then as often as others", () => {
    const { at, parked } = lifeUnder(alone)
    expect(parked).toBeGreaterThanOrEqual(72 * hour)
    const gaps = at.slice(1).map((time, i) => ({ at: at[i]!, gap: time - at[i]! }))
    expect(Math.max(...gaps.filter((one) => one.at < 2 * hour).map(({ gap }) => gap))).toBe(minute)
    expect(gaps.filter((one) => one.at >= 2 * hour).every(({ gap }) => gap === 15 * minute)).toBe(true)
  })
})

describe("an object that has to wait for others", () => {
  const waits: Outcome = { _tag: "Waits" }

  it("is tried again soon and then less often, without counting as an attempt, and is never parked", () => {
    const gapAt = (now: number) => {
      const settlement = settlementOf({ tries: 0, refusals: 0, dueAt: 0 }, waits, now, options)
      return settlement._tag === "Untried" ? settlement.at - now : settlement
    }
    expect([0, 5 * second, 10 * minute, 100 * hour].map(gapAt)).toEqual([second, 5 * second, minute, minute])
  })

  it("has no effect on whether its subscriber counts as down", () => {
    const failing = { failures: 2, openedAt: undefined, notBefore: undefined }
    expect(circuitAfter(failing, [waits, waits], 7, options)).toBeUndefined()
  })
})

describe("a subscriber", () => {
  const well = { failures: 0, openedAt: undefined, notBefore: undefined }

  it("is down after three failures in a row", () => {
    expect(circuitAfter(well, [down, down, down], 7, options)).toEqual({
      failures: 3,
      openedAt: 7,
      notBefore: undefined
    })
  })

  it("is not affected by objects that fail alone, or that were not sent", () => {
    expect(circuitAfter(well, [alone, alone, alone, alone], 7, options)).toBeUndefined()
    expect(circuitAfter({ ...well, failures: 2 }, [alone, silent], 7, options)).toBeUndefined()
    expect(circuitAfter({ ...well, failures: 2 }, [alone, down], 7, options)?.openedAt).toBe(7)
  })

  it("is up again after any delivery or refusal", () => {
    for (const outcome of [delivered, refused]) {
      expect(circuitAfter({ ...well, failures: 2 }, [outcome], 7, options)).toEqual(well)
    }
  })
})
