/**
 * The power that a session draws now: as the meter reports it, otherwise what two readings of its register show, where the register counts finely enough
 * for that. It is for people who watch; prices are made from the readings themselves.
 */
import { measuredOf, type Sample } from "./MeterValue.ts"

const reportedPower = "Power.Active.Import"

/** More than any charger delivers; a higher figure is a mistake of the meter. */
const mostW = 10_000_000

/** How long a reading counts as present, ms: the longest interval at which chargers are usually set to report. */
export const presentPowerMillis = 15 * 60_000

const whole = (watts: number): number | undefined => (watts <= mostW ? Math.round(watts) : undefined)

/** What a reading reports, in whole W; undefined where it reports none. */
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

/** A meter that counts in these steps has only multiples of them, and may have reported up to one step too little. */
const steps = [1000, 100, 10]

/** An error that does not matter: below it, or a fifth of the power. */
const toleratedW = 1000

const hourMillis = 3_600_000

/** The average power between two readings of a register, in whole W; undefined where the register counts too coarsely for the time between them. */
export const powerBetween = (before: Register, after: Register): number | undefined => {
  const hours = (after.at - before.at) / hourMillis
  const wh = after.wh - before.wh
  if (hours <= 0 || hours > 1 || wh < 0) return undefined
  const step = steps.find((one) => before.wh % one === 0 && after.wh % one === 0) ?? 1
  const [watts, error] = [wh / hours, step / hours]
  return error <= Math.max(toleratedW, watts / 5) ? whole(watts) : undefined
}
