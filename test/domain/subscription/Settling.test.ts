/** What becomes of an object after a try, and of its subscriber. */
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

/** When an object that became due at 0 is tried under one and the same outcome, and when it is parked. */
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
  it("that is refused five times is parked within seconds", () => {
    expect(lifeUnder(refused)).toEqual({ at: [0, second, 3 * second, 7 * second, 15 * second], parked: 15 * second })
  })

  it("that fails is tried for three days, a quarter of an hour apart at most", () => {
    const { at, parked } = lifeUnder(down)
    expect(parked).toBeGreaterThanOrEqual(72 * hour)
    expect(Math.max(...at.slice(1).map((time, i) => time - at[i]!))).toBe(15 * minute)
  })

  it("that fails alone is tried each minute for two hours, then as others are", () => {
    const { at, parked } = lifeUnder(alone)
    expect(parked).toBeGreaterThanOrEqual(72 * hour)
    const gaps = at.slice(1).map((time, i) => ({ at: at[i]!, gap: time - at[i]! }))
    expect(Math.max(...gaps.filter((one) => one.at < 2 * hour).map(({ gap }) => gap))).toBe(minute)
    expect(gaps.filter((one) => one.at >= 2 * hour).every(({ gap }) => gap === 15 * minute)).toBe(true)
  })
})

describe("an object that may not be told before others", () => {
  const waits: Outcome = { _tag: "Waits" }

  it("is looked at again soon and then less often, is no try, and is never parked", () => {
    const gapAt = (now: number) => {
      const settlement = settlementOf({ tries: 0, refusals: 0, dueAt: 0 }, waits, now, options)
      return settlement._tag === "Untried" ? settlement.at - now : settlement
    }
    expect([0, 5 * second, 10 * minute, 100 * hour].map(gapAt)).toEqual([second, 5 * second, minute, minute])
  })

  it("says nothing about whether its subscriber is there", () => {
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

  it("is neither down nor well again by what fails alone, nor by what was not sent", () => {
    expect(circuitAfter(well, [alone, alone, alone, alone], 7, options)).toBeUndefined()
    expect(circuitAfter({ ...well, failures: 2 }, [alone, silent], 7, options)).toBeUndefined()
    expect(circuitAfter({ ...well, failures: 2 }, [alone, down], 7, options)?.openedAt).toBe(7)
  })

  it("is well again by what it takes or refuses", () => {
    for (const outcome of [delivered, refused]) {
      expect(circuitAfter({ ...well, failures: 2 }, [outcome], 7, options)).toEqual(well)
    }
  })
})
