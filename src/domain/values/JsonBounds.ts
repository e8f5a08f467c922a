/**
 * Measures how deep a JSON text nests and how many values it has, without parsing it. Parsing is safe at any depth, but code that walks the value
 * afterwards recurses, and a text of a million brackets must not crash the process. A text of 350,000 empty objects must not block the main thread.
 */

/** The most levels of an OCPP frame, its own array included. Legal messages of all OCPP versions stay below this. */
export const maxFrameDepth = 16

/**
 * The most values of an OCPP frame; each item of a list and each field of an object counts. A mebibyte of readings with four samples each has 76,000.
 * A frame with far more contains little but brackets and commas, and takes half a second to parse.
 */
export const maxFrameValues = 131_072

/** The most levels of a request's JSON body. A tariff has six, the deepest command eight. */
export const maxBodyDepth = 32

/** The most values of a request's body. The largest sensible one, a local list of 5,000 cards, has 40,000. */
export const maxBodyValues = 65_536

/**
 * The most fields of one object in a request's body. No valid object has more than a hundred, and each unknown field adds an entry to the error
 * response.
 */
export const maxBodyFields = 1_000

export const quote = 0x22
export const backslash = 0x5c
export const comma = 0x2c
export const openBracket = 0x5b
export const closeBracket = 0x5d
export const openBrace = 0x7b
export const closeBrace = 0x7d

/** True when `text` has more than `limit` opening brackets, those in strings included. A text with fewer cannot nest deeper than `limit`. */
const hasMoreBrackets = (text: string, limit: number): boolean => {
  let count = 0
  for (const bracket of ["[", "{"]) {
    for (let i = text.indexOf(bracket); i >= 0; i = text.indexOf(bracket, i + 1)) if (++count > limit) return true
  }
  return false
}

/** The index of the quote that ends the string opened at `start`, or the end of the text. */
const endOfString = (text: string, start: number): number => {
  for (let i = start + 1; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === backslash) i++
    else if (c === quote) return i
  }
  return text.length
}

/** True when arrays and objects nest more than `limit` levels. Small frames cost two searches, large ones one pass. */
export const isDeeperThan = (text: string, limit: number): boolean => {
  if (!hasMoreBrackets(text, limit)) return false
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === quote) i = endOfString(text, i)
    else if (c === openBracket || c === openBrace) {
      if (++depth > limit) return true
    } else if (c === closeBracket || c === closeBrace) depth--
  }
  return false
}

/** True when arrays and objects have more than `limit` values together. A text with at most `limit` characters cannot have. */
export const hasMoreValues = (text: string, limit: number): boolean => {
  if (text.length <= limit) return false
  let count = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === quote) i = endOfString(text, i)
    else if ((c === comma || c === openBracket || c === openBrace) && ++count > limit) return true
  }
  return false
}

/** True when one object has more than `limit` fields. The nesting must have been checked against `maxBodyDepth` first. */
const hasMoreFields = (text: string, limit: number): boolean => {
  if (text.length <= limit) return false
  // Commas of each open array and object; an array's are not counted.
  const commas = new Int32Array(maxBodyDepth + 1)
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === quote) i = endOfString(text, i)
    else if (c === openBrace) commas[++depth] = 0
    else if (c === openBracket) commas[++depth] = -text.length
    else if (c === closeBracket || c === closeBrace) depth--
    else if (c === comma && ++commas[depth]! >= limit) return true
  }
  return false
}

/** True when a request's body is more complex than any request needs: too deep, too many values, or too many fields in one object. */
export const isTooComplex = (text: string): boolean =>
  isDeeperThan(text, maxBodyDepth) || hasMoreValues(text, maxBodyValues) || hasMoreFields(text, maxBodyFields)

/** The error message for such a body. */
export const tooComplex = `The body may have at most ${maxBodyDepth} levels of nesting, ${maxBodyValues} values, and ${maxBodyFields} fields in one object.`
