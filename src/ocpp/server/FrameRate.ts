/**
 * Limits how fast one charger may send: its frames, their bytes, and the time that they take from the thread that all
 * chargers share. Above one of these three limits its socket is not read for a moment, and nothing is lost. Above the
 * limit of bad frames the connection ends.
 */
import type { OcppLimits } from "./Limits.ts"

const minute = 60_000

/** The budget that a charger exceeded. */
export const overdraws = ["frames", "bytes", "time"] as const
export type Overdrawn = (typeof overdraws)[number]

/**
 * Three budgets of one charger, each with an initial burst and then a rate per second. What is spent beyond a budget
 * must be earned back before there is room again. It is a single object, since there is one for each connected charger.
 */
export class FrameRate {
  private readonly limits: OcppLimits
  private frames: number
  private bytes: number
  /** The thread's time, in ms. */
  private time: number
  private at: number
  /** The number of connections with this rate. */
  users = 0

  constructor(limits: OcppLimits, now: number) {
    this.limits = limits
    this.frames = limits.frameBurst
    this.bytes = limits.bytesBurst
    this.time = limits.workBurstMillis
    this.at = now
  }

  /**
   * Spends a frame that counts as `cost` frames. Returns the budget that was exceeded; undefined while the charger
   * stays within its rate.
   */
  spend(cost: number, bytes: number, now: number): Overdrawn | undefined {
    this.refill(now)
    this.frames -= cost
    this.bytes -= bytes
    if (this.bytes <= 0) return "bytes"
    return this.frames <= 0 ? "frames" : undefined
  }

  /** Spends the time that a frame took, in ms; true if the budget was exceeded. */
  worked(millis: number, now: number): boolean {
    this.refill(now)
    this.time -= millis
    return this.time <= 0
  }

  /** True when there is room for another frame. */
  hasRoom(now: number): boolean {
    this.refill(now)
    return this.frames >= 1 && this.bytes > 0 && this.time > 0
  }

  /** True if no budget is used. */
  isFresh(now: number): boolean {
    this.refill(now)
    const { bytesBurst, frameBurst, workBurstMillis } = this.limits
    return this.frames >= frameBurst && this.bytes >= bytesBurst && this.time >= workBurstMillis
  }

  private refill(now: number): void {
    if (now <= this.at) return
    const seconds = (now - this.at) / 1000
    const { limits } = this
    this.frames = Math.min(limits.frameBurst, this.frames + seconds * limits.framesPerSecond)
    this.bytes = Math.min(limits.bytesBurst, this.bytes + seconds * limits.bytesPerSecond)
    this.time = Math.min(limits.workBurstMillis, this.time + seconds * limits.workMillisPerSecond)
    this.at = now
  }
}

/** Counts frames of one connection that are not OCPP messages. */
export class BadFrames {
  private count = 0
  private since = 0

  /** Counts one; true if there were too many within a minute. */
  isAbusive({ badFramesPerMinute }: OcppLimits, now: number): boolean {
    if (now - this.since >= minute) {
      this.since = now
      this.count = 0
    }
    return ++this.count > badFramesPerMinute
  }
}

/** Each charger's rate. It continues over its connections: reconnecting does not renew a budget. */
export class FrameRates {
  private readonly limits: OcppLimits
  private readonly rates = new Map<string, FrameRate>()

  constructor(limits: OcppLimits) {
    this.limits = limits
  }

  /** The rate for a connection that begins. */
  begin(chargerId: string, now: number): FrameRate {
    let rate = this.rates.get(chargerId)
    if (rate === undefined) this.rates.set(chargerId, (rate = new FrameRate(this.limits, now)))
    rate.users++
    return rate
  }

  /** A connection with this rate has ended. */
  end(rate: FrameRate): void {
    rate.users--
  }

  /** Removes the rates of chargers that are gone and have full budgets. */
  sweep(now: number): void {
    for (const [chargerId, rate] of this.rates) {
      if (rate.users === 0 && rate.isFresh(now)) this.rates.delete(chargerId)
    }
  }

  get size(): number {
    return this.rates.size
  }
}
