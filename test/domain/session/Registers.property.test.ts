/**
 * Chargers that count in all ways, lose some figures and round others: a billed session is billed for what flowed, and one that is reported
 * completely is not held.
 */
import { expect, it } from "vitest"
import type { ChargingSession } from "../../../src/domain/session/ChargingSession.ts"
import { jitterWh } from "../../../src/domain/session/Counting.ts"
import type { Observed } from "../../../src/domain/session/Ledger.ts"
import { doubtOf } from "../../../src/domain/session/Plausibility.ts"
import { at, ended, energy, metered, minute, reading, started } from "../../support/events.ts"
import { ModelService } from "../../support/modelCharger.ts"
import { forSeeds, type Random } from "../../support/random.ts"

type Counts = "on" | "the session"
type Defect = "none" | "zero" | "missing"

/** What really happened, and how the charger reports it. */
interface Truth {
  /** The meter's register when the session began; it has been in use for a while. */
  readonly from: number
  /** Wh that have flowed by each minute of an hour. */
  readonly flowed: ReadonlyArray<number>
  readonly registers: Counts
  readonly start: Defect
  readonly stop: Defect
  readonly readings: Counts
  /** Minutes at which it sends a reading. */
  readonly at: ReadonlyArray<number>
  /** Wh to which readings are rounded. */
  readonly grid: number
  readonly begin: boolean
  readonly end: boolean
  /** Where its register rolls over to 0, if it does, and whether the quirk book knows. */
  readonly top?: number
  readonly isKnown?: boolean
}

const truth = (random: Random): Truth => {
  const wh = random.pick([0, random.between(1, 200), random.between(200, 60_000)])
  const weights = Array.from({ length: 60 }, () => (random.chance(0.2) ? 0 : 0.2 + random.next() * 2))
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  let sum = 0
  const flowed = [0, ...weights.map((weight) => Math.round((wh * (sum += weight)) / all))]
  return {
    from: random.between(100_000, random.pick([1_000_000, 900_000_000])),
    flowed,
    registers: random.pick<Counts>(["on", "on", "the session"]),
    start: random.pick<Defect>(["none", "none", "zero", "missing"]),
    stop: random.pick<Defect>(["none", "none", "zero", "missing"]),
    readings: random.pick<Counts>(["on", "the session"]),
    at: Array.from({ length: random.pick([0, 1, 2, 8]) }, () => random.between(1, 59)).toSorted((a, b) => a - b),
    grid: random.pick([1, 10, 100, 1000]),
    begin: random.chance(0.5),
    end: random.chance(0.5)
  }
}

const rounded = (wh: number, grid: number): number => Math.round(wh / grid) * grid

/** Only zeros were reported, as for a session that took no energy, so it cannot be known that energy flowed. */
const isSilent = ({ at, end, flowed, grid, readings, registers, start, stop }: Truth): boolean => {
  const isReported = readings === "on" ? at.length > 0 : at.some((n) => rounded(flowed[n]!, grid) > jitterWh)
  return stop === "zero" && !end && !isReported && (start !== "none" || registers === "the session")
}

const withDefect = (defect: Defect, wh: number): number | undefined =>
  defect === "none" ? wh : defect === "zero" ? 0 : undefined

