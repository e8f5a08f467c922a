/** Seeded randomness for property tests: the same seed gives the same history, on every machine and runtime. */

/** Mulberry32: small, fast, and good enough for shuffling. */
export class Random {
  private state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  /** At least 0 and below 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let t = Math.imul(this.state ^ (this.state >>> 15), this.state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }

  /** An integer from `from` up to and including `to`. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<A>(items: ReadonlyArray<A>): A {
    if (items.length === 0) throw new Error("nothing to pick from")
    return items[this.between(0, items.length - 1)] as A
  }

  shuffled<A>(items: ReadonlyArray<A>): Array<A> {
    const result = [...items]
    for (let i = result.length - 1; i > 0; i--) {
      const j = this.between(0, i)
      const swapped = result[i]!
      result[i] = result[j]!
      result[j] = swapped
    }
    return result
  }
}

/**
 * The seeds of a run. `PROPERTY_SEED` repeats one, `PROPERTY=full` runs `full` of them. They begin at another number each time, so that many runs
 * cover many histories.
 */
export const seeds = (count: number, full = count * 10): ReadonlyArray<number> => {
  const given = process.env["PROPERTY_SEED"]
  if (given !== undefined) return [Number(given)]
  const first = Math.floor(Math.random() * 2 ** 31)
  return Array.from({ length: process.env["PROPERTY"] === "full" ? full : count }, (_, i) => first + i)
}

/** Runs a property for each seed and reports the seed that broke it. */
export const forSeeds = (count: number, property: (random: Random, seed: number) => void, full?: number): void => {
  for (const seed of seeds(count, full)) {
    try {
      property(new Random(seed), seed)
    } catch (error) {
      throw new Error(`broken by PROPERTY_SEED=${seed}`, { cause: error })
    }
  }
}
