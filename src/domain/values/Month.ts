/** Calendar months (`YYYY-MM`) in a time zone, for statistics. */
import { DateTime, Option } from "effect"

/** Half-open, ms epoch. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Months from 1970-01 to 9999-12: years with four digits that every part of the service can represent. */
const pattern = /^(19[7-9]\d|[2-9]\d{3})-(0[1-9]|1[0-2])$/

export const isMonth = (text: string): boolean => pattern.test(text)

/** The zone with an IANA name; UTC if the runtime does not know it. */
export const zoneOf = (timeZone: string): DateTime.TimeZone =>
  Option.getOrElse(DateTime.zoneMakeNamed(timeZone), () => DateTime.zoneMakeNamedUnsafe("UTC"))

/** The month in a zone at `now` (ms epoch). */
export const monthAt = (now: number, timeZone: string): string =>
  DateTime.formatIsoDate(DateTime.makeZonedUnsafe(now, { timeZone: zoneOf(timeZone) })).slice(0, 7)

/** The first instant of a month in a zone. If the clocks skip midnight, the instant after the gap. */
const beginningOf = (year: number, month: number, timeZone: DateTime.TimeZone): number =>
  DateTime.toEpochMillis(
    DateTime.makeZonedUnsafe(
      { year, month, day: 1 },
      { timeZone, adjustForTimeZone: true, disambiguation: "compatible" }
    )
  )

/**
 * From midnight on the first to midnight on the first of the next month, in the zone: 28 to 31 days, and an hour more or less when the clocks change.
 */
export const spanOf = (month: string, timeZone: string): Span => {
  const year = Number(month.slice(0, 4))
  const number = Number(month.slice(5, 7))
  const zone = zoneOf(timeZone)
  return {
    from: beginningOf(year, number, zone),
    to: number === 12 ? beginningOf(year + 1, 1, zone) : beginningOf(year, number + 1, zone)
  }
}

/** The time that is `months` calendar months before `now` (ms epoch), in UTC. */
export const monthsBefore = (now: number, months: number): number =>
  DateTime.toEpochMillis(DateTime.subtract(DateTime.makeUnsafe(now), { months }))
