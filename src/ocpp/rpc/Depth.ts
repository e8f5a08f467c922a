/**
 * How deep a JSON text nests, told without parsing it: parsing is safe at any depth, but whoever walks or writes the value afterwards
 * recurses, and a frame of a million brackets must not end the process.
 */

/** Legal messages of all OCPP versions stay below this, the frame's own array included. */
export const maxFrameDepth = 16

const quote = 0x22
const backslash = 0x5c
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
