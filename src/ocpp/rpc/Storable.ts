/**
 * Makes text from JSON storable: U+0000 and lone surrogates are legal in JSON strings but not in PostgreSQL text. They
 * are replaced by U+FFFD when a frame is received, so that no later code needs to handle them.
 */

const replacement = "\uFFFD"

/** The text with U+0000 and lone surrogates replaced; the same string if it has none. */
export const storableText = (text: string): string => {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed()
  return wellFormed.includes("\0") ? wellFormed.replaceAll("\0", replacement) : wellFormed
}

/**
 * True if a string in the JSON text may need replacement. A NUL or lone surrogate can only be in a frame as an escape,
 * since raw control characters are not JSON and a text frame is UTF-8. The second test is for texts from elsewhere.
 */
export const mayBeUnstorable = (json: string): boolean => json.includes("\\u") || !json.isWellFormed()

/** A copy of a JSON value with all strings and names made storable. It is recursive: the caller has limited the depth. */
export const storable = (value: unknown): unknown => {
  if (typeof value === "string") return storableText(value)
  if (Array.isArray(value)) return value.map(storable)
  if (typeof value === "object" && value !== null) {
    // `fromEntries` defines properties, so a member named `__proto__` stays a member.
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [storableText(name), storable(member)]))
  }
  return value
}
