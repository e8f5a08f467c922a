/**
 * Pieces of objects as partners send them: more is taken than the standard allows, since what cannot be read costs a partner's registration or
 * driver. What we send is strict, each version in its own lengths.
 */
import { Schema, SchemaTransformation } from "effect"

/** Longest text that is taken where the standard has shorter ones; what is stored stays within it. */
const textMax = 1024

/** Text that the database can hold. */
export const Text = Schema.String.check(
  Schema.isMaxLength(textMax),
  Schema.makeFilter((text) => (text.includes("\0") || !text.isWellFormed() ? "must be valid text" : undefined))
)

/**
 * A token of credentials, not encoded: what a header can carry (OCPI 2.2.1 §7.3.1). The standard has 64 characters at most, and partners have more.
 */
export const CredentialsToken = Schema.String.check(
  Schema.makeFilter((text) =>
    /^[\u0021-\u007e]{1,255}$/.test(text) ? undefined : "must be printable characters without spaces"
  )
)

/** An absolute URL. Whether it is called is looked at when it is. */
export const Url = Text.check(Schema.makeFilter((text) => (URL.canParse(text) ? undefined : "must be an absolute URL")))

/** Codes of countries and parties, in upper case whatever was sent. */
const code = (pattern: RegExp, message: string) =>
  Schema.String.pipe(
    Schema.decodeTo(
      Schema.String.check(Schema.makeFilter((text) => (pattern.test(text) ? undefined : message))),
      SchemaTransformation.transform({ decode: (text) => text.trim().toUpperCase(), encode: (text) => text })
    )
  )

export const CountryCode = code(/^[A-Z]{2}$/, "must be an ISO 3166-1 alpha-2 country code")
export const PartyCode = code(/^[A-Z0-9]{3}$/, "must have three letters or digits")

/** A field that may be missing or null, which mean the same (OCPI 2.2.1 §4.1.8). */
export const maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
