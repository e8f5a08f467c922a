/**
 * Limits how often a running session is priced. Each price is computed from all readings, so pricing at each reading
 * would make the work grow with the square of their number. The wait between two prices is therefore proportional to
 * the number of readings. This keeps the work for a session at a small part of a core, however often its meter is read.
 * Under load, rounds follow one another at once, and a running session is still priced at most once in `everyMillis`.
 * An ended session is priced without waiting, and a request for one session prices it at that moment.
 */
import type { Changed } from "../../domain/session/Ledgers.ts"
import type { Observed } from "../../domain/session/Ledger.ts"

/** A ten-thousandth of a core, at about ten microseconds per reading from the database to the price. */
const millisPerReading = 100

/** The longest wait between two prices of a session. */
const longestMillis = 15 * 60_000

export class RepricingBackoff {
  private readonly everyMillis: number
  private readonly notBefore = new Map<string, number>()
  private readonly waiting = new Set<string>()

  /**
   * `everyMillis`: the minimum time between two prices of a running session, and the time between two rounds when there
   * is little to do.
   */
  constructor(everyMillis: number) {
    this.everyMillis = everyMillis
  }

  /** Sessions to be priced at `now` (ms epoch), from those that have changed and those that wait. */
  due({ metered, sessionIds }: Pick<Changed, "metered" | "sessionIds">, now: number): ReadonlyArray<string> {
    for (const [id, at] of this.notBefore) if (at <= now) this.notBefore.delete(id)
    const patient = new Set(metered)
    const due = new Set<string>()
    for (const id of sessionIds) {
      if (patient.has(id) && this.notBefore.has(id)) this.waiting.add(id)
      else due.add(id)
    }
    for (const id of this.waiting) if (!this.notBefore.has(id)) due.add(id)
    return [...due]
  }

  /** When the first waiting session is due (ms epoch); undefined if none waits. */
  get nextAt(): number | undefined {
    let next: number | undefined
    for (const id of this.waiting) {
      const at = this.notBefore.get(id)
      if (at !== undefined) next = Math.min(next ?? at, at)
    }
    return next
  }

  /** Records that the ledgers were priced and the prices stored. */
  priced(ledgers: ReadonlyArray<Pick<Observed, "readings" | "session">>, now: number): void {
    for (const { readings, session } of ledgers) {
      this.waiting.delete(session.id)
      const wait = Math.min(Math.max(readings.length * millisPerReading, this.everyMillis), longestMillis)
      if (session.endedAt === undefined) this.notBefore.set(session.id, now + wait)
      else this.notBefore.delete(session.id)
    }
  }
}
