/**
 * Charging periods (OCPI 2.2.1 §10.4.6): what was measured in each part of a session with one price. 2.1.1 cannot express a reservation's
 * time, and no other time may be billed for it, so such a period only shows that there was one. In 2.1.1 a session or record begins with
 * charging (2.1.1 §9.3.1, §10.3.1), so the reservation's period gets that start.
 */
import type { Period } from "../../../domain/tariff/Period.ts"
import { amount, hours, kilo } from "./Figures.ts"
import { printTimestamp } from "../../protocol/Timestamp.ts"
import { field } from "../Strict.ts"

interface Dimension {
  readonly type: string
  readonly volume: number
}

const some = (type: string, volume: number | undefined): ReadonlyArray<Dimension> =>
  volume === undefined ? [] : [{ type, volume }]

const energyOf = ({ energyWh }: Period) => some("ENERGY", energyWh > 0 ? kilo(energyWh) : undefined)

/** The kind of a period's time: TIME while charging, otherwise PARKING_TIME. A period without a length yet counts as charging. */
const timeTypeOf = ({ charging, endedAt, reserved, startedAt }: Period): string =>
  reserved === true ? "RESERVATION_TIME" : charging || endedAt === startedAt ? "TIME" : "PARKING_TIME"

interface Timed {
  readonly period: Period
  /** The period's time, in hours. */
  readonly time: Dimension
}

/** Rounds the running sum of each kind of time rather than each period, so that the periods add up to the totals (`totalsOf`). */
const timed = (periods: ReadonlyArray<Period>): ReadonlyArray<Timed> => {
  const millis = new Map<string, number>()
  return periods.map((period) => {
    const type = timeTypeOf(period)
    const before = millis.get(type) ?? 0
    const after = before + period.endedAt - period.startedAt
    millis.set(type, after)
    return { period, time: { type, volume: amount(hours(after) - hours(before)) } }
  })
}

/** The least and the highest value. If the tariff depends on it, a reader tests its restrictions against these. */
const range = (of: string, least: number | undefined, highest: number | undefined): ReadonlyArray<Dimension> => [
  ...some(`MIN_${of}`, least),
  ...some(`MAX_${of}`, highest)
]

const maybe = (convert: (value: number) => number, value: number | undefined) =>
  value === undefined ? undefined : convert(value)

const currentOf = ({ maxCurrentA, minCurrentA }: Period) =>
  range("CURRENT", maybe(amount, minCurrentA), maybe(amount, maxCurrentA))

const powerOf = ({ maxPowerW, minPowerW }: Period) => range("POWER", maybe(kilo, minPowerW), maybe(kilo, maxPowerW))

const start = ({ startedAt }: Pick<Period, "startedAt">) => ({ start_date_time: printTimestamp(startedAt) })

const periodV211 =
  (startedAt: number) =>
  ({ period, time }: Timed) => {
    const flat = some("FLAT", period.elements.FLAT === undefined ? undefined : 1)
    const measured =
      period.reserved === true
        ? some("TIME", flat.length === 0 ? 0 : undefined)
        : [...energyOf(period), time, ...currentOf(period)]
    return { ...start({ startedAt: Math.max(period.startedAt, startedAt) }), dimensions: [...flat, ...measured] }
  }

/** The periods of a session or record that began at `startedAt`. */
export const periodsV211 = (startedAt: number, periods: ReadonlyArray<Period>) =>
  timed(periods).map(periodV211(startedAt))

const periodV22 =
  (tariffId: string | undefined) =>
  ({ period, time }: Timed) => ({
    ...start(period),
    dimensions:
      period.reserved === true ? [time] : [...energyOf(period), time, ...currentOf(period), ...powerOf(period)],
    ...field("tariff_id", tariffId)
  })

/** The periods of a record in 2.2 and later; `tariffId` is the tariff that prices them. */
export const periodsV22 = (tariffId: string | undefined, periods: ReadonlyArray<Period>) =>
  timed(periods).map(periodV22(tariffId))

/** The periods of a session, which may contain more than those of a record (OCPI 2.2.1 §10.4.2: "Session only"). */
export const sessionPeriodsV22 = (tariffId: string | undefined, periods: ReadonlyArray<Period>) => {
  const encode = periodV22(tariffId)
  return timed(periods).map((one) => {
    const { dimensions, ...rest } = encode(one)
    return { ...rest, dimensions: [...dimensions, ...some("STATE_OF_CHARGE", one.period.stateOfCharge)] }
  })
}
