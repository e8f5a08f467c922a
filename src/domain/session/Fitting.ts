/**
 * Readings under an energy that an operator said in place of the meter's. They still tell when it flowed: without this all that was corrected
 * away would be parking.
 */
import { jitterWh } from "./Counting.ts"

/** Registers of a session as its start and stop have them, and the energy that counts. */
interface Fitted {
  readonly meterStartWh: number
  readonly meterStopWh: number | undefined
  readonly energyWh: number
}

/**
 * How the energy that a reading reports, since the start and in Wh, is brought to the energy that counts. As it is where it fits between nothing
 * and that, for then the stop was wrong; counted back from the stop where it fits so, for then the start was; otherwise in proportion. `reported` is
 * what the readings within the session come to.
 */
export const fitting = (
  { energyWh, meterStartWh, meterStopWh = meterStartWh }: Fitted,
  reported: ReadonlyArray<number>
): ((wh: number) => number) => {
  const measured = meterStopWh - meterStartWh
  const missing = energyWh - measured
  const fits = (shift: number) => reported.every((wh) => wh + shift >= -jitterWh && wh + shift <= energyWh + jitterWh)
  if (missing === 0 || measured <= 0 || fits(0)) return (wh) => wh
  return fits(missing) ? (wh) => wh + missing : (wh) => Math.round((wh * energyWh) / measured)
}
