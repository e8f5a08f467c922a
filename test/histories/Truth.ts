/**
 * Random histories from a seed: the true energy at each connector, minute by minute, a tariff, and the messages of the charger in order. The expected
 * outcome is computed from the true energy, not from the messages.
 */
import { type Pricing, type Restrictions, weekdays } from "../../src/domain/tariff/Tariff.ts"
import type { Random } from "../support/random.ts"
import { slowBill } from "./SlowBill.ts"
import { iso, kWh, type Message, meter, type Outcome, power, sampled, start, stop, type Story, value } from "./Story.ts"

const minute = 60_000

/** Nights with a clock change, a leap day, the end of a month and of a year, and an ordinary day. */
const days = ["2026-03-29", "2026-10-25", "2028-02-29", "2026-12-31", "2026-05-20"]
const zones = ["Europe/Amsterdam", "UTC", "Asia/Kathmandu", "America/St_Johns", "Pacific/Auckland"]

const types = ["ENERGY", "FLAT", "PARKING_TIME", "TIME"] as const

const clock = (random: Random) =>
  `${String(random.between(0, 23)).padStart(2, "0")}:${random.pick(["00", "15", "30", "59"])}`

const someOf = (random: Random, chances: ReadonlyArray<readonly [number, () => Restrictions]>): Restrictions =>
  Object.assign({}, ...chances.map(([chance, make]) => (random.chance(chance) ? make() : {})))

const restrictionsOf = (random: Random, date: string): Restrictions =>
  someOf(random, [
    [0.4, () => ({ startTime: clock(random) })],
    [0.4, () => ({ endTime: clock(random) })],
    [0.2, () => ({ minKwh: random.between(0, 4) })],
    [0.2, () => ({ maxKwh: random.between(5, 12) })],
    [0.2, () => ({ minDuration: random.between(0, 50) * 60 })],
    [0.2, () => ({ maxDuration: random.between(51, 200) * 60 })],
    [0.2, () => ({ minPower: random.pick([0, 3, 6, 7]) })],
    [0.2, () => ({ maxPower: random.pick([7.5, 12, 15, 31]) })],
    [0.15, () => ({ dayOfWeek: [...weekdays.filter(() => random.chance(0.5)), random.pick(weekdays)] })],
    [0.1, () => ({ startDate: date })],
    [0.1, () => ({ endDate: date })]
  ])

const pricingOf = (random: Random, date: string): Pricing => {
  const elements = Array.from({ length: random.between(1, 5) }, () => {
    const priceComponents = random
      .shuffled(types)
      .slice(0, random.between(1, 4))
      .map((type) => ({
        type,
        price: random.between(0, 50_000) / 10_000,
        stepSize: random.pick([0, 1, 1, 60, 500, 900]),
        ...(random.chance(0.8) ? { vat: random.pick([0, 7, 9, 19, 21, 25.5]) } : {})
      }))
    const restrictions = restrictionsOf(random, date)
    // A tariff that ends before it begins, or that matches no moment, is refused before it prices anything.
    const isSound = restrictions.startDate === undefined || restrictions.endDate === undefined
    return random.chance(0.7) && isSound && restrictions.startTime !== restrictions.endTime
      ? {
          priceComponents,
          restrictions: {
            ...restrictions,
            ...(restrictions.dayOfWeek && { dayOfWeek: [...new Set(restrictions.dayOfWeek)] })
          }
        }
      : { priceComponents }
  })
  const withVat = (inclVat: number) => (random.chance(0.5) ? { inclVat } : {})
  return {
    currency: "EUR",
    elements,
    ...(random.chance(0.2) ? { minPrice: { exclVat: 2, ...withVat(2.2) } } : {}),
    ...(random.chance(0.2) ? { maxPrice: { exclVat: 20, ...withVat(23) } } : {})
  }
}

/** So many minutes at so many Wh each. Energy is in whole kWh, so that each amount is reached at the end of a minute. */
interface Segment {
  readonly minutes: number
  readonly wh: number
}

const segmentOf = (random: Random): Segment => {
  if (random.chance(0.3)) return { minutes: random.between(1, 60), wh: 0 }
  const wh = random.pick([50, 100, 125, 200, 250, 500])
  return { minutes: (1000 / wh) * random.between(1, 4), wh }
}

interface Drive {
  readonly of: string
  readonly evse: number
  readonly startedAt: number
  readonly meterStart: number
  readonly segments: ReadonlyArray<Segment>
  /** Its start was never answered: neither readings nor stop have a transaction id. */
  readonly offline: boolean
  /** Its stop is lost; the next start on the connector shows that it has ended. */
  readonly stopLost: boolean
}

