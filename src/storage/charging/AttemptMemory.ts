/**
 * The attempts of unknown chargers that this process holds between two flushes, with limits on new ids. Anyone can invent a million ids,
 * from one network or from many. They must neither fill the memory nor displace real chargers at a site that wait to be registered.
 */
import type { UnknownChargerAttempt } from "../../domain/charger/UnknownChargerAttempts.ts"

export interface AttemptLimits {
  /** The most ids that wait for the next flush. */
  readonly maxWaiting: number
  /** How many new ids are accepted from one network (/24, /64) in an hour. */
  readonly newPerNetworkPerHour: number
  /** How many new ids are accepted from all networks together in an hour. */
  readonly newPerHour: number
  /** The most ids that are stored. */
  readonly maxRows: number
}

/** What is waiting to be written for one id. */
export interface Waiting {
  readonly chargerId: string
  readonly firstSeenAt: number
  readonly lastSeenAt: number
  readonly attempts: number
  readonly remoteAddress: string
  readonly subprotocols: ReadonlyArray<string>
  readonly advice?: string | undefined
}

const hourMillis = 3_600_000

/** Combines the attempts of one id; the latest one provides the address. */
const merged = (one: Waiting, other: Waiting): Waiting => {
  const [earlier, later] = one.lastSeenAt <= other.lastSeenAt ? [one, other] : [other, one]
  return {
    ...later,
    firstSeenAt: Math.min(earlier.firstSeenAt, later.firstSeenAt),
    attempts: earlier.attempts + later.attempts
  }
}

export class AttemptMemory {
  private readonly limits: AttemptLimits
  /** Ids that do not count as new, least recently seen first. */
  private readonly known = new Set<string>()
  private waiting = new Map<string, Waiting>()
  private hour = 0
  private newcomers = 0
  /** New ids of this hour by network; no more entries than new ids. */
  private byNetwork = new Map<string, number>()

  constructor(limits: AttemptLimits) {
    this.limits = limits
  }

  get size(): number {
    return this.waiting.size
  }

  /** Marks an id as already stored: its attempts do not count towards the limits. */
  recognise(chargerId: string): void {
    this.known.delete(chargerId)
    this.known.add(chargerId)
    if (this.known.size > this.limits.maxRows) this.known.delete(this.known.values().next().value!)
  }

  /** Returns false if there is no room for the attempt. */
  attempted({ advice, at, chargerId, network, remoteAddress, subprotocols }: UnknownChargerAttempt): boolean {
    const one = { chargerId, firstSeenAt: at, lastSeenAt: at, attempts: 1, remoteAddress, subprotocols, advice }
    const current = this.waiting.get(chargerId)
    if (current === undefined) {
      if (this.waiting.size >= this.limits.maxWaiting) return false
      if (!this.known.has(chargerId) && !this.believes(network, at)) return false
    }
    this.recognise(chargerId)
    this.waiting.set(chargerId, current === undefined ? one : merged(current, one))
    return true
  }

  /** Removes up to `max` waiting ids and returns them, for a write. */
  take(max: number): ReadonlyArray<Waiting> {
    const batch: Array<Waiting> = []
    for (const one of this.waiting.values()) {
      if (batch.length === max) break
      batch.push(one)
      this.waiting.delete(one.chargerId)
    }
    return batch
  }

  /** Puts back ids that were not written. */
  again(batch: ReadonlyArray<Waiting>): void {
    for (const one of batch) {
      const newer = this.waiting.get(one.chargerId)
      this.waiting.set(one.chargerId, newer === undefined ? one : merged(one, newer))
    }
  }

  /** Called when the stored id is deleted: its next attempt counts as new. */
  forget(chargerId: string): void {
    this.known.delete(chargerId)
  }

  private believes(network: string, at: number): boolean {
    const hour = Math.floor(at / hourMillis)
    if (hour !== this.hour) {
      this.hour = hour
      this.newcomers = 0
      this.byNetwork = new Map()
    }
    const ofNetwork = this.byNetwork.get(network) ?? 0
    if (this.newcomers >= this.limits.newPerHour || ofNetwork >= this.limits.newPerNetworkPerHour) return false
    this.newcomers++
    this.byNetwork.set(network, ofNetwork + 1)
    return true
  }
}
