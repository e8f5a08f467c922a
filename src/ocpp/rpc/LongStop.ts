/**
 * Shortens the text of a StopTransaction with so many readings that reading all of them would block the main thread: the
 * readings in the middle are left out before the text is parsed. Pure, one pass, and independent of the rest of the
 * frame.
 */
import {
  backslash,
  closeBrace,
  closeBracket,
  comma,
  openBrace,
  openBracket,
  quote
} from "../../domain/values/JsonBounds.ts"

/** The start of the CALL, with an id as `parseFrame` accepts it. Each part is bounded, and none backtracks. */
const start = /^[\s\uFEFF]*\[\s*"?2"?\s*,\s*(?:"(?:[^"\\]|\\.){0,1024}"|-?\d{1,15})\s*,\s*"StopTransaction"\s*,/

/** True if the text begins as a CALL with the action StopTransaction. The first 2 KiB of the text are enough. */
export const beginsAsStop = (text: string): boolean => start.test(text)

const endOfString = (text: string, from: number): number => {
  for (let i = from + 1; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === backslash) i++
    else if (c === quote) return i
  }
  return text.length
}

export interface ShortenedStop {
  readonly text: string
  /** How many readings were left out. */
  readonly dropped: number
}

/** Levels of brackets: 1 is the frame, 2 its payload, 3 the list of readings. */
const payloadLevel = 2
const listLevel = 3

/**
 * The text without the readings in the middle of `transactionData`: about `most / 2` characters before and after them are
 * kept, so that the first and last readings and every other field are complete. Undefined if it cannot be shortened to
 * `most` characters.
 */
export const shortenedStop = (text: string, most: number): ShortenedStop | undefined => {
  const kept = Math.floor(most * 0.45)
  const headMost = kept
  const tailFrom = text.length - kept
  let level = 0
  let name = ""
  let isInList = false
  let head = -1
  let dropped = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === quote) {
      const end = endOfString(text, i)
      if (level === payloadLevel && end - i < 32) name = text.slice(i + 1, end)
      i = end
    } else if (c === openBracket || c === openBrace) {
      level++
      if (level === listLevel) isInList = c === openBracket && name === "transactionData"
    } else if (c === closeBracket || c === closeBrace) {
      level--
      if (level === payloadLevel) isInList = false
    } else if (c === comma && level === listLevel && isInList) {
      if (head < 0 || i <= headMost) head = i
      else {
        dropped++
        if (i >= tailFrom) return joined(text, head, i, dropped, most)
      }
    }
  }
  return undefined
}

const joined = (text: string, head: number, tail: number, dropped: number, most: number): ShortenedStop | undefined => {
  const shorter = text.slice(0, head) + text.slice(tail)
  return shorter.length <= most ? { text: shorter, dropped } : undefined
}
