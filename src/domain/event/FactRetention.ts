/**
 * Which facts are kept for ever and which go after the retention of facts. Kept are those that money and disputes rest on, as long as the sessions
 * themselves: starts and ends, which also recognise a charger's repeats, and what could not be matched. And everything with an author (`by`), which
 * is the audit log. What goes is what chargers said along the way and what the service noted; its effects are in tables of their own.
 */
import type { ChargerFact } from "../charger/Fact.ts"

export const factsKeptForEver = ["SessionStarted", "SessionEnded", "OrphanRecorded"] as const satisfies ReadonlyArray<
  ChargerFact["type"]
>

/**
 * Months that readings of no session are kept, in whole calendar months: a start that comes late takes readings of the 60 days after it
 * (`session_take_early_readings`).
 */
export const unassignedReadingsMonths = 3
