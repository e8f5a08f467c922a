/**
 * What the server remembers of refused upgrades, so that guessing costs the guesser alone. Only failures are counted and
 * limited: a charger that knows its password is let in whatever others guess, from its own network too. A whole city may come through one
 * gateway together with an attacker, and after a restart no charger has been here before.
 *
 * - What is wrong is said only so often a minute, per network and per charger; beyond that every failure is answered alike.
 * - A network with many refusals waits in a line of its own (`Upgrades`), and an unregistered id is not asked for again soon.
 */
import { Buckets } from "../../domain/values/Buckets.ts"
import type { OcppLimits } from "./Limits.ts"

const minute = 60_000
/** Names that are remembered per limit: some megabytes at most. */
const maxNames = 20_000
/** Chargers whose reconnects are counted; more than one process can serve. */
const maxFamiliar = 200_000
/** How long an id counts as unknown without asking again; someone registering a charger waits no longer for it. */
const unknownMillis = 5_000

/** Puts at the end, and forgets the oldest over `limit`. */
const remember = <A>(map: Map<string, A>, key: string, value: A, limit: number): void => {
  map.delete(key)
  map.set(key, value)
  if (map.size > limit) map.delete(map.keys().next().value!)
}

export class UpgradeGuard {
  private readonly refusals: Buckets
  private readonly guesses: Buckets
  private readonly reconnects: Buckets
  private readonly unknownIds = new Map<string, number>()

  constructor(limits: OcppLimits) {
    // A bucket lets at most twice its capacity through in any one minute.
    this.guesses = new Buckets(Math.max(1, Math.floor(limits.guessesPerMinute / 2)), minute, maxNames)
    this.refusals = new Buckets(limits.refusalsPerMinute, minute, maxNames)
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

  /** True when so many upgrades of `network` were refused lately that it only hears to come back later. */
  isOverLimit(network: string, now: number): boolean {
    return !this.refusals.has(network, now)
  }

  /** Whether `chargerId` was not registered a moment ago: the database need not be asked again by a network that is over its limit. */
  isKnownMissing(chargerId: string, now: number): boolean {
    const unknownSince = this.unknownIds.get(chargerId)
    return unknownSince !== undefined && now - unknownSince < unknownMillis
  }

  /** `chargerId` is not registered. */
  unknown(chargerId: string, now: number): void {
    remember(this.unknownIds, chargerId, now, maxNames)
  }

  /** `chargerId` is registered now. */
  registered(chargerId: string): void {
    this.unknownIds.delete(chargerId)
  }

  /** The verifier said no. False when it has said so too often lately for this charger, wherever the passwords came from. */
  guessedWrong(chargerId: string, now: number): boolean {
    return this.guesses.take(chargerId, now)
  }

  guessWaitSeconds(chargerId: string, now: number): number {
    return this.guesses.waitSeconds(chargerId, now)
  }

  /** The charger proved itself. False when it has done so too often lately: two devices share one identity. */
  proved(chargerId: string, now: number): boolean {
    return this.reconnects.take(chargerId, now)
  }

  reconnectWaitSeconds(chargerId: string, now: number): number {
    return this.reconnects.waitSeconds(chargerId, now)
  }

  /** Forgets what no longer matters; called about once a minute. */
  sweep(now: number): void {
    for (const buckets of [this.refusals, this.guesses, this.reconnects]) buckets.sweep(now)
    for (const [id, since] of this.unknownIds) {
      if (now - since < unknownMillis) break
      this.unknownIds.delete(id)
    }
  }
}
