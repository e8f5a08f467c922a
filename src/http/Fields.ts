/**
 * The values that REST bodies and queries are made of, each with its bound and its words for what is wrong. Nothing passes that the
 * database could not hold: no control characters, no lone surrogates.
 */
import { Effect, Schema, SchemaIssue, SchemaTransformation } from "effect"
import { isChargerId } from "../domain/values/ChargerId.ts"
import { isUuid } from "../domain/values/Uuid7.ts"
import { isAlpha2, toAlpha3 } from "./Country.ts"

/** Control characters and lone surrogates: PostgreSQL refuses some, and no name needs any. */
const unstorable = /[\p{Cc}\p{Cs}]/u

/** A rule on a value: what is said when it does not hold, and its words in JSON Schema where there are any. */
export const rule = <T>(holds: (value: T) => boolean, message: string, json: Record<string, string | number> = {}) =>
  Schema.makeFilter((value: T) => (holds(value) ? undefined : message), { toJsonSchema: () => [json, true] })

/** A whole number from `low` to `high`. */
export const whole = (low: number, high: number) =>
  Schema.Int.check(
    rule((n: number) => n >= low && n <= high, `Must be a whole number from ${low} to ${high}`, {
      minimum: low,
      maximum: high
    })
  )

/** A number from `low` to `high`. */
export const between = (low: number, high: number) =>
  Schema.Finite.check(
    rule((n: number) => n >= low && n <= high, `Must lie between ${low} and ${high}`, { minimum: low, maximum: high })
  )

const storable = rule((text: string) => !unstorable.test(text), "Must have no control characters and be valid Unicode")

/** Longest name of a site, charger, key or organisation; longer ones break every list they are shown in. */
export const nameMaxLength = 255

/** Text of at most `max` UTF-16 units that holds more than blanks. */
export const text = (max: number) =>
  Schema.String.check(
    rule((value: string) => value.trim() !== "", "Must not be empty", { minLength: 1 }),
    Schema.isMaxLength(max),
    storable
  )

/** Text that may be empty. */
export const optionalText = (max: number) => Schema.String.check(Schema.isMaxLength(max), storable)

export const Name = text(nameMaxLength)

/** Letters, digits and `-_.~:*`, at most 48: what a URL path carries as it is. */
export const ChargerId = Schema.String.check(
  rule(
    isChargerId,
    "Must have 1 to 48 characters of A-Z a-z 0-9 - _ . ~ : * and be neither . nor .. (a URL path carries it as it is)",
    { pattern: "^(?!\\.{1,2}$)[A-Za-z0-9\\-_.~:*]{1,48}$" }
  )
)

export const Uuid = Schema.String.check(
  rule(isUuid, "Must be an id that this service gave out (a UUID)", { format: "uuid" })
)

/** 254 is SMTP's bound (RFC 5321 §4.5.3.1.3). Whether mail arrives is not asked here. */
export const Email = Schema.String.check(
  rule(
    (value: string) => /^[^\s@\p{Cc}\p{Cs}]+@[^\s@\p{Cc}\p{Cs}]+$/u.test(value) && value.length <= 254,
    "Must be an email address",
    { format: "email", maxLength: 254 }
  )
)

/** A whole number from `low` to `high` in a query: digits, and nothing else that JavaScript takes for a number. */
export const wholeInQuery = (low: number, high: number, description?: string) =>
  Schema.String.annotate(description === undefined ? {} : { description }).pipe(
    Schema.decodeTo(
      whole(low, high),
      SchemaTransformation.transformEffect({
        decode: (value: string, options) =>
          /^\d{1,10}$/.test(value)
            ? Effect.succeed(Number(value))
            : Effect.fail(
                new SchemaIssue.InvalidValue(
                  { message: `Must be a whole number from ${low} to ${high}` },
                  value,
                  options
                )
              ),
        encode: (n: number) => Effect.succeed(String(n))
      })
    )
  )

/** Yes or no in a query. */
export const flag = (description: string) =>
  Schema.Literals(["true", "false"])
    .annotate({ description })
    .pipe(
      Schema.decodeTo(
        Schema.Boolean,
        SchemaTransformation.transform({
          decode: (value) => value === "true",
          encode: (given: boolean) => (given ? "true" : "false")
        })
      )
    )

const rfc3339 = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/

/** Times lie between 1970 and 9999: what every part of the service, the database included, can hold and write. */
const year10000 = 253_402_300_800_000

/** ms epoch of an RFC 3339 time, whose offset must be there; undefined for anything else, the 30th of February included. */
export const parseTime = (value: string): number | undefined => {
  // In a query an unescaped "+" arrives as a blank: 2026-01-01T00:00:00 02:00.
  const found = rfc3339.exec(value.replace(/ (\d{2}:\d{2})$/, "+$1"))
  if (found === null) return undefined
  const [, date = "", time = "", fraction = "", offset = ""] = found
  const asUtc = Date.parse(`${date}T${time}Z`)
  if (Number.isNaN(asUtc) || !new Date(asUtc).toISOString().startsWith(`${date}T${time}`)) return undefined
  const at = Date.parse(`${date}T${time}${fraction.slice(0, 4)}${offset.toUpperCase()}`)
  return at >= 0 && at < year10000 ? at : undefined
}

const notATime = "Must be a time with its offset, as in 2026-11-20T08:30:00Z (RFC 3339)"

/** A time that is kept as it was given. */
export const TimeText = Schema.String.annotate({ format: "date-time" }).check(
  rule((value: string) => parseTime(value) !== undefined, notATime)
)

/** A time on the wire (RFC 3339, written in UTC) and ms epoch inside. */
export const Time = Schema.String.annotate({ format: "date-time" }).pipe(
  Schema.decodeTo(
    Schema.Finite,
    SchemaTransformation.transformEffect({
      decode: (value: string, options) => {
        const at = parseTime(value)
        return at === undefined
          ? Effect.fail(new SchemaIssue.InvalidValue({ message: notATime }, value, options))
          : Effect.succeed(at)
      },
      encode: (at: number) => Effect.succeed(new Date(at).toISOString())
    })
  )
)

/** ISO 3166-1 alpha-3; alpha-2 and lower case are taken. */
export const Country = Schema.String.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transformEffect({
      decode: (value: string, options) => {
        const code = toAlpha3(value)
        return code === undefined
          ? Effect.fail(
              new SchemaIssue.InvalidValue({ message: "Must be an ISO 3166-1 country code, as in DEU" }, value, options)
            )
          : Effect.succeed(code)
      },
      encode: (code: string) => Effect.succeed(code)
    })
  )
)

/** ISO 3166-1 alpha-2 in upper case: the country of a party (OCPI). */
export const CountryAlpha2 = Schema.String.check(
  rule(isAlpha2, "Must be an ISO 3166-1 alpha-2 country code in upper case, as in DE", { pattern: "^[A-Z]{2}$" })
)

const isTimeZone = (zone: string): boolean => {
  if (!/^[A-Za-z]/.test(zone)) return false
  try {
    return Intl.DateTimeFormat("en", { timeZone: zone }).format(0) !== ""
  } catch {
    return false
  }
}

/** A name of the IANA time zone database. */
export const TimeZone = Schema.String.check(
  rule(isTimeZone, "Must be a name of the IANA time zone database, as in Europe/Helsinki")
)

const isLocale = (tag: string): boolean => {
  if (tag.length > 35) return false
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

/** A language tag of BCP 47. */
export const Locale = Schema.String.check(rule(isLocale, "Must be a language tag (BCP 47), as in sv-SE"))
