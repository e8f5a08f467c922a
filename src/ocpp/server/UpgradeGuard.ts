/**
 * What the server remembers of refused upgrades, so that guessing costs the guesser and nobody else. Limits never stand in the way of a
 * charger that has proved itself here before: a whole city may come through one gateway together with whoever tries its doors.
 *
 * - A network with many refusals is answered without asking the database, except for ids that have connected before and for a few
 *   first-comers a second.
 * - A charger's password is tried only so often a minute. The network it last came from has a share of its own, so that a guesser
 *   elsewhere cannot lock it out; whoever is connected already is not touched at all.
 */
import { Buckets } from "./Buckets.ts"
import type { OcppLimits } from "./Limits.ts"

const minute = 60_000
/** Names that are remembered per limit: some megabytes at most. */
const maxNames = 20_000
/** Chargers whose last network is remembered; more than one process can serve. */
const maxFamiliar = 200_000
/** How long an id counts as unknown without asking again; someone registering a charger waits no longer for it. */
const unknownMillis = 30_000

/** Puts at the end, and forgets the oldest over `limit`. */
const remember = <A>(map: Map<string, A>, key: string, value: A, limit: number): void => {
  map.delete(key)
  map.set(key, value)
  if (map.size > limit) map.delete(map.keys().next().value!)
}

export class UpgradeGuard {
  private readonly refusals: Buckets
  private readonly lookups: Buckets
  private readonly guessesFromHome: Buckets
  private readonly guessesFromAway: Buckets
  private readonly reconnects: Buckets
  /** The network that a charger last proved itself from. */
  private readonly home = new Map<string, string>()
  private readonly unknownIds = new Map<string, number>()

  constructor(limits: OcppLimits) {
    // A bucket lets at most twice its capacity through in any one minute, so each takes half of its share.
    const share = (part: number): number => Math.max(1, Math.floor((limits.guessesPerMinute * part) / 2))
    this.guessesFromHome = new Buckets(share(0.2), minute, maxNames)
    this.guessesFromAway = new Buckets(share(0.8), minute, maxNames)
    this.refusals = new Buckets(limits.refusalsPerMinute, minute, maxNames)
    this.lookups = new Buckets(limits.lookupsPerSecond, 1000, maxNames)
    this.reconnects = new Buckets(
      limits.reconnectBurst,
      (limits.reconnectBurst / limits.reconnectsPerMinute) * minute,
      maxFamiliar
    )
  }

  /** An upgrade was refused for what it asked or showed; refusals for want of room do not count. */
  refused(network: string, now: number): void {
    this.refusals.take(network, now)
  }

  /** True when so many upgrades of `network` were refused lately that it is told no more than to come back later. */
  isOverLimit(network: string, now: number): boolean {
    return !this.refusals.has(network, now)
  }

  /** Whether the database may be asked about `chargerId` for a network that is over its limit. */
  mayLookUp(chargerId: string, network: string, now: number): boolean {
    if (this.home.has(chargerId)) return true
    const unknownSince = this.unknownIds.get(chargerId)
    if (unknownSince !== undefined && now - unknownSince < unknownMillis) return false
    return this.lookups.take(network, now)
  }

  /** Nobody registered `chargerId`. */
  unknown(chargerId: string, now: number): void {
    this.home.delete(chargerId)
    remember(this.unknownIds, chargerId, now, maxNames)
  }

  /** Whether a password for `chargerId` may be put to the verifier. */
  mayGuess(chargerId: string, network: string, now: number): boolean {
    return this.guesses(chargerId, network).has(chargerId, now)
  }

  /** The verifier said no. */
  guessedWrong(chargerId: string, network: string, now: number): void {
    this.guesses(chargerId, network).take(chargerId, now)
  }

  guessWaitSeconds(chargerId: string, network: string, now: number): number {
    return this.guesses(chargerId, network).waitSeconds(chargerId, now)
  }

  /** The charger proved itself from `network`. False when it has done so too often lately: two devices share one identity. */
  proved(chargerId: string, network: string, now: number): boolean {
    remember(this.home, chargerId, network, maxFamiliar)
    return this.reconnects.take(chargerId, now)
  }

  reconnectWaitSeconds(chargerId: string, now: number): number {
    return this.reconnects.waitSeconds(chargerId, now)
  }

  /** Forgets what no longer matters; called about once a minute. */
  sweep(now: number): void {
    for (const buckets of [this.refusals, this.lookups, this.guessesFromHome, this.guessesFromAway, this.reconnects])
      buckets.sweep(now)
    for (const [id, since] of this.unknownIds) {
      if (now - since < unknownMillis) break
      this.unknownIds.delete(id)
    }
  }

  private guesses(chargerId: string, network: string): Buckets {
    return this.home.get(chargerId) === network ? this.guessesFromHome : this.guessesFromAway
  }
}
