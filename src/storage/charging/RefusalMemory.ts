/**
 * Decides which refusals of chargers are recorded. A refused charger retries for ever, and strangers try ids by the thousand. For each
 * charger and reason the first refusal is recorded at once, and repeats at growing intervals with the number of refusals. The total number
 * of records per hour is limited.
 */
import type { ChargerRefusal } from "../../domain/charger/ChargerRefusals.ts"

export interface RefusalLimits {
  /** The first interval between two records of one charger and reason, in ms; it doubles with each record up to `mostGapMillis`. */
  readonly leastGapMillis: number
  readonly mostGapMillis: number
  /** How many combinations of charger and reason are remembered. */
  readonly maxRemembered: number
  /** The most records per hour for an organisation's own chargers. */
  readonly perOrganisationPerHour: number
  /** The most records per hour for unregistered ids, from one network (/24, /64) and from all networks. */
  readonly unknownPerNetworkPerHour: number
  readonly unknownPerHour: number
  /** How many records may wait to be written. */
  readonly maxWaiting: number
}

/** A record that is waiting to be written. */
export interface WaitingRefusal extends ChargerRefusal {
  /** The number of refusals since the last record, including this one. */
  readonly attempts: number
}

interface Recorded {
  readonly at: number
  readonly gapMillis: number
  /** Refusals since that record. */
  attempts: number
}

const hourMillis = 3_600_000

export class RefusalMemory {
  private readonly limits: RefusalLimits
  /** By charger and reason, the oldest record first. */
  private readonly recorded = new Map<string, Recorded>()
  private waiting: Array<WaitingRefusal> = []
  private hour = 0
  /** The number of records of this hour for each limit; no more than two entries per record. */
  private counts = new Map<string, number>()

  constructor(limits: RefusalLimits) {
    this.limits = limits
  }

  get size(): number {
    return this.waiting.length
  }

  /** Returns false if there was no room to record it. */
  refused(refusal: ChargerRefusal): boolean {
    const { at, chargerId, reason } = refusal
    const key = `${chargerId} ${reason}`
    const last = this.recorded.get(key)
    // A clock that was set back must not suppress records.
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

  /** Removes up to `max` waiting records, oldest first, for a write. */
  take(max: number): ReadonlyArray<WaitingRefusal> {
    return this.waiting.splice(0, max)
  }

  /** Puts back records that were not written. */
  again(batch: ReadonlyArray<WaitingRefusal>): void {
    this.waiting = [...batch, ...this.waiting]
  }

  /** After a long time without refusals, the interval starts again at its shortest. */
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
