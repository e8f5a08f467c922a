/**
 * The boundary between what JSON may carry and what a database can hold: U+0000 and lone surrogates are legal in JSON strings and in no
 * PostgreSQL text. They become U+FFFD when a frame comes in, so that nothing behind the frame has to think of them.
 */

const replacement = "\uFFFD"

/** The text with U+0000 and lone surrogates replaced; the same string when it has none. */
export const storableText = (text: string): string => {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed()
  return wellFormed.includes("\0") ? wellFormed.replaceAll("\0", replacement) : wellFormed
}

/**
 * True when a string inside of the JSON text may need it. A NUL or half a surrogate pair comes into a frame only by an escape, since raw
 * control characters are no JSON and a text frame is UTF-8; the second test is for texts that came from elsewhere.
 */
export const mayBeUnstorable = (json: string): boolean => json.includes("\\u") || !json.isWellFormed()

/** A copy of a JSON value with every string and name in it storable. Recursive: the caller has bounded the depth. */
export const storable = (value: unknown): unknown => {
  if (typeof value === "string") return storableText(value)
  if (Array.isArray(value)) return value.map(storable)
  if (typeof value === "object" && value !== null) {
    // `fromEntries` defines properties, so a member named `__proto__` stays a member.
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [storableText(name), storable(member)]))
  }
  return value
}
