/** Numbers, money and times as people read them. Times are local; the title has UTC. */
import { language, t } from "../text/text.ts"

const made = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>()
const cached = <A extends Intl.NumberFormat | Intl.DateTimeFormat>(key: string, make: (locale: string) => A): A => {
  const whole = `${language()}:${key}`
  const known = made.get(whole) as A | undefined
  if (known !== undefined) return known
  const fresh = make(language())
  made.set(whole, fresh)
  return fresh
}

const digits = (n: number) =>
  cached(
    `digits${n}`,
    (locale) => new Intl.NumberFormat(locale, { minimumFractionDigits: n, maximumFractionDigits: n })
  )

export const count = (n: number): string => digits(0).format(n)
export const kw = (watts: number): string => digits(1).format(watts / 1000)
export const kwh = (wattHours: number): string => digits(2).format(wattHours / 1000)
export const percent = (of: number): string => `${digits(1).format(of)} %`

/** With the number of digits of the currency. */
export const money = (amount: number, currency: string): string =>
  cached(
    `money${currency}`,
    (locale) => new Intl.NumberFormat(locale, { style: "currency", currency, currencyDisplay: "code" })
  ).format(amount)

/** A price or quantity with all its digits, four at most. */
export const exact = (n: number): string =>
  cached("exact", (locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 4 })).format(n)

export const utc = (at: number): string => new Date(at).toISOString()

const clockFormat = () =>
  cached(
    "clock",
    (locale) =>
      new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false })
  )
const shortFormat = () =>
  cached("short", (locale) => new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", hour12: false }))
const dayFormat = () =>
  cached("day", (locale) => new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric" }))
const dayTimeFormat = (year?: "numeric") =>
  cached(
    `dayTime${year ?? ""}`,
    (locale) =>
      new Intl.DateTimeFormat(locale, {
        day: "numeric",
        month: "short",
        year,
        hour: "2-digit",
        minute: "2-digit",
        hour12: false
      })
  )

export const clock = (at: number): string => clockFormat().format(at)
export const hourMinute = (at: number): string => shortFormat().format(at)
export const day = (at: number): string => dayFormat().format(at)

/** The time if it is today; on other days with the day, and in other years with the year. */
export const moment = (at: number, now: number = Date.now()): string => {
  const [then, today] = [new Date(at), new Date(now)]
  if (then.toDateString() === today.toDateString()) return clockFormat().format(at)
  return dayTimeFormat(then.getFullYear() === today.getFullYear() ? undefined : "numeric").format(at)
}

export const ago = (at: number, now: number): string => {
  const s = Math.round((now - at) / 1000)
  if (s < 5) return t("time.now")
  if (s < 60) return t("time.seconds", { n: s })
  if (s < 3600) return t("time.minutes", { n: Math.floor(s / 60) })
  if (s < 86_400) return t("time.hours", { n: Math.floor(s / 3600) })
  return s < 7 * 86_400 ? t("time.days", { n: Math.floor(s / 86_400) }) : day(at)
}

/** Milliseconds as `1 h 05 min`. */
export const duration = (millis: number): string => {
  const minutes = Math.max(0, Math.floor(millis / 60_000))
  if (minutes < 1) return t("time.seconds", { n: Math.max(0, Math.round(millis / 1000)) })
  const rest = minutes % 60
  return minutes < 60
    ? t("time.minutes", { n: minutes })
    : `${t("time.hours", { n: Math.floor(minutes / 60) })} ${t("time.minutes", { n: String(rest).padStart(2, "0") })}`
}

/** Bytes as kB or MB. */
export const bytes = (n: number): string =>
  n < 1000 ? `${n} B` : n < 1_000_000 ? `${digits(1).format(n / 1000)} kB` : `${digits(1).format(n / 1_000_000)} MB`
