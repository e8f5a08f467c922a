/**
 * What comes from outside, cut to the room there is for it: by UTF-16 units with a mark at the end, or by the bytes it takes in the database. Nothing
 * that fits is changed.
 */

/** The mark for all that was left off. No signed record, no number and no card's uid ends in it. */
export const cutMark = "…"

/** At most `max` UTF-16 units of a text, the mark among them. */
export const cutText = (text: string, max: number): string => {
  if (text.length <= max) return text
  const begins = text.slice(0, Math.max(0, max - cutMark.length))
  // The cut may have gone through a surrogate pair, whose first half alone no database takes.
  return (/[\ud800-\udbff]$/.test(begins) ? begins.slice(0, -1) : begins) + cutMark
}

/** True of a text that was cut (or that its author ended in the same sign). */
export const isCut = (text: string): boolean => text.endsWith(cutMark)

/** Units that a value takes as JSON. */
const written = (value: unknown): number => JSON.stringify(value).length

/** Longest name of a member, in something that is cut. */
const nameMost = 255

/** What is left while a value is cut, in units of its JSON. */
interface Room {
  left: number
}

const textWithin = (text: string, room: Room): string => {
  let cut = text
  // Without its quotes; escapes take up to six units for one.
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
 * A JSON value that takes about `max` UTF-16 units; the value itself where it fits. Texts that do not fit are cut, and a list or an object ends with
 * the mark where something of it was left off. Recursive: the caller has bounded the depth.
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
// A mark at the beginning of a text is part of the text.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** A UTF-16 unit takes three bytes at most: a pair of them takes four. */
const mostBytesPerUnit = 3

/** Whether a text fits, without looking at it where its length alone decides. */
const fits = (text: string, maxBytes: number): boolean =>
  text.length * mostBytesPerUnit <= maxBytes || (text.length <= maxBytes && byteLength(text) <= maxBytes)

/** Bytes of a text as it is stored. */
export const byteLength = (text: string): number => Buffer.byteLength(text)

/**
 * The beginning of a text that has at most `maxBytes`, without a mark; no character is cut in two. The result is a text of its own: a slice would keep
 * the whole of what it was cut from in memory for as long as it waits.
 */
export const cutToBytes = (text: string, maxBytes: number): string => {
  if (fits(text, maxBytes)) return text
  const room = new Uint8Array(maxBytes)
  // Writes whole characters alone.
  const { written: bytes } = encoder.encodeInto(text, room)
  return decoder.decode(room.subarray(0, bytes))
}