/** The result: the energy that is billed, or why the session is held. */
const outcome = (actual: Truth): number | string => {
  const charger = new ModelService().charger({
    policy: {
      unknownTokens: "Accept",
      concurrentTransactions: "Allow",
      heartbeatIntervalSeconds: 300,
      quirks:
        actual.isKnown === true && actual.top !== undefined
          ? [{ name: "own", vendor: "*", tolerances: { registerRollsOverAtWh: actual.top } }]
          : []
    }
  })
  charger.now = minute(61)
  const { top = Infinity } = actual
  const registerAt = (counts: Counts, n: number) => ((counts === "on" ? actual.from : 0) + actual.flowed[n]!) % top
  const sampleAt = (n: number, context = "Sample.Periodic") => {
    const wh = rounded(registerAt(actual.readings, n), actual.grid)
    return reading(at(minute(n)), energy(wh / 1000, { unit: "kWh", context }))
  }
  const meterStartWh = withDefect(actual.start, registerAt(actual.registers, 0))
  const id = charger.start(started({ meterStartWh, time: at(minute(0)) }))
  for (const n of actual.at) charger.say(metered(id, [sampleAt(n)]))
  charger.say(
    ended(id, {
      time: at(minute(60)),
      meterStopWh: withDefect(actual.stop, registerAt(actual.registers, 60)),
      readings: [
        ...(actual.begin ? [sampleAt(0, "Transaction.Begin")] : []),
        ...(actual.end ? [sampleAt(60, "Transaction.End")] : [])
      ]
    })
  )
  const row = charger.sessions[0]
  if (row?.end === undefined) throw new Error("it has not ended")
  const { body } = row.end
  if (body.heldReason !== undefined) return body.heldReason
  if (row.start.body.meterStartMissing === true && body.meterStartWh === undefined) return "MeterStartMissing"
  const session = {
    startedAt: row.start.at,
    endedAt: row.end.at,
    meterStartWh: body.meterStartWh ?? row.start.body.meterStartWh,
    meterStopWh: body.meterStopWh,
    energyWh: body.energyWh,
    authorization: { status: "Accepted" }
  } as ChargingSession
  const readings = charger.factsOf("MeterRead").flatMap(({ body }) => body.readings)
  const observed: Observed = {
    session,
    timeZone: "UTC",
    readings: readings.map(({ at, registerWh }) => ({ at: at!, registerWh, samples: undefined })),
    surroundings: {
      maxPowerW: undefined,
      before:
        actual.registers === "on"
          ? { meterStartWh: actual.from - 9000, meterStopWh: actual.from }
          : { meterStartWh: 0, meterStopWh: 9000 }
    }
  }
  return doubtOf(observed) ?? session.energyWh
}

it("bills the energy that flowed, or nothing", () => {
  forSeeds(3000, (random) => {
    const actual = truth(random)
    if (isSilent(actual)) return
    const billed = outcome(actual)
    if (typeof billed === "string") return
    // Tolerances: two rounded registers if the energy comes from readings, and the meter's jitter.
    expect(Math.abs(billed - actual.flowed[60]!), JSON.stringify(actual)).toBeLessThanOrEqual(actual.grid + jitterWh)
  })
})

it("does not hold a session with start, stop and readings that all count alike", () => {
  forSeeds(1000, (random) => {
    const actual = { ...truth(random), start: "none", stop: "none" } as const
    const alike = { ...actual, readings: actual.registers }
    expect(outcome(alike), JSON.stringify(alike)).toBe(actual.flowed[60])
  })
})

it("does not hold a session whose readings contain begin and end", () => {
  forSeeds(1000, (random) => {
    const actual = { ...truth(random), begin: true, end: true, grid: 1, readings: "on" } as const
    expect(outcome(actual), JSON.stringify(actual)).toBe(actual.flowed[60])
  })
})

/** A meter that rolls over within the hour, or nearly. With a start of 0 as well it would be taken for a new meter. */
const overflowing = (random: Random): Truth => {
  const top = random.pick([1_000_000, 100_000_000, 2 ** 32])
  const start = random.pick<Defect>(["none", "missing"])
  return { ...truth(random), start, registers: "on", readings: "on", from: top - random.between(1, 70_000), top }
}

it("bills the energy that flowed through a meter that rolls over, or nothing", () => {
  forSeeds(2000, (random) => {
    const actual = { ...overflowing(random), isKnown: random.chance(0.5) }
    if (isSilent(actual)) return
    const billed = outcome(actual)
    if (typeof billed === "string") return
    expect(Math.abs(billed - actual.flowed[60]!), JSON.stringify(actual)).toBeLessThanOrEqual(actual.grid + jitterWh)
  })
})

it("does not hold a session with start and stop if the meter's rollover is known", () => {
  forSeeds(1000, (random) => {
    const actual = { ...overflowing(random), start: "none", stop: "none", grid: 1, isKnown: true } as const
    // A 0 may be a missing figure, and is not continued past the rollover.
    if (actual.flowed.some((wh) => actual.from + wh === actual.top)) return
    expect(outcome(actual), JSON.stringify(actual)).toBe(actual.flowed[60])
  })
})
