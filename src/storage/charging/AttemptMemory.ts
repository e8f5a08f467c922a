/**
 * What this process remembers of unknown chargers between two flushes, and how many new ids it believes in: anybody can make up a million,
 * from one network or from many, and must neither fill memory nor push out those who really stand at a site and wait.
 */
import type { UnknownChargerAttempt } from "../../domain/charger/UnknownChargerAttempts.ts"

export interface AttemptLimits {
  /** Ids that wait for the next flush. */
  readonly maxWaiting: number
  /** New ids that are believed of one network (/24, /64) in an hour. */
  readonly newPerNetworkPerHour: number
  /** New ids that are believed of all networks together in an hour. */
  readonly newPerHour: number
  /** Ids that are kept. */
  readonly maxRows: number
}

/** What waits of one id. */
export interface Waiting {
  readonly chargerId: string
  readonly firstSeenAt: number
  readonly lastSeenAt: number
  readonly attempts: number
  readonly remoteAddress: string
  readonly subprotocols: ReadonlyArray<string>
}

const hourMillis = 3_600_000

/** Two accounts of one id as one; the latest says where it came from. */
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
  /** Ids that need no belief any more, the longest silent first. */
  private readonly known = new Set<string>()
  private waiting = new Map<string, Waiting>()
  private hour = 0
  private newcomers = 0
  /** New ids of this hour; no more networks than new ids. */
  private byNetwork = new Map<string, number>()

  constructor(limits: AttemptLimits) {
    this.limits = limits
  }

  get size(): number {
    return this.waiting.size
  }

  /** An id that is kept already: its attempts cost nothing. */
  recognise(chargerId: string): void {
    this.known.delete(chargerId)
    this.known.add(chargerId)
    if (this.known.size > this.limits.maxRows) this.known.delete(this.known.values().next().value!)
  }

  /** False when there is no room for it. */
  attempted({ at, chargerId, network, remoteAddress, subprotocols }: UnknownChargerAttempt): boolean {
    const one = { chargerId, firstSeenAt: at, lastSeenAt: at, attempts: 1, remoteAddress, subprotocols }
    const current = this.waiting.get(chargerId)
    if (current === undefined) {
      if (this.waiting.size >= this.limits.maxWaiting) return false
      if (!this.known.has(chargerId) && !this.believes(network, at)) return false
    }
    this.recognise(chargerId)
    this.waiting.set(chargerId, current === undefined ? one : merged(current, one))
    return true
  }

  /** Up to `max` of what waits, for a write. */
  take(max: number): ReadonlyArray<Waiting> {
    const batch: Array<Waiting> = []
    for (const one of this.waiting.values()) {
      if (batch.length === max) break
      batch.push(one)
      this.waiting.delete(one.chargerId)
    }
    return batch
  }

  /** What was not written waits on. */
  again(batch: ReadonlyArray<Waiting>): void {
    for (const one of batch) {
      const newer = this.waiting.get(one.chargerId)
      this.waiting.set(one.chargerId, newer === undefined ? one : merged(one, newer))
    }
  }

  /** It was forgotten: when it tries again it is new. */
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
