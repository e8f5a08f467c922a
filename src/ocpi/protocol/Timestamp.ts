/**
 * Times on the wire. Partners write them with and without a zone, with fractions and with offsets. We write them in the one form that every
 * version accepts (OCPI 2.2.1 §4.4 DateTime: UTC, `Z`; in 2.1.1 at most 25 characters).
 */
import { Effect, Schema, SchemaIssue, SchemaTransformation } from "effect"

const written = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(\.\d{1,9})?([Zz]|[+-]\d{2}:?\d{2})?$/

/** The ms epoch of a time as partners write it, in UTC if it has no zone; undefined if it is not a time. */
export const parseTimestamp = (text: string): number | undefined => {
  const found = written.exec(text.trim())
  if (found === null) return undefined
  const [, date = "", time = "", fraction = "", zone = "Z"] = found
  // Refuses a day that the month does not have, which would roll over into the next month.
  const plain = Date.parse(`${date}T${time}Z`)
  if (Number.isNaN(plain) || !new Date(plain).toISOString().startsWith(`${date}T${time}`)) return undefined
  const offset = zone.toUpperCase().replace(/^([+-]\d{2}):?(\d{2})$/, "$1:$2")
  const at = Date.parse(`${date}T${time}${fraction.slice(0, 4)}${offset}`)
  return Number.isNaN(at) ? undefined : at
}

/** Whole seconds: fractions are longer than 2.1.1 allows, and some partners refuse them. */
export const printTimestamp = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`

/** A DateTime on the wire, ms epoch inside. */
export const Timestamp = Schema.String.pipe(
  Schema.decodeTo(
    Schema.Finite,
    SchemaTransformation.transformEffect({
      decode: (text: string, options) => {
        const at = parseTimestamp(text)
        const message = "must be a date and time, such as 2026-11-20T08:30:00Z"
        return at === undefined
          ? Effect.fail(new SchemaIssue.InvalidValue({ message }, text, options))
          : Effect.succeed(at)
      },
      encode: (at: number) => Effect.succeed(printTimestamp(at))
    })
  )
)
