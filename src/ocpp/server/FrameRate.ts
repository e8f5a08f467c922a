/**
 * How fast and how badly one charger may talk: frames, their bytes, and the time that they take from the thread which everybody shares. Over one of
 * the three its socket is not read for a moment and nothing is lost; over the count of bad frames the connection ends.
 */
import type { OcppLimits } from "./Limits.ts"

const minute = 60_000

/** What a charger had too much of. */
export const overdraws = ["frames", "bytes", "time"] as const
export type Overdrawn = (typeof overdraws)[number]

/**
 * Three budgets of one charger, each so much at once and then so much a second. What is taken over one is owed, and paid back before there is room
 * again. One object, since there is one for each connected charger.
 */
export class FrameRate {
  private readonly limits: OcppLimits
  private frames: number
  private bytes: number
  /** ms of the thread's time. */
  private time: number
  private at: number
  /** Connections that it is the rate of. */
  users = 0

  constructor(limits: OcppLimits, now: number) {
    this.limits = limits
    this.frames = limits.frameBurst
    this.bytes = limits.bytesBurst
    this.time = limits.workBurstMillis
    this.at = now
  }

  /** Takes a frame that counts as `cost` frames; what there was too much of, or undefined while the charger stays within its rate. */
  spend(cost: number, bytes: number, now: number): Overdrawn | undefined {
    this.refill(now)
    this.frames -= cost
    this.bytes -= bytes
    if (this.bytes <= 0) return "bytes"
    return this.frames <= 0 ? "frames" : undefined
  }

  /** Takes the time that a frame took, in ms; true when that was too much. */
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

  /** True when nothing of it is used. */
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
