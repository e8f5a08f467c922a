/**
 * Finds a field that an object of a JSON text names twice. JSON.parse keeps the last one and says nothing. Programs in front of this service may keep
 * the first, so that a check there would see another value than the one that is applied (RFC 8259 §4).
 */

import { Option, Schema } from "effect"
import { backslash, closeBrace, closeBracket, comma, openBrace, openBracket, quote } from "./JsonBounds.ts"

const colon = 0x3a

/** An open object or array. */
interface Level {
  /** The fields of an object so far; undefined for an array. */
  readonly fields: Set<string> | undefined
  /** The last field of an object, or the index in an array. */
  at: string | number
}

const decodeText = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.String))

const unescaped = (raw: string): string => Option.getOrElse(decodeText(`"${raw}"`), () => raw)

/** The path to the first repeated field; undefined if there is none. Any text is accepted: one that is not JSON is refused when it is parsed. */
export const repeatedField = (text: string): ReadonlyArray<string | number> | undefined => {
  const levels: Array<Level> = []
  let last = ""
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    const level = levels.at(-1)
    if (c === quote) {
      const start = i + 1
      let isPlain = true
      for (i = start; i < text.length && text.charCodeAt(i) !== quote; i++) {
        if (text.charCodeAt(i) !== backslash) continue
        isPlain = false
        i++
      }
      last = isPlain ? text.slice(start, i) : unescaped(text.slice(start, i))
    } else if (c === openBrace) levels.push({ fields: new Set(), at: "" })
    else if (c === openBracket) levels.push({ fields: undefined, at: 0 })
    else if (c === closeBrace || c === closeBracket) levels.pop()
    else if (c === comma && typeof level?.at === "number") level.at++
    else if (c === colon && level?.fields !== undefined) {
      level.at = last
      if (level.fields.has(last)) return levels.map(({ at }) => at)
      level.fields.add(last)
    }
  }
  return undefined
}
