/** Counters by key, for example the open requests of each partner. A key whose count is back at 0 takes no memory. */

export class Counts {
  private readonly counts = new Map<string, number>()
  private sum = 0

  of(key: string): number {
    return this.counts.get(key) ?? 0
  }

  /** The sum over all keys. */
  get all(): number {
    return this.sum
  }

  add(key: string, change: number): void {
    const count = this.of(key) + change
    this.sum += change
    if (count === 0) this.counts.delete(key)
    else this.counts.set(key, count)
  }

  /** The keys whose count is `most` or more. */
  full(most: number): ReadonlyArray<string> {
    return [...this.counts].filter(([, count]) => count >= most).map(([key]) => key)
  }

  /** The number of keys whose count is not 0. */
  get size(): number {
    return this.counts.size
  }

  clear(): void {
    this.counts.clear()
    this.sum = 0
  }
}
