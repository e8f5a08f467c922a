/**
 * How often a running session is priced: its price is made of all its readings each time, so that the work would grow with the square of them. One
 * with many waits in proportion between two prices, which keeps the work for a session at a small part of a core however often its meter is read.
 * Under load rounds follow one another at once, and price a running session once an interval at most all the same. Its end waits for nothing, and a request for one session has it priced at that moment.
 */
import type { Changed } from "../../domain/session/Ledgers.ts"
import type { Observed } from "../../domain/session/Ledger.ts"

/** A ten thousandth of a core, at the ten microseconds that a reading takes from the database to a price. */
const millisPerReading = 100

/** A price is no older than this. */
const longestMillis = 15 * 60_000

export class RepricingBackoff {
  private readonly everyMillis: number
  private readonly notBefore = new Map<string, number>()
  private readonly waiting = new Set<string>()

  /** `everyMillis` between two prices of a running session at least, which is as long as between two rounds where there is little to do. */
  constructor(everyMillis: number) {
    this.everyMillis = everyMillis
  }

  /** Sessions to be priced at `now` (ms epoch): of what has changed and of what waits. */
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

  /** When the first of those that wait for their time is due (ms epoch); undefined where none does. */
  get nextAt(): number | undefined {
    let next: number | undefined
    for (const id of this.waiting) {
      const at = this.notBefore.get(id)
      if (at !== undefined) next = Math.min(next ?? at, at)
    }
    return next
  }

  /** They were priced, and the prices are kept. */
  priced(ledgers: ReadonlyArray<Pick<Observed, "readings" | "session">>, now: number): void {
    for (const { readings, session } of ledgers) {
      this.waiting.delete(session.id)
      const wait = Math.min(Math.max(readings.length * millisPerReading, this.everyMillis), longestMillis)
      if (session.endedAt === undefined) this.notBefore.set(session.id, now + wait)
      else this.notBefore.delete(session.id)
    }
  }
}
