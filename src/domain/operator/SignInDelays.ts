/**
 * Delays after wrong passwords. Failures count for each pair of an account and an origin, so that an attacker's guesses delay only the attacker. The
 * origin is the network, or the device if the account signed in on it before. Kept in memory; when there are too many pairs, the one idle longest is
 * forgotten.
 */

/** The number of failures without a delay. */
const freeFailures = 4

const longestMillis = 15 * 60_000

/** A pair without failures for this long starts again from zero. */
const forgetMillis = 24 * 3_600_000

/**
 * The most pairs in memory. Each new pair costs the attacker a slow hash, and there are at most a dozen of those a second. So to push one pair out
 * takes longer than its delay.
 */
const pairsMost = 20_000

/** The audit log gets an entry after every so many failures. */
const notedEvery = 5

interface Pair {
  readonly failures: number
  readonly at: number
  /** `at` of the previous failure. */
  readonly before: number
}

/** ms that must pass after this many failures: 1 s from the fifth on, doubled by each, at most `longest` (15 min). */
export const delayAfter = (failures: number, longest = longestMillis): number =>
  failures <= freeFailures ? 0 : Math.min(longest, 1000 * 2 ** Math.min(20, failures - freeFailures - 1))

export class SignInDelays {
  private readonly pairs = new Map<string, Pair>()

  /** ms until this pair may try again; 0 when it may now. */
  wait(pair: string, now: number): number {
    const { at, failures } = this.known(pair, now)
    return Math.max(0, at + delayAfter(failures) - now)
  }

  /**
   * Counts an attempt as failed before its password is checked, so that many simultaneous attempts do not all get through. A correct password calls
   * `forget`. Returns the number of failures, this one included.
   */
  count(pair: string, now: number): number {
    const known = this.known(pair, now)
    const failures = known.failures + 1
    // Moves the pair to the end of the map, so that the first entry is the pair idle longest.
    this.pairs.delete(pair)
    if (this.pairs.size >= pairsMost) this.pairs.delete(this.pairs.keys().next().value ?? "")
    this.pairs.set(pair, { failures, at: now, before: known.at })
    return failures
  }

  /** A counted attempt was indeed wrong: its delay starts now. */
  failed(pair: string, now: number): void {
    const found = this.pairs.get(pair)
    if (found !== undefined) this.pairs.set(pair, { ...found, at: now })
  }

  /** Takes back an attempt that was counted but was not wrong. */
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

/** Whether the audit log gets an entry after this many failures. */
export const isNoted = (failures: number): boolean => failures % notedEvery === 0
