/**
 * How fast and how badly one charger may talk. Over the rate its socket is not read for a moment and nothing is lost; over the count of
 * bad frames the connection ends.
 */
import type { OcppLimits } from "./Limits.ts"

const minute = 60_000

export class FrameRate {
  private tokens: number
  private at: number
  private bad = 0
  private badSince = 0

  constructor(limits: OcppLimits, now: number) {
    this.tokens = limits.frameBurst
    this.at = now
  }

  /** Takes `cost` frames; true while the charger stays within its rate. */
  spend(cost: number, limits: OcppLimits, now: number): boolean {
    this.refill(limits, now)
    this.tokens -= cost
    return this.tokens > 0
  }

  /** True when there is room for another frame. */
  hasRoom(limits: OcppLimits, now: number): boolean {
    this.refill(limits, now)
    return this.tokens >= 1
  }

  /** Counts a frame that was no OCPP message; true when there were too many within a minute. */
  isAbusive(limits: OcppLimits, now: number): boolean {
    if (now - this.badSince >= minute) {
      this.badSince = now
      this.bad = 0
    }
    this.bad++
    return this.bad > limits.badFramesPerMinute
  }

  private refill(limits: OcppLimits, now: number): void {
    if (now <= this.at) return
    this.tokens = Math.min(limits.frameBurst, this.tokens + ((now - this.at) * limits.framesPerSecond) / 1000)
    this.at = now
  }
}
