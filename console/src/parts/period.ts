/** Days of a person's own time zone, as the times that the API is asked for. */

/** The beginning of a day. `month` is 0 for January; a `day` beyond the month's end is one of the next month. */
const midnight = (year: number, month: number, day: number): string => new Date(year, month, day).toISOString()

/** The beginning of today. */
export const startOfToday = (): string => {
  const now = new Date()
  return midnight(now.getFullYear(), now.getMonth(), now.getDate())
}

/** A day `days` after the one in a date field ("2026-11-30"), at its beginning. Undefined if the text is not a date. */
const midnightOf = (text: string | undefined, days: number): string | undefined => {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text ?? "") ?? []
  if (year === undefined) return undefined
  // Not by adding 24 hours: a day on which the clock changes has 23 or 25.
  return midnight(Number(year), Number(month) - 1, Number(day) + days)
}

/** From the beginning of the first day to the end of the last one, both included, in the person's time zone. `to` is exclusive, as in the API. */
export const periodOf = (
  first: string | undefined,
  last: string | undefined
): { readonly from?: string; readonly to?: string } => {
  const [from, to] = [midnightOf(first, 0), midnightOf(last, 1)]
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
}
