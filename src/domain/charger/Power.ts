/**
 * The power that a session draws now: as the meter reports it, or computed from two readings of its register if the register is precise enough. It is
 * only for display; prices are computed from the readings themselves.
 */
import { measuredOf, type Sample } from "./MeterValue.ts"

const reportedPower = "Power.Active.Import"

/** More than any charger delivers. A higher value is an error of the meter. */
const mostW = 10_000_000

/** How long a reading counts as current, in ms: the longest reporting interval that chargers usually have. */
export const presentPowerMillis = 15 * 60_000

const whole = (watts: number): number | undefined => (watts <= mostW ? Math.round(watts) : undefined)

/** The power that a reading reports, in whole W; undefined if it reports none. */
export const reportedPowerOf = (samples: ReadonlyArray<Sample>): number | undefined => {
  if (!samples.some(({ measurand }) => measurand === reportedPower)) return undefined
  const watts = measuredOf(samples, reportedPower)
  return watts === undefined ? undefined : whole(watts)
}

interface Register {
  readonly wh: number
  /** ms epoch. */
  readonly at: number
}

/** Possible step sizes of a register, in Wh. A register that counts in steps may report up to one step too little. */
const steps = [1000, 100, 10]

/** The tolerated error in W; a fifth of the power is tolerated too. */
const toleratedW = 1000

const hourMillis = 3_600_000

/** The average power between two register readings, in whole W; undefined if the register's step is too large for the time between them. */
export const powerBetween = (before: Register, after: Register): number | undefined => {
  const hours = (after.at - before.at) / hourMillis
  const wh = after.wh - before.wh
  if (hours <= 0 || hours > 1 || wh < 0) return undefined
  const step = steps.find((one) => before.wh % one === 0 && after.wh % one === 0) ?? 1
  const [watts, error] = [wh / hours, step / hours]
  return error <= Math.max(toleratedW, watts / 5) ? whole(watts) : undefined
}
