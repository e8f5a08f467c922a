/**
 * Step sizes (OCPI 2.2.1 `mod_cdrs` §10.3.1): consumption is rounded up once per session, energy on its total, and of the times the one that was
 * paid for last: where a session ends with charging a few seconds of parking before do not cost a whole step. The step is that of the component used
 * last, and what is added is paid at its price.
 */
import type { Line } from "./Line.ts"
import { tidyWh } from "./Stretches.ts"
import type { Dimension } from "./Tariff.ts"

const secondMillis = 1000

type Used = Omit<Line, "billed">

/** What is missing to a whole number of steps, and the line that takes it: the last one. */
const missing = (lines: ReadonlyArray<Used>, unit: number): readonly [Used, number] | undefined => {
  const last = lines.at(-1)
  const step = (last?.priced.component.stepSize ?? 0) * unit
  if (last === undefined || step === 0) return undefined
  const total = tidyWh(lines.reduce((sum, { volume }) => sum + volume, 0))
  return [last, tidyWh(Math.ceil(total / step) * step - total)]
}

const isTimeOfSession = ({ phase, priced: { component } }: Used): boolean =>
  phase === "session" && (component.type === "TIME" || component.type === "PARKING_TIME")

/** The lines with what is to be paid of each; `lines` are in the order in which their components were used last. */
export const billedVolumes = (lines: ReadonlyArray<Used>, ended: boolean): ReadonlyArray<Line> => {
  const of = (dimension: Dimension, reserved: boolean) =>
    lines.filter((line) => line.priced.component.type === dimension && (line.phase !== "session") === reserved)
  const endsParked = lines.findLast(isTimeOfSession)?.priced.component.type === "PARKING_TIME"
  const added = new Map(
    [
      missing(of("ENERGY", false), 1),
      missing(of(endsParked ? "PARKING_TIME" : "TIME", false), secondMillis),
      missing(of("TIME", true), secondMillis)
    ].flatMap((one) => (one === undefined || !ended ? [] : [one]))
  )
  return lines.map((line) => ({ ...line, billed: tidyWh(line.volume + (added.get(line) ?? 0)) }))
}
