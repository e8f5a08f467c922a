/**
 * Text of at most so many bytes as it is stored (UTF-8). What is cut is a text of its own: a slice would keep the whole of what it was cut from in memory
 * for as long as it waits.
 */

const encoder = new TextEncoder()
// A mark at the beginning of a text is part of the text.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** A UTF-16 unit takes three bytes at most: a pair of them takes four. */
const mostBytesPerUnit = 3

/** Whether a text fits, without looking at it where its length alone tells. */
const fits = (text: string, maxBytes: number): boolean =>
  text.length * mostBytesPerUnit <= maxBytes || (text.length <= maxBytes && byteLength(text) <= maxBytes)

/** Bytes of a text as it is stored. */
export const byteLength = (text: string): number => Buffer.byteLength(text)

/** The beginning of a text that has at most `maxBytes`; no character is cut in two. The text itself where it fits. */
export const cutToBytes = (text: string, maxBytes: number): string => {
  if (fits(text, maxBytes)) return text
  const room = new Uint8Array(maxBytes)
  // Writes whole characters alone.
  const { written } = encoder.encodeInto(text, room)
  return decoder.decode(room.subarray(0, written))
}
