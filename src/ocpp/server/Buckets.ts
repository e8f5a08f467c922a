/**
 * Token buckets by name: how often something may happen, per charger id or per network. Bounded in number; when there are too many the
 * oldest is forgotten, which can only make the server kinder.
 */

interface Bucket {
  tokens: number
  at: number
}

export class Buckets {
  private readonly buckets = new Map<string, Bucket>()
  private readonly capacity: number
  private readonly perMilli: number
  private readonly maxNames: number

  /** `capacity` at once, refilled within `refillMillis`: within any such span at most twice the capacity passes. */
  constructor(capacity: number, refillMillis: number, maxNames: number) {
    this.capacity = capacity
    this.perMilli = capacity / refillMillis
    this.maxNames = maxNames
  }

  /** True when one more is allowed now. */
  has(name: string, now: number): boolean {
    const bucket = this.buckets.get(name)
    return bucket === undefined || this.filled(bucket, now) >= 1
  }

  /** Takes one; false when there was none, and then nothing is taken. */
  take(name: string, now: number): boolean {
    let bucket = this.buckets.get(name)
    if (bucket === undefined) {
      bucket = { tokens: this.capacity, at: now }
      if (this.buckets.size >= this.maxNames) this.forgetOldest()
      this.buckets.set(name, bucket)
    }
    const tokens = this.filled(bucket, now)
    bucket.at = now
    bucket.tokens = tokens < 1 ? tokens : tokens - 1
    return tokens >= 1
  }

  /** Seconds until one more is allowed, at least 1. */
  waitSeconds(name: string, now: number): number {
    const bucket = this.buckets.get(name)
    const missing = bucket === undefined ? 0 : 1 - this.filled(bucket, now)
    return Math.max(1, Math.ceil(missing / this.perMilli / 1000))
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

  private filled(bucket: Bucket, now: number): number {
    return Math.min(this.capacity, bucket.tokens + Math.max(0, now - bucket.at) * this.perMilli)
  }

  private forgetOldest(): void {
    const oldest = this.buckets.keys().next()
    if (oldest.done !== true) this.buckets.delete(oldest.value)
  }
}
