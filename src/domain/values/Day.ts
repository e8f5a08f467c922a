/** Days in UTC, for daily limits. */

export const dayMillis = 86_400_000

/** The start of the UTC day of a moment (ms since 1970). */
export const dayOf = (at: number): number => at - (((at % dayMillis) + dayMillis) % dayMillis)
