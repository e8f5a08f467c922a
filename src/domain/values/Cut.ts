/**
 * Shortens data from outside to the available room: to a number of UTF-16 units with a mark at the end, or to a number of bytes in the database.
 * Nothing that fits is changed.
 */

/** The mark that replaces what was cut off. No signed record, number or card uid ends with it. */
export const cutMark = "…"

/** At most `max` UTF-16 units of a text, including the mark. */
export const cutText = (text: string, max: number): string => {
  if (text.length <= max) return text
  const begins = text.slice(0, Math.max(0, max - cutMark.length))
  // The cut may have split a surrogate pair, and no database accepts the first half alone.
  return (/[\ud800-\udbff]$/.test(begins) ? begins.slice(0, -1) : begins) + cutMark
}

/** True for a text that was cut (or whose author ended it with the same character). */
export const isCut = (text: string): boolean => text.endsWith(cutMark)

/** UTF-16 units that a value takes as JSON. */
const written = (value: unknown): number => JSON.stringify(value).length

/** The longest member name in a value that is cut. */
const nameMost = 255

/** The room that is left while a value is cut, in UTF-16 units of its JSON. */
interface Room {
  left: number
}

const textWithin = (text: string, room: Room): string => {
  let cut = text
  // Two units are for the quotes; an escape takes up to six units for one character.
  for (let max = room.left - 2; written(cut) > room.left && cut !== cutMark; max = Math.floor(max / 2)) {
    cut = cutText(text, max)
  }
  return cut
}

const listWithin = (list: ReadonlyArray<unknown>, room: Room): ReadonlyArray<unknown> => {
  const kept: Array<unknown> = []
  for (const element of list) {
    if (room.left <= 0) return [...kept, cutMark]
    room.left--
    kept.push(within(element, room))
  }
  return kept
}

const objectWithin = (object: object, room: Room): Readonly<Record<string, unknown>> => {
  const kept: Array<readonly [string, unknown]> = []
  for (const [name, member] of Object.entries(object)) {
    if (room.left <= 0) {
      kept.push([cutMark, cutMark])
      break
    }
    const shown = cutText(name, nameMost)
    room.left -= written(shown) + 2
    kept.push([shown, within(member, room)])
  }
  return Object.fromEntries(kept)
}

const within = (value: unknown, room: Room): unknown => {
  if (typeof value === "object" && value !== null) {
    room.left -= 2
    return Array.isArray(value) ? listWithin(value, room) : objectWithin(value, room)
  }
  const kept = typeof value === "string" ? textWithin(value, room) : value
  room.left -= written(kept)
  return kept
}

/**
 * Cuts a JSON value to about `max` UTF-16 units; returns the value itself if it fits. Texts that do not fit are cut. A list or an object ends with
 * the mark if something was left out. Recursive: the caller must have limited the depth.
 */
export const cutJson = (value: unknown, max: number): unknown =>
  written(value) <= max ? value : within(value, { left: max })

/** The first entries of a list that together take at most `max` units as JSON. */
export const cutList = <A>(list: ReadonlyArray<A>, max: number): ReadonlyArray<A> => {
  let left = max
  const end = list.findIndex((entry) => (left -= written(entry) + 1) < 0)
  return end < 0 ? list : list.slice(0, end)
}

const encoder = new TextEncoder()
// A byte order mark at the beginning of a text is part of the text.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** A UTF-16 unit takes at most three bytes in UTF-8; a surrogate pair takes four. */
const mostBytesPerUnit = 3

/** Whether a text fits. The bytes are counted only if the text's length does not decide. */
const fits = (text: string, maxBytes: number): boolean =>
  text.length * mostBytesPerUnit <= maxBytes || (text.length <= maxBytes && byteLength(text) <= maxBytes)

/** The number of bytes of a text as it is stored (UTF-8). */
export const byteLength = (text: string): number => Buffer.byteLength(text)

/**
 * The beginning of a text, at most `maxBytes` long and without a mark; no character is split. The result is a copy: a slice would keep the whole
 * original text in memory.
 */
export const cutToBytes = (text: string, maxBytes: number): string => {
  if (fits(text, maxBytes)) return text
  const room = new Uint8Array(maxBytes)
  // Writes whole characters only.
  const { written: bytes } = encoder.encodeInto(text, room)
  return decoder.decode(room.subarray(0, bytes))
}
