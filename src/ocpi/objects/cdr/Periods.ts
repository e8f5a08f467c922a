/**
 * Charging periods (OCPI 2.2.1 §10.4.6): what was measured in each stretch of one price. Of a reservation's stretch 2.1.1 can only say that there was
 * one: it has no word for that time, and no other time may be billed for it; and as a session or record begins with its charging there (2.1.1 §9.3.1, §10.3.1), so does that stretch.
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

/** Charging time is TIME, and the rest of a session PARKING_TIME; one that has no length yet is charging. */
const timeTypeOf = ({ charging, endedAt, reserved, startedAt }: Period): string =>
  reserved === true ? "RESERVATION_TIME" : charging || endedAt === startedAt ? "TIME" : "PARKING_TIME"

interface Timed {
  readonly period: Period
  /** Its time, in hours. */
  readonly time: Dimension
}

/** Of each kind of time the running sum is rounded and not each period, so that the periods add up to the totals (`totalsOf`). */
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

const currentOf = ({ maxCurrentA }: Period) =>
  some("MAX_CURRENT", maxCurrentA === undefined ? undefined : amount(maxCurrentA))

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

/** Those of a session or record that began at `startedAt`. */
export const periodsV211 = (startedAt: number, periods: ReadonlyArray<Period>) =>
  timed(periods).map(periodV211(startedAt))

const periodV22 =
  (tariffId: string | undefined) =>
  ({ period, time }: Timed) => ({
    ...start(period),
    dimensions:
      period.reserved === true
        ? [time]
        : [
            ...energyOf(period),
            time,
            ...currentOf(period),
            ...some("MAX_POWER", period.maxPowerW === undefined ? undefined : kilo(period.maxPowerW))
          ],
    ...field("tariff_id", tariffId)
  })

/** As records have them in 2.2 and later; `tariffId` is the one that prices them. */
export const periodsV22 = (tariffId: string | undefined, periods: ReadonlyArray<Period>) =>
  timed(periods).map(periodV22(tariffId))

/** Sessions may say more than records (OCPI 2.2.1 §10.4.2: "Session only"). */
export const sessionPeriodsV22 = (tariffId: string | undefined, periods: ReadonlyArray<Period>) => {
  const encode = periodV22(tariffId)
  return timed(periods).map((one) => {
    const { dimensions, ...rest } = encode(one)
    return { ...rest, dimensions: [...dimensions, ...some("STATE_OF_CHARGE", one.period.stateOfCharge)] }
  })
}