/**
 * A register that is no round figure. A meter with only round ones counts as coarse, so that parking of a few minutes is not detected (decision
 * 0011).
 */
const registerOf = (random: Random): number => {
  const wh = random.between(2_000_000, 7_000_000)
  return wh % 10 === 0 ? wh + 1 : wh
}

/** Successive sessions at each connector, whose register only grows. */
const drivesOf = (random: Random, date: string, most: number): ReadonlyArray<Drive> => {
  const connectors = Array.from({ length: random.between(1, most) }, () => ({
    at: Date.parse(`${date}T00:00:00Z`) + random.between(-180, 600) * minute,
    register: registerOf(random)
  }))
  const drives = Array.from({ length: random.between(1, 3) }, (_, n): Drive => {
    const evse = random.between(1, connectors.length)
    const connector = connectors[evse - 1]!
    const segments = Array.from({ length: random.between(1, 6) }, () => segmentOf(random))
    const offline = random.chance(0.2)
    const ends = { offline, stopLost: random.chance(0.15) }
    const drive = { of: `CARD${n}`, evse, startedAt: connector.at, meterStart: connector.register, segments, ...ends }
    for (const { minutes, wh } of segments) {
      connector.at += minutes * minute
      connector.register += minutes * wh
    }
    connector.at += random.between(1, 90) * minute
    return drive
  })
  const isLast = ({ evse }: Drive, n: number) => !drives.slice(n + 1).some((next) => next.evse === evse)
  return drives.map((drive, n) => (isLast(drive, n) ? { ...drive, stopLost: false } : drive))
}

/** The samples of one moment, in one of the forms that meters send. */
const samplesOf = (random: Random, wh: number, flow: number): ReadonlyArray<unknown> => {
  const register = random.pick([
    [value(wh)],
    [kWh((wh / 1000).toFixed(3))],
    [value(wh, { unit: "Wh", context: "Sample.Clock", location: "Outlet" })],
    [value(wh - 2, { phase: "L1" }), value(1, { phase: "L2" }), value(1, { phase: "L3" })]
  ])
  return random.chance(0.3) ? [...register, power((flow * 60) / 1000)] : register
}

/** The messages of a session: readings as they come, or all of them within the stop. */
const messagesOf = (random: Random, drive: Drive): ReadonlyArray<Message> => {
  const { evse, meterStart, of, offline, segments, startedAt, stopLost } = drive
  let at = startedAt
  let wh = meterStart
  const readings: Array<Message> = []
  const within: Array<unknown> = []
  const way = random.pick(offline ? ["unnamed", "stop"] : ["named", "named", "unnamed", "stop"])
  for (const segment of segments) {
    at += segment.minutes * minute
    wh += segment.minutes * segment.wh
    const samples = samplesOf(random, wh, segment.wh)
    if (way === "stop") within.push(sampled(at, samples))
    else {
      const about = { connectorId: evse, ...(way === "unnamed" ? { transactionId: null } : {}) }
      readings.push(meter(at, samples, { of, with: about }))
    }
  }
  const data = within.length === 0 ? {} : { transactionData: within }
  const end = stop(at, wh, { of, with: offline ? { ...data, transactionId: random.pick([-1, 0]) } : data })
  const begin = start(startedAt, meterStart, { of, with: { connectorId: evse } })
  return stopLost ? [begin, ...readings] : [begin, ...readings, end]
}

/** A random history of one connector or two: the messages in order, with the expected outcome of each session. */
export const truthOf = (
  random: Random,
  seed: number,
  given?: { readonly tariff: Pricing; readonly connectors: 1 }
): Story => {
  const date = random.pick(days)
  const zone = random.pick(zones)
  const tariff = given?.tariff ?? pricingOf(random, date)
  const drives = drivesOf(random, date, given?.connectors ?? 2)
  const expected = drives.map(({ of, segments, startedAt, stopLost }): [string, Outcome] => {
    if (stopLost) return [of, { held: "StopMissing" }]
    const perMinute = segments.flatMap(({ minutes, wh }) => Array.from({ length: minutes }, () => wh))
    return [of, slowBill(tariff, { startedAt, perMinute, timeZone: zone })]
  })
  return {
    name: `the history of seed ${seed}, at ${iso(drives[0]!.startedAt)}`,
    zone,
    tariff,
    steps: drives.flatMap((drive) => messagesOf(random, drive)).toSorted((a, b) => a.time - b.time),
    expected: Object.fromEntries(expected)
  }
}
