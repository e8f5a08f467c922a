/**
 * How fast and how badly one charger may talk: frames, their bytes, and the time that they take from the thread which everybody shares. Over one of
 * the three its socket is not read for a moment and nothing is lost; over the count of bad frames the connection ends.
 */
import type { OcppLimits } from "./Limits.ts"

const minute = 60_000

/** What a charger had too much of. */
export const overdraws = ["frames", "bytes", "time"] as const
export type Overdrawn = (typeof overdraws)[number]

/** So much at once, then so much a second. What is taken over it is owed, and paid back before there is room again. */
class Budget {
  private left: number
  private at: number
  private readonly burst: number
  private readonly perSecond: number

  constructor(burst: number, perSecond: number, now: number) {
    this.burst = burst
    this.perSecond = perSecond
    this.left = burst
    this.at = now
  }

  /** What is left after `cost` was taken, which may be less than nothing. */
  spend(cost: number, now: number): number {
    return (this.left = this.leftAt(now) - cost)
  }

  leftAt(now: number): number {
    if (now > this.at) {
      this.left = Math.min(this.burst, this.left + ((now - this.at) * this.perSecond) / 1000)
      this.at = now
    }
    return this.left
  }

  isFull(now: number): boolean {
    return this.leftAt(now) >= this.burst
  }
}

export class FrameRate {
  private readonly frames: Budget
  private readonly bytes: Budget
  private readonly time: Budget
  /** Connections that it is the rate of. */
  users = 0

  constructor(limits: OcppLimits, now: number) {
    this.frames = new Budget(limits.frameBurst, limits.framesPerSecond, now)
    this.bytes = new Budget(limits.bytesBurst, limits.bytesPerSecond, now)
    this.time = new Budget(limits.workBurstMillis, limits.workMillisPerSecond, now)
  }

  /** Takes a frame that counts as `cost` frames; what there was too much of, or undefined while the charger stays within its rate. */
  spend(cost: number, bytes: number, now: number): Overdrawn | undefined {
    const frames = this.frames.spend(cost, now)
    if (this.bytes.spend(bytes, now) <= 0) return "bytes"
    return frames <= 0 ? "frames" : undefined
  }

  /** Takes the time that a frame took, in ms; true when that was too much. */
  worked(millis: number, now: number): boolean {
    return this.time.spend(millis, now) <= 0
  }

  /** True when there is room for another frame. */
  hasRoom(now: number): boolean {
    return this.frames.leftAt(now) >= 1 && this.bytes.leftAt(now) > 0 && this.time.leftAt(now) > 0
  }

  /** True when nothing of it is used. */
  isFresh(now: number): boolean {
    return this.frames.isFull(now) && this.bytes.isFull(now) && this.time.isFull(now)
  }
}

/** Frames of one connection that are no OCPP messages. */
export class BadFrames {
  private count = 0
  private since = 0

  /** Counts one; true when there were too many within a minute. */
  isAbusive({ badFramesPerMinute }: OcppLimits, now: number): boolean {
    if (now - this.since >= minute) {
      this.since = now
      this.count = 0
    }
    return ++this.count > badFramesPerMinute
  }
}

/** Each charger's rate, which goes on over its connections: a new connection brings no more. */
export class FrameRates {
  private readonly limits: OcppLimits
  private readonly rates = new Map<string, FrameRate>()

  constructor(limits: OcppLimits) {
    this.limits = limits
  }

  /** The rate of a connection that begins. */
  begin(chargerId: string, now: number): FrameRate {
    let rate = this.rates.get(chargerId)
    if (rate === undefined) this.rates.set(chargerId, (rate = new FrameRate(this.limits, now)))
    rate.users++
    return rate
  }

  /** Its connection has ended. */
  end(rate: FrameRate): void {
    rate.users--
  }

  /** Forgets those of chargers that have gone and owe nothing. */
  sweep(now: number): void {
    for (const [chargerId, rate] of this.rates) {
      if (rate.users === 0 && rate.isFresh(now)) this.rates.delete(chargerId)
    }
  }

  get size(): number {
    return this.rates.size
  }
}
