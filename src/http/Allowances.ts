/** A quota per minute for each name, which may be used at once or evenly. */
import { Buckets } from "../domain/values/Buckets.ts"

export const windowSeconds = 60

/** Most names of one kind that are remembered. Beyond that the least recently used is forgotten, which can only allow more requests. */
const namesMax = 10_000

export interface Allowance {
  readonly isAllowed: boolean
  readonly remaining: number
  /** Seconds until the full quota is available again (`fullSeconds`), and until one more request is allowed (`waitSeconds`). */
  readonly fullSeconds: number
  readonly waitSeconds: number
}

export class Allowances {
  private readonly buckets: Buckets

  constructor(quota: number) {
    this.buckets = new Buckets(quota, windowSeconds * 1000, namesMax)
  }

  get size(): number {
    return this.buckets.size
  }

  take(name: string, now: number, amount = 1): Allowance {
    return this.shown(name, now, this.buckets.take(name, now, amount))
  }

  /** What is left, without using any. */
  peek(name: string, now: number): Allowance {
    return this.shown(name, now, this.buckets.has(name, now))
  }

  private shown(name: string, now: number, isAllowed: boolean): Allowance {
    const { buckets } = this
    return {
      isAllowed,
      remaining: Math.max(0, Math.floor(buckets.left(name, now))),
      fullSeconds: buckets.fullSeconds(name, now),
      waitSeconds: buckets.waitSeconds(name, now)
    }
  }
}
