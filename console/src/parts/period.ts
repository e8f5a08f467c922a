/** The days that a person chooses in two date fields, as the range of times that the API is asked for. */

/** A day `days` after the one in a date field ("2026-11-30"), at its local midnight, in UTC. Undefined if the text is not a date. */
const midnight = (text: string | undefined, days: number): string | undefined => {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text ?? "") ?? []
  if (year === undefined) return undefined
  // Not by adding 24 hours: a day on which the clock changes has 23 or 25.
  return new Date(Number(year), Number(month) - 1, Number(day) + days).toISOString()
}

/** From the beginning of the first day to the end of the last one, both included, in the person's time zone. `to` is exclusive, as in the API. */
export const periodOf = (
  first: string | undefined,
  last: string | undefined
): { readonly from?: string; readonly to?: string } => {
  const [from, to] = [midnight(first, 0), midnight(last, 1)]
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
}
