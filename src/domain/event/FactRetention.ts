/**
 * How long facts are kept:
 * - Facts that bills and disputes depend on are kept as long as the sessions: starts, ends, and messages that could not be matched. Starts and ends
 *   are also needed to recognise repeated messages of chargers.
 * - Facts with an author (`by`) form the audit log and are kept as long as it.
 * - All others, reported by chargers or noted by the service, are deleted after the retention of facts. Their effects are stored in other tables.
 */
import type { ChargerFact } from "../charger/Fact.ts"

export const factsOfSessions = ["SessionStarted", "SessionEnded", "OrphanRecorded"] as const satisfies ReadonlyArray<
  ChargerFact["type"]
>

/**
 * How long readings without a session are kept, in whole calendar months. A start that arrives late still gets the readings of the 60 days after it
 * (`session_take_early_readings`).
 */
export const unassignedReadingsMonths = 3
