/** The wait that the answer to a call asks for. */

/** Reads `Retry-After`, which has seconds or a date (RFC 9110 §10.2.3), as ms from `now`; undefined if there is none, or if it is over. */
export const retryAfter = (header: string | undefined, now: number): number | undefined => {
  const text = header?.trim() ?? ""
  if (text === "") return undefined
  const millis = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return Number.isFinite(millis) && millis > 0 ? millis : undefined
}
