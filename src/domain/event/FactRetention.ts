/**
 * How long facts are kept. Those that money and disputes rest on, as long as the sessions themselves: starts and ends, which also recognise a charger's
 * repeats, and what could not be matched. Everything with an author (`by`), which is the audit log, as long as the audit log. All others go after the
 * retention of facts: what chargers said along the way and what the service noted, whose effects are in tables of their own.
 */
import type { ChargerFact } from "../charger/Fact.ts"

export const factsOfSessions = ["SessionStarted", "SessionEnded", "OrphanRecorded"] as const satisfies ReadonlyArray<
  ChargerFact["type"]
>

/**
 * Months that readings of no session are kept, in whole calendar months: a start that comes late takes readings of the 60 days after it
 * (`session_take_early_readings`).
 */
export const unassignedReadingsMonths = 3
