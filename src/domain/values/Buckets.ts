/**
 * Token buckets by name: they limit how often something may happen, per charger, key or network. Their number is bounded. When there are too many,
 * the one idle longest is forgotten, which can only allow more.
 */

interface Bucket {
  readonly tokens: number
  readonly at: number
}

export class Buckets {
  private readonly buckets = new Map<string, Bucket>()
  private readonly capacity: number
  private readonly refillMillis: number
  private readonly maxNames: number

  /** `capacity` uses at once, refilled within `refillMillis`. Within any such period at most twice the capacity is allowed. */
  constructor(capacity: number, refillMillis: number, maxNames: number) {
    this.capacity = capacity
    this.refillMillis = refillMillis
    this.maxNames = maxNames
  }

  /** True when one more use is allowed now. */
  has(name: string, now: number): boolean {
    return this.left(name, now) >= 1
  }

  /**
   * Takes one token, or `amount`. False if less than one is left; then nothing is taken. If `amount` is more than is left, the bucket goes below
   * zero.
   */
  take(name: string, now: number, amount = 1): boolean {
    const before = this.left(name, now)
    // Moves the bucket to the end of the map, so that the first entry is the one idle longest.
    this.buckets.delete(name)
    if (this.buckets.size >= this.maxNames) this.forgetOldest()
    this.buckets.set(name, { tokens: before < 1 ? before : before - amount, at: now })
    return before >= 1
  }

  /** The tokens that are left, with fractions. */
  left(name: string, now: number): number {
    const bucket = this.buckets.get(name)
    return bucket === undefined ? this.capacity : this.filled(bucket, now)
  }

  /** Seconds until one more use is allowed, at least 1. */
  waitSeconds(name: string, now: number): number {
    return this.secondsFor(1 - this.left(name, now))
  }

  /** Seconds until the full capacity is available again, at least 1. */
  fullSeconds(name: string, now: number): number {
    return this.secondsFor(this.capacity - this.left(name, now))
  }

  /** Deletes the buckets that are full again; called from time to time. */
  sweep(now: number): void {
    for (const [name, bucket] of this.buckets) {
      if (this.filled(bucket, now) >= this.capacity) this.buckets.delete(name)
    }
  }

  get size(): number {
    return this.buckets.size
  }

  private secondsFor(missing: number): number {
    return Math.max(1, Math.ceil((missing * this.refillMillis) / this.capacity / 1000))
  }

  private filled(bucket: Bucket, now: number): number {
    const refilled = (Math.max(0, now - bucket.at) * this.capacity) / this.refillMillis
    return Math.min(this.capacity, bucket.tokens + refilled)
  }

  private forgetOldest(): void {
    const oldest = this.buckets.keys().next()
    if (oldest.done !== true) this.buckets.delete(oldest.value)
  }
}
