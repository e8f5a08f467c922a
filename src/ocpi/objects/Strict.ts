/** Pieces of what we send, within the lengths and words of the standard. */

/** An object of ours in the words of a version. */
export interface WireEncoder<A> {
  /** JSON of this version; undefined for what it has no words for. */
  readonly encode: (value: A) => unknown
}

/** At most `max` characters, counted as people do, and no control characters: texts are cut, so that no reader refuses them. */
export const cutTo = (text: string, max: number): string =>
  [...text.replaceAll(/\p{Cc}+/gu, " ").trim()].slice(0, max).join("")

/** A field that is there where it has a value. */
export const field = <K extends string, A>(key: K, value: A | undefined): { readonly [P in K]?: A } =>
  value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: A })

/** The same for a list, which is left out where it is empty. */
export const list = <K extends string, A>(key: K, values: ReadonlyArray<A>): { readonly [P in K]?: ReadonlyArray<A> } =>
  field(key, values.length === 0 ? undefined : values)

/** OCPI 2.2.1 §16.4.4 URL. */
const urlMax = 255

/** An address that fits; a cut one would lead nowhere. */
export const urlWithin = (url: string | undefined): string | undefined =>
  url === undefined || url.length > urlMax ? undefined : url
