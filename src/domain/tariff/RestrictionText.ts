/** A tariff element's restrictions as a short text for a line of a bill: "22:00–06:00, Mo–Fr". */
import { type Restrictions, weekdays } from "./Tariff.ts"

const range = (
  least: number | undefined,
  below: number | undefined,
  textOf: (n: number) => string
): ReadonlyArray<string> => {
  if (least === undefined) return below === undefined ? [] : [`below ${textOf(below)}`]
  return [below === undefined ? `from ${textOf(least)}` : `${textOf(least)} to ${textOf(below)}`]
}

const times = ({ endTime, startTime }: Restrictions): ReadonlyArray<string> =>
  startTime === undefined && endTime === undefined ? [] : [`${startTime ?? "00:00"}–${endTime ?? "24:00"}`]

const dates = ({ endDate, startDate }: Restrictions): ReadonlyArray<string> => [
  ...(startDate === undefined ? [] : [`from ${startDate}`]),
  ...(endDate === undefined ? [] : [`before ${endDate}`])
]

const shortDay = (day: number): string => {
  const name = weekdays[day] ?? ""
  return `${name.slice(0, 1)}${name.slice(1, 2).toLowerCase()}`
}

/** Three or more days in a row are written as a range. */
const days = ({ dayOfWeek = [] }: Restrictions): ReadonlyArray<string> => {
  const wanted = [...new Set(dayOfWeek.map((day) => weekdays.indexOf(day)))].sort((a, b) => a - b)
  if (wanted.length === 0 || wanted.length === weekdays.length) return []
  const runs: Array<Array<number>> = []
  for (const day of wanted) {
    const last = runs.at(-1)
    if (last !== undefined && last.at(-1) === day - 1) last.push(day)
    else runs.push([day])
  }
  return runs.map((run) =>
    run.length > 2 ? `${shortDay(run[0]!)}–${shortDay(run.at(-1)!)}` : run.map(shortDay).join(" ")
  )
}

const duration = (seconds: number): string =>
  seconds % 3600 === 0 ? `${seconds / 3600} h` : seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`

const unused = (reservation: Restrictions["reservation"]): ReadonlyArray<string> =>
  reservation === undefined ? [] : [reservation === "RESERVATION" ? "reservation" : "reservation not used"]

/** The text; undefined if nothing is restricted. */
export const restrictionText = (given: Restrictions): string | undefined => {
  const parts = [
    ...unused(given.reservation),
    ...times(given),
    ...days(given),
    ...dates(given),
    ...range(given.minDuration, given.maxDuration, duration),
    ...range(given.minKwh, given.maxKwh, (n) => `${n} kWh`),
    ...range(given.minPower, given.maxPower, (n) => `${n} kW`),
    ...range(given.minCurrent, given.maxCurrent, (n) => `${n} A`)
  ]
  return parts.length === 0 ? undefined : parts.join(", ")
}
