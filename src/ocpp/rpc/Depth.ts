/**
 * How deep a JSON text nests and how many values it has, told without parsing it: parsing is safe at any depth, but whoever walks or writes the value
 * afterwards recurses, and a frame of a million brackets must not end the process; nor may one of 350,000 empty objects hold everybody up.
 */

/** Legal messages of all OCPP versions stay below this, the frame's own array included. */
export const maxFrameDepth = 16

/**
 * Values of a frame, what stands in lists and objects each counted. A mebibyte of readings with four samples each has 76,000; what has far more is made
 * of nothing but brackets and commas, and takes half a second to read.
 */
export const maxFrameValues = 131_072

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

/** True when more than `limit` values stand in arrays and objects. Whatever is shorter than that has none to count. */
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
