/** Helpers for the objects that we send, which stay within the standard's lengths and enumerations. */

/** Encodes an object of ours in the form of a version. */
export interface WireEncoder<A> {
  /** JSON of this version; undefined if the version cannot express the value. */
  readonly encode: (value: A) => unknown
}

/** At most `max` characters (code points) without control characters. Texts are cut, so that no reader refuses them. */
export const cutTo = (text: string, max: number): string =>
  [...text.replaceAll(/\p{Cc}+/gu, " ").trim()].slice(0, max).join("")

/** The field if it has a value, otherwise nothing. */
export const field = <K extends string, A>(key: K, value: A | undefined): { readonly [P in K]?: A } =>
  value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: A })

/** The same for a list, which is left out if it is empty. */
export const list = <K extends string, A>(key: K, values: ReadonlyArray<A>): { readonly [P in K]?: ReadonlyArray<A> } =>
  field(key, values.length === 0 ? undefined : values)

/** OCPI 2.2.1 §16.4.4 URL. */
const urlMax = 255

/** A URL that fits. A longer one is left out, since a cut URL would not work. */
export const urlWithin = (url: string | undefined): string | undefined =>
  url === undefined || url.length > urlMax ? undefined : url
