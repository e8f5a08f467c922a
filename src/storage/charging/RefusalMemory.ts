/**
 * Which refusals of chargers are recorded. A charger that is refused tries again for ever, and strangers try ids by the thousand: of one charger and
 * reason the first is recorded at once, and repeats ever more seldom, with how many there were; of all there is a bounded number in an hour.
 */
import type { ChargerRefusal } from "../../domain/charger/ChargerRefusals.ts"

export interface RefusalLimits {
  /** Between two records of one charger and reason at first; each further time is twice as long. */
  readonly leastGapMillis: number
  readonly mostGapMillis: number
  /** Chargers and reasons that are remembered. */
  readonly maxRemembered: number
  /** Records in an hour of an organisation's own chargers. */
  readonly perOrganisationPerHour: number
  /** Records in an hour of unregistered ids, from one network (/24, /64) and from all of them. */
  readonly unknownPerNetworkPerHour: number
  readonly unknownPerHour: number
  /** Records that wait to be written. */
  readonly maxWaiting: number
}

/** A record that waits. */
export interface WaitingRefusal extends ChargerRefusal {
  /** Refusals since the last record, this one included. */
  readonly attempts: number
}

interface Recorded {
  readonly at: number
  readonly gapMillis: number
  /** Refusals since. */
  attempts: number
}

const hourMillis = 3_600_000

export class RefusalMemory {
  private readonly limits: RefusalLimits
  /** By charger and reason, the longest unrecorded first. */
  private readonly recorded = new Map<string, Recorded>()
  private waiting: Array<WaitingRefusal> = []
  private hour = 0
  /** Records of this hour by what they count against; no more entries than records. */
  private counts = new Map<string, number>()

  constructor(limits: RefusalLimits) {
    this.limits = limits
  }

  get size(): number {
    return this.waiting.length
  }

  /** False where there is no room for it. */
  refused(refusal: ChargerRefusal): boolean {
    const { at, chargerId, reason } = refusal
    const key = `${chargerId} ${reason}`
    const last = this.recorded.get(key)
    // A clock that was set back must not hold records up.
    const isRecent = last !== undefined && at >= last.at && at < last.at + last.gapMillis
    if (isRecent) {
      last.attempts++
      return true
    }
    if (this.waiting.length >= this.limits.maxWaiting || !this.hasRoom(refusal)) return false
    this.waiting.push({ ...refusal, attempts: (last?.attempts ?? 0) + 1 })
    this.recorded.delete(key)
    this.recorded.set(key, { at, gapMillis: this.gapAfter(last, at), attempts: 0 })
    if (this.recorded.size > this.limits.maxRemembered) this.recorded.delete(this.recorded.keys().next().value!)
    return true
  }

  /** Up to `max` of what waits, oldest first, for a write. */
  take(max: number): ReadonlyArray<WaitingRefusal> {
    return this.waiting.splice(0, max)
  }

  /** What was not written waits on. */
  again(batch: ReadonlyArray<WaitingRefusal>): void {
    this.waiting = [...batch, ...this.waiting]
  }

  /** After a long silence it begins anew. */
  private gapAfter(last: Recorded | undefined, at: number): number {
    const { leastGapMillis, mostGapMillis } = this.limits
    if (last === undefined || at - last.at > 2 * mostGapMillis) return leastGapMillis
    return Math.min(2 * last.gapMillis, mostGapMillis)
  }

  private hasRoom({ at, network, organisationId }: ChargerRefusal): boolean {
    const hour = Math.floor(at / hourMillis)
    if (hour !== this.hour) {
      this.hour = hour
      this.counts = new Map()
    }
    const { perOrganisationPerHour, unknownPerHour, unknownPerNetworkPerHour } = this.limits
    const bounds: ReadonlyArray<readonly [string, number]> =
      organisationId === undefined
        ? [
            ["unknown", unknownPerHour],
            [`network ${network}`, unknownPerNetworkPerHour]
          ]
        : [[`organisation ${organisationId}`, perOrganisationPerHour]]
    if (bounds.some(([name, most]) => (this.counts.get(name) ?? 0) >= most)) return false
    for (const [name] of bounds) this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
    return true
  }
}
