/**
 * What the server remembers of refused upgrades, so that guessing harms only the attacker. Only failures are counted
 * and limited: a charger that knows its password is admitted whatever others guess, even from its own network. All
 * chargers of a city may come through one gateway together with an attacker, and after a restart no charger has
 * connected before.
 *
 * - The reason of a refusal is given only a limited number of times a minute, per network and per charger. After that
 *   every failure gets the same answer.
 * - A network with many refusals waits in a queue of its own (`Upgrades`), and an unregistered id is not looked up
 *   again for a while.
 */
import { Buckets } from "../../domain/values/Buckets.ts"
import type { OcppLimits } from "./Limits.ts"

const minute = 60_000
/** Keys that are remembered per limit: a few megabytes at most. */
const maxNames = 20_000
/** Chargers whose reconnects are counted; more than one process can serve. */
const maxFamiliar = 200_000
/** How long an id counts as unknown without another look-up, in ms. An operator who registers a charger waits no longer than this. */
const unknownMillis = 5_000

/** Puts an entry at the end of the map, and removes the oldest one above `limit`. */
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

  /** An upgrade was refused for its request or its credentials. Refusals for lack of capacity do not count. */
  refused(network: string, now: number): void {
    this.refusals.take(network, now)
  }

  /** True if so many upgrades of `network` were refused recently that it is only asked to come back later. */
  isOverLimit(network: string, now: number): boolean {
    return !this.refusals.has(network, now)
  }

  /** True if `chargerId` was not registered a moment ago: a network that is over its limit then causes no database query. */
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

  /** A password was wrong. False if this happened too often recently for this charger, wherever the passwords came from. */
  guessedWrong(chargerId: string, now: number): boolean {
    return this.guesses.take(chargerId, now)
  }

  guessWaitSeconds(chargerId: string, now: number): number {
    return this.guesses.waitSeconds(chargerId, now)
  }

  /** The charger proved its identity. False if it did so too often recently: two devices share one identity. */
  proved(chargerId: string, now: number): boolean {
    return this.reconnects.take(chargerId, now)
  }

  reconnectWaitSeconds(chargerId: string, now: number): number {
    return this.reconnects.waitSeconds(chargerId, now)
  }

  /** Removes outdated entries; called about once a minute. */
  sweep(now: number): void {
    for (const buckets of [this.refusals, this.guesses, this.reconnects]) buckets.sweep(now)
    for (const [id, since] of this.unknownIds) {
      if (now - since < unknownMillis) break
      this.unknownIds.delete(id)
    }
  }
}
