/** When a site is open: OCPI's Hours in camelCase (OCPI 2.2.1 §8.4.14). */

export interface OpeningHours {
  readonly twentyfourseven: boolean
  /** Local times, `HH:MM`; 24:00 is the end of a day. Weekday 1 is Monday. */
  readonly regularHours?:
    | ReadonlyArray<{ readonly weekday: number; readonly periodBegin: string; readonly periodEnd: string }>
    | undefined
  readonly exceptionalOpenings?: ReadonlyArray<Period> | undefined
  readonly exceptionalClosings?: ReadonlyArray<Period> | undefined
}

/** With RFC 3339 times. */
interface Period {
  readonly periodBegin: string
  readonly periodEnd: string
}
