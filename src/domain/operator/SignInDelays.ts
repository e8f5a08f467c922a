/**
 * Delays after wrong passwords. Failures count for each pair of an account and where they come from, so that guessing delays the guesser alone:
 * "where" is the network, or the device where the account signed in there before. Held in memory; of too many pairs the one longest silent is forgotten.
 */

/** Failures that cost no delay. */
const freeFailures = 4

const longestMillis = 15 * 60_000

/** A pair that was silent for so long begins anew. */
const forgetMillis = 24 * 3_600_000

/** Each pair took its guesser a slow hash, of which there are a dozen a second at most: to drive one out takes longer than its delay. */
const pairsMost = 20_000

/** After how many failures more the audit log gets an entry. */
const notedEvery = 5

interface Pair {
  readonly failures: number
  readonly at: number
  /** `at` of the failure before. */
  readonly before: number
}

/** ms that must pass after so many failures: 1 s from the fifth on, doubled by each, 15 min at most. */
export const delayAfter = (failures: number): number =>
  failures <= freeFailures ? 0 : Math.min(longestMillis, 1000 * 2 ** Math.min(20, failures - freeFailures - 1))

export class SignInDelays {
  private readonly pairs = new Map<string, Pair>()

  /** ms until this pair may try again; 0 when it may now. */
  wait(pair: string, now: number): number {
    const { at, failures } = this.known(pair, now)
    return Math.max(0, at + delayAfter(failures) - now)
  }

  /**
   * Counts a try as failed before its password is looked at, so that many at once are not all let through; a right one calls `forget`. Answers how many
   * have failed, this one included.
   */
  count(pair: string, now: number): number {
    const known = this.known(pair, now)
    const failures = known.failures + 1
    // To the end of the map, so that its beginning is the pair longest silent.
    this.pairs.delete(pair)
    if (this.pairs.size >= pairsMost) this.pairs.delete(this.pairs.keys().next().value ?? "")
    this.pairs.set(pair, { failures, at: now, before: known.at })
    return failures
  }

  /** A try that was counted turned out wrong: its delay begins now. */
  failed(pair: string, now: number): void {
    const found = this.pairs.get(pair)
    if (found !== undefined) this.pairs.set(pair, { ...found, at: now })
  }

  /** Takes back one that was counted. */
  uncount(pair: string): void {
    const found = this.pairs.get(pair)
    if (found !== undefined) this.pairs.set(pair, { ...found, failures: found.failures - 1, at: found.before })
  }

  forget(pair: string): void {
    this.pairs.delete(pair)
  }

  get size(): number {
    return this.pairs.size
  }

  private known(pair: string, now: number): Pair {
    const found = this.pairs.get(pair)
    return found === undefined || now - found.at > forgetMillis ? { failures: 0, at: now, before: now } : found
  }
}

/** Whether the audit log gets an entry after so many failures. */
export const isNoted = (failures: number): boolean => failures % notedEvery === 0
