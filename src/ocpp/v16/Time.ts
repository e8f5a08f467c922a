/**
 * Times as chargers write them. OCPP 1.6 requires ISO 8601 with a zone (§3.14 recommends UTC with Z). Chargers omit the
 * zone, shorten it, or send a text that is not a time. Every text that names one instant is accepted; the domain
 * decides whether the instant is plausible.
 */
import type { ChargerTime } from "../../domain/charger/ChargerEvent.ts"

const wellFormed =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,12})?(?:Z|[+-][01]\d:[0-5]\d)$/

const taken =
  /^\s*(\d{4})-(\d{2})-(\d{2})[Tt ]+(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,12}))?)?\s*([Zz]|[+-]\d{2}(?::?\d{2})?)?\s*$/

/** Midnight UTC of a day. `Date.UTC` is not used, since it reads years below 100 as years of the last century. */
const midnight = (year: number, month: number, day: number): number => new Date(0).setUTCFullYear(year, month - 1, day)

/** True if the month has this day; the engine's own reader would continue into the next month. */
const isDay = (year: number, month: number, day: number): boolean =>
  day >= 1 && (day <= 28 || new Date(midnight(year, month, day)).getUTCDate() === day)

/** True for a time as OCPP requires it: RFC 3339 with a zone. */
export const isTime = (text: string): boolean =>
  wellFormed.test(text) && isDay(Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8, 10)))

/**
 * How a text deviates from such a time. `no zone` is read as UTC, `short offset` and `loose form` as they are meant,
 * `not a time` not at all.
 */
export type TimeDeviation = "no zone" | "short offset" | "loose form" | "not a time"

interface LooseTime {
  readonly at: number | undefined
  readonly deviation: TimeDeviation
}

const notATime: LooseTime = { at: undefined, deviation: "not a time" }

/** Minutes east of Greenwich; undefined for more than a day. */
const offsetMinutes = (zone: string): number | undefined => {
  if (/^z$/i.test(zone)) return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(":", "") || "0")
  if (hours > 23 || minutes > 59) return undefined
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes)
}

const readLoosely = (text: string): LooseTime => {
  // No time is longer than this, even with spaces.
  const parts = text.length > 64 ? null : taken.exec(text)
  if (parts === null) return notATime
  const [, year, month, day, hour, minute, second = "0", fraction = "0", zone] = parts
  const [y, mo, d, h, mi, s] = [year, month, day, hour, minute, second].map(Number)
  if (y === undefined || mo === undefined || d === undefined) return notATime
  if (h === undefined || mi === undefined || s === undefined) return notATime
  const isMidnight = h === 24 && mi === 0 && s === 0
  // 60 is a leap second, and midnight may be written as the end of its day (ISO 8601-1 §5.3).
  if (mo < 1 || mo > 12 || !isDay(y, mo, d) || (h > 23 && !isMidnight) || mi > 59 || s > 60) return notATime
  const offset = zone === undefined ? 0 : offsetMinutes(zone)
  if (offset === undefined) return notATime
  const at = midnight(y, mo, d) + ((h * 60 + mi) * 60 + s) * 1000 + Math.floor(Number(`0.${fraction}`) * 1000)
  const deviation = zone === undefined ? "no zone" : /^[+-]\d{2}$/.test(zone) ? "short offset" : "loose form"
  return { at: at - offset * 60_000, deviation }
}

/** How the text deviates from a time as OCPP requires it; undefined if it does not. */
export const timeDeviation = (text: string): TimeDeviation | undefined =>
  isTime(text) ? undefined : readLoosely(text).deviation

/** The time that a charger sent, with its text. Undefined `raw` means that the charger sent none. */
export const readTime = (raw: string | undefined): ChargerTime => {
  if (raw === undefined) return { at: undefined, raw }
  return { at: isTime(raw) ? Date.parse(raw) : readLoosely(raw).at, raw }
}

/** The last second that a date with a year of four digits can name. */
export const latestTime = Date.UTC(9999, 11, 31, 23, 59, 59)

/**
 * Writes a time as UTC with a trailing Z, the only form that every charger can read. Undefined if it is before 1970 or
 * needs a year of more than four digits.
 */
export const writeTime = (at: number): string | undefined =>
  at >= 0 && at <= latestTime ? new Date(at).toISOString() : undefined
