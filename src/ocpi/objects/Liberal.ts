/**
 * Schemas for parts of partners' objects. They accept more than the standard allows, since a refused object can mean a failed registration
 * or a driver who cannot charge. What we send is strict, within each version's lengths.
 */
import { Schema, SchemaTransformation } from "effect"

/** Longest text that is accepted where the standard allows less. Stored texts stay within this limit. */
const textMax = 1024

/** Text that the database can store. */
export const Text = Schema.String.check(
  Schema.isMaxLength(textMax),
  Schema.makeFilter((text) => (text.includes("\0") || !text.isWellFormed() ? "must be valid text" : undefined))
)

/**
 * A credentials token, not encoded: characters that a header can carry (OCPI 2.2.1 §7.3.1). The standard allows 64 characters, but partners
 * use more.
 */
export const CredentialsToken = Schema.String.check(
  Schema.makeFilter((text) =>
    /^[\u0021-\u007e]{1,255}$/.test(text) ? undefined : "must be printable characters without spaces"
  )
)

/** An absolute URL. Whether it may be called is checked at the time of the call. */
export const Url = Text.check(Schema.makeFilter((text) => (URL.canParse(text) ? undefined : "must be an absolute URL")))

/** A country or party code, converted to upper case. */
const code = (pattern: RegExp, message: string) =>
  Schema.String.pipe(
    Schema.decodeTo(
      Schema.String.check(Schema.makeFilter((text) => (pattern.test(text) ? undefined : message))),
      SchemaTransformation.transform({ decode: (text) => text.trim().toUpperCase(), encode: (text) => text })
    )
  )

export const CountryCode = code(/^[A-Z]{2}$/, "must be an ISO 3166-1 alpha-2 country code")
export const PartyCode = code(/^[A-Z0-9]{3}$/, "must have three letters or digits")

/** A field that may be missing or null; both mean the same (OCPI 2.2.1 §4.1.8). */
export const maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
