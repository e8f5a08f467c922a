/**
 * Token buckets by name: how often something may happen, per charger, key or network. Bounded in number; when there are too many the one
 * longest silent is forgotten, which can only make the service kinder.
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

  /** `capacity` at once, refilled within `refillMillis`: within any such span at most twice the capacity passes. */
  constructor(capacity: number, refillMillis: number, maxNames: number) {
    this.capacity = capacity
    this.refillMillis = refillMillis
    this.maxNames = maxNames
  }

  /** True when one more is allowed now. */
  has(name: string, now: number): boolean {
    return this.left(name, now) >= 1
  }

  /** Takes one, or `amount`; false when there was none, and then nothing is taken. More than is left is owed. */
  take(name: string, now: number, amount = 1): boolean {
    const before = this.left(name, now)
    // To the end of the map, so that its beginning is the one longest silent.
    this.buckets.delete(name)
    if (this.buckets.size >= this.maxNames) this.forgetOldest()
    this.buckets.set(name, { tokens: before < 1 ? before : before - amount, at: now })
    return before >= 1
  }

  /** What is left of the capacity, with fractions. */
  left(name: string, now: number): number {
    const bucket = this.buckets.get(name)
    return bucket === undefined ? this.capacity : this.filled(bucket, now)
  }

  /** Seconds until one more is allowed, at least 1. */
  waitSeconds(name: string, now: number): number {
    return this.secondsFor(1 - this.left(name, now))
  }

  /** Seconds until all of the capacity is there again, at least 1. */
  fullSeconds(name: string, now: number): number {
    return this.secondsFor(this.capacity - this.left(name, now))
  }

  /** Forgets the buckets that are full again; called once in a while. */
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
