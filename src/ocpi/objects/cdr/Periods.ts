/**
 * Charging periods (OCPI 2.2.1 §10.4.6): what was measured in each stretch of one price. Of a reservation's stretch 2.1.1 can only say that there was
 * one: it has no word for that time, and no other time may be billed for it; and as a session or record begins with its charging there (2.1.1 §9.3.1, §10.3.1), so does that stretch.
 */
import type { Period } from "../../../domain/tariff/Price.ts"
import { amount, hours, kilo } from "./Figures.ts"
import { printTimestamp } from "../../Timestamp.ts"
import { field } from "../Strict.ts"

interface Dimension {
  readonly type: string
  readonly volume: number
}

const some = (type: string, volume: number | undefined): ReadonlyArray<Dimension> =>
  volume === undefined ? [] : [{ type, volume }]

const energyOf = ({ energyWh }: Period) => some("ENERGY", energyWh > 0 ? kilo(energyWh) : undefined)

const lengthOf = ({ endedAt, startedAt }: Period): number => hours(endedAt - startedAt)

/** Charging time is TIME, and the rest of a session PARKING_TIME; one that has no length yet is charging. */
const timeOf = (period: Period): ReadonlyArray<Dimension> =>
  some(period.charging || period.endedAt === period.startedAt ? "TIME" : "PARKING_TIME", lengthOf(period))

const currentOf = ({ maxCurrentA }: Period) =>
  some("MAX_CURRENT", maxCurrentA === undefined ? undefined : amount(maxCurrentA))

const start = ({ startedAt }: Pick<Period, "startedAt">) => ({ start_date_time: printTimestamp(startedAt) })

/** Of a session or record that began at `startedAt`. */
export const periodV211 = (startedAt: number) => (period: Period) => {
  const flat = some("FLAT", period.elements.FLAT === undefined ? undefined : 1)
  const measured =
    period.reserved === true
      ? some("TIME", flat.length === 0 ? 0 : undefined)
      : [...energyOf(period), ...timeOf(period), ...currentOf(period)]
  return { ...start({ startedAt: Math.max(period.startedAt, startedAt) }), dimensions: [...flat, ...measured] }
}

/** As records have it in 2.2 and later; `tariffId` is the one that prices it. */
export const periodV22 = (tariffId: string | undefined) => (period: Period) => ({
  ...start(period),
  dimensions:
    period.reserved === true
      ? some("RESERVATION_TIME", lengthOf(period))
      : [
          ...energyOf(period),
          ...timeOf(period),
          ...currentOf(period),
          ...some("MAX_POWER", period.maxPowerW === undefined ? undefined : kilo(period.maxPowerW))
        ],
  ...field("tariff_id", tariffId)
})

/** Sessions may say more than records (OCPI 2.2.1 §10.4.2: "Session only"). */
export const sessionPeriodV22 = (tariffId: string | undefined) => {
  const encode = periodV22(tariffId)
  return (period: Period) => {
    const { dimensions, ...rest } = encode(period)
    const { stateOfCharge } = period
    return { ...rest, dimensions: [...dimensions, ...some("STATE_OF_CHARGE", stateOfCharge)] }
  }
}
