/**
 * The values in REST bodies and queries, each with its limits and its error message. They accept nothing that the database cannot store: no
 * control characters and no lone surrogates.
 */
import { Effect, Schema, SchemaIssue, SchemaTransformation } from "effect"
import { isChargerId } from "../domain/values/ChargerId.ts"
import { isUuid } from "../domain/values/Uuid7.ts"
import { isAlpha2, toAlpha3 } from "./Country.ts"

/** Control characters and lone surrogates: PostgreSQL refuses some of them, and no name needs any. */
const unstorable = /[\p{Cc}\p{Cs}]/u

/** A rule for a value, with its error message and, if JSON Schema can express it, its keywords there. */
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
    rule((n: number) => n >= low && n <= high, `Must be between ${low} and ${high}`, { minimum: low, maximum: high })
  )

const storable = rule((text: string) => !unstorable.test(text), "Must be valid Unicode without control characters")

/** Longest name of a site, charger, key or organisation. A longer one would break the layout of every list that shows it. */
export const nameMaxLength = 255

/** Text of at most `max` UTF-16 code units that is not blank. */
export const text = (max: number) =>
  Schema.String.check(
    rule((value: string) => value.trim() !== "", "Must not be empty", { minLength: 1 }),
    Schema.isMaxLength(max),
    storable
  )

/** Text that may be empty. */
export const optionalText = (max: number) => Schema.String.check(Schema.isMaxLength(max), storable)

export const Name = text(nameMaxLength)

/** Letters, digits and `-_.~:*`, at most 48 characters: all of them can be in a URL path without encoding. */
export const ChargerId = Schema.String.check(
  rule(
    isChargerId,
    "Must have 1 to 48 characters of A-Z a-z 0-9 - _ . ~ : * and be neither . nor .. (it is part of a URL path)",
    { pattern: "^(?!\\.{1,2}$)[A-Za-z0-9\\-_.~:*]{1,48}$" }
  )
)

export const Uuid = Schema.String.check(rule(isUuid, "Must be an id from this service (a UUID)", { format: "uuid" }))

/** At most 254 characters, the limit of SMTP (RFC 5321 §4.5.3.1.3). This does not check whether the address receives mail. */
export const Email = Schema.String.check(
  rule(
    (value: string) => /^[^\s@\p{Cc}\p{Cs}]+@[^\s@\p{Cc}\p{Cs}]+$/u.test(value) && value.length <= 254,
    "Must be an email address",
    { format: "email", maxLength: 254 }
  )
)

/** A whole number from `low` to `high` in a query. Only digits are accepted, not the other forms that JavaScript parses as a number. */
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

/** A boolean in a query. */
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

/** Times are between 1970 and 9999, a range that every part of the service, including the database, can store and print. */
const year10000 = 253_402_300_800_000

/**
 * The ms epoch of an RFC 3339 time, which must have an offset; undefined for anything else, including impossible dates such as 30 February.
 */
export const parseTime = (value: string): number | undefined => {
  // In a query an unescaped "+" arrives as a space: 2026-01-01T00:00:00 02:00.
  const found = rfc3339.exec(value.replace(/ (\d{2}:\d{2})$/, "+$1"))
  if (found === null) return undefined
  const [, date = "", time = "", fraction = "", offset = ""] = found
  const asUtc = Date.parse(`${date}T${time}Z`)
  if (Number.isNaN(asUtc) || !new Date(asUtc).toISOString().startsWith(`${date}T${time}`)) return undefined
  const at = Date.parse(`${date}T${time}${fraction.slice(0, 4)}${offset.toUpperCase()}`)
  return at >= 0 && at < year10000 ? at : undefined
}

const notATime = "Must be a time with an offset, such as 2026-11-20T08:30:00Z (RFC 3339)"

/** A time that is kept as the text that was sent. */
export const TimeText = Schema.String.annotate({ format: "date-time" }).check(
  rule((value: string) => parseTime(value) !== undefined, notATime)
)

/** A time: RFC 3339 on the wire (written in UTC), ms epoch inside the service. */
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

/** ISO 3166-1 alpha-3; alpha-2 and lower case are accepted too. */
export const Country = Schema.String.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transformEffect({
      decode: (value: string, options) => {
        const code = toAlpha3(value)
        return code === undefined
          ? Effect.fail(
              new SchemaIssue.InvalidValue(
                { message: "Must be an ISO 3166-1 country code, such as DEU" },
                value,
                options
              )
            )
          : Effect.succeed(code)
      },
      encode: (code: string) => Effect.succeed(code)
    })
  )
)

/** ISO 3166-1 alpha-2 in upper case: the country of a party (OCPI). */
export const CountryAlpha2 = Schema.String.check(
  rule(isAlpha2, "Must be an ISO 3166-1 alpha-2 country code in upper case, such as DE", { pattern: "^[A-Z]{2}$" })
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
  rule(isTimeZone, "Must be a name from the IANA time zone database, such as Europe/Helsinki")
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
export const Locale = Schema.String.check(rule(isLocale, "Must be a language tag (BCP 47), such as sv-SE"))
