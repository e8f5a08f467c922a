/**
 * How deep a JSON text nests and how many values it has, found without parsing it. Parsing is safe at any depth, but code that walks the value afterwards
 * recurses, and a text of a million brackets must not end the process. A text of 350,000 empty objects must not block the main thread.
 */

/** Legal messages of all OCPP versions stay below this, the frame's own array included. */
export const maxFrameDepth = 16

/**
 * Values of a frame, each item of a list and each field of an object counted. A mebibyte of readings with four samples each has 76,000; what has far more is made
 * of nothing but brackets and commas, and takes half a second to read.
 */
export const maxFrameValues = 131_072

/** Levels of a request's JSON body. A tariff has six, the deepest command eight. */
export const maxBodyDepth = 32

/** Values of a request's body. The largest sensible one, a local list of 5,000 cards, has 40,000. */
export const maxBodyValues = 65_536

/** Fields of one object of a request's body. No object has more than a hundred, and each unknown one costs an entry of the refusal. */
export const maxBodyFields = 1_000

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** True when `text` has more than `limit` opening brackets, strings included: no text below it nests deeper. */
const hasMoreBrackets = (text: string, limit: number): boolean => {
  let count = 0
  for (const bracket of ["[", "{"]) {
    for (let i = text.indexOf(bracket); i >= 0; i = text.indexOf(bracket, i + 1)) if (++count > limit) return true
  }
  return false
}

/** Index of the quote that ends the string opened at `start`, or the end of the text. */
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

/** True when arrays and objects have more than `limit` values together. A text with fewer characters than that has not. */
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

/** True when one object has more than `limit` fields. Looks no deeper than `maxBodyDepth`, which is to be asked first. */
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

/** True when a request's body is JSON that no request of ours needs: too deep, too many values, or too many fields in one object. */
export const isTooComplex = (text: string): boolean =>
  isDeeperThan(text, maxBodyDepth) || hasMoreValues(text, maxBodyValues) || hasMoreFields(text, maxBodyFields)

/** What to say of such a body. */
export const tooComplex = `The body may nest ${maxBodyDepth} levels, and have ${maxBodyValues} values and ${maxBodyFields} fields in one object.`
