/** Random tariffs and sessions, for property tests of prices. */
import type { PricedReading, StatusChange } from "../../../src/domain/tariff/Stretches.ts"
import { weekdays } from "../../../src/domain/tariff/Tariff.ts"
import type { Random } from "../../support/random.ts"
import type { SlowComponent, SlowElement } from "./SlowPrice.ts"

const second = 1000
const types = ["ENERGY", "FLAT", "PARKING_TIME", "TIME"] as const

const time = (random: Random) =>
  `${String(random.between(0, 23)).padStart(2, "0")}:${random.pick(["00", "15", "30", "59"])}`

const restrictionsOf = (random: Random, day: string) => ({
  ...(random.chance(0.4) ? { startTime: time(random) } : {}),
  ...(random.chance(0.4) ? { endTime: time(random) } : {}),
  ...(random.chance(0.2) ? { minKwh: random.between(0, 4) } : {}),
  ...(random.chance(0.2) ? { maxKwh: random.between(5, 9) } : {}),
  ...(random.chance(0.2) ? { minDuration: random.between(0, 3000) } : {}),
  ...(random.chance(0.2) ? { maxDuration: random.between(3001, 9000) } : {}),
  ...(random.chance(0.2) ? { minPower: random.pick([0, 3.6, 5, 10]) } : {}),
  ...(random.chance(0.2) ? { maxPower: random.pick([7.2, 15, 18]) } : {}),
  ...(random.chance(0.2) ? { dayOfWeek: weekdays.filter(() => random.chance(0.6)) } : {}),
  ...(random.chance(0.1) ? { startDate: day } : {}),
  ...(random.chance(0.1) ? { endDate: day } : {})
})

export const elementsOf = (random: Random, day: string): ReadonlyArray<SlowElement> =>
  Array.from({ length: random.between(1, 6) }, () => {
    const priceComponents = random
      .shuffled(types)
      .slice(0, random.between(1, 4))
      .map((type): SlowComponent => ({
        type,
        price: random.between(0, 50_000) / 10_000,
        stepSize: random.pick([0, 1, 60, 500, 900])
      }))
    const restrictions = restrictionsOf(random, day)
    const { dayOfWeek } = restrictions
    // A tariff with an empty list of days is refused before it is priced.
    if (dayOfWeek?.length === 0) return { priceComponents }
    return random.chance(0.7) ? { priceComponents, restrictions } : { priceComponents }
  })

/** Nights when the clocks change, a leap day, the end of a month and a year, and an ordinary day. */
export const days = ["2026-03-29", "2026-10-25", "2028-02-29", "2026-12-31", "2026-05-20"]

/** What shows whether a vehicle is parked. */
const parkingEvidence = ["register", "statuses", "power"] as const

const statusesFor = {
  parked: ["SuspendedEV", "Finishing"],
  paused: ["SuspendedEVSE"],
  none: ["Charging", "Preparing"]
} as const

/**
 * Stretches of whole minutes; 1, 2 and 5 Wh a second reach every whole kWh on a whole second. Some are shown by a fine register alone, some by
 * the reported vehicle status, some by the power besides a register that is too coarse.
 */
export const sessionOf = (random: Random, day: string, startsWithin: readonly [number, number] = [-180, 1440]) => {
  const startedAt = Date.parse(`${day}T00:00:00Z`) + random.between(...startsWithin) * 60 * second
  const evidence = random.pick(parkingEvidence)
  const flow: Array<number> = []
  const parked: Array<boolean> = []
  const readings: Array<PricedReading> = []
  const statuses: Array<StatusChange> = []
  let energyWh = 0
  for (let n = random.between(1, 8); n > 0; n--) {
    const length = random.between(1, 40) * 60
    const wh = random.pick([0, 1, 2, 5])
    const said = evidence === "statuses" ? random.pick(["parked", "paused", "none"] as const) : "none"
    const isParked = said === "none" ? wh === 0 : said === "parked"
    if (evidence === "statuses") {
      const at = startedAt + (flow.length + (flow.length === 0 && random.chance(0.5) ? -60 : 0)) * second
      // The status that ends the previous session has no meaning for this one.
      statuses.push({
        at,
        status: at <= startedAt && said === "parked" ? "SuspendedEV" : random.pick(statusesFor[said])
      })
    }
    for (let i = 0; i < length; i++) {
      flow.push(wh)
      parked.push(isParked)
    }
    energyWh += wh * length
    const measured = evidence === "power" ? { powerW: wh * 3600 } : {}
    readings.push({ at: startedAt + flow.length * second, energyWh, ...measured })
  }
  const resolution = evidence === "power" ? { wh: 1000, isProven: true } : undefined
  return { startedAt, flow, parked, readings, statuses, resolution, endedAt: startedAt + flow.length * second }
}

export const zones = ["Europe/Amsterdam", "UTC", "Asia/Kathmandu", "America/St_Johns", "Pacific/Auckland"]
