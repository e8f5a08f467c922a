/**
 * How late the event loop is, measured by a timer of its own (the runtimes' histogram exists on Node only). It is the last resort before
 * connected chargers suffer: upgrades are taken in turn and cannot block the loop for long by themselves, so that lag which lasts for
 * seconds means that there is more to do than this machine can.
 */
import type { Clock } from "./Clock.ts"

const sampleMillis = 50
const windowMillis = 1000
/** A single stall (a collection, a burst of accepts) is no overload; this many bad seconds in a row are. */
const windowsInARow = 3

export class LoopLag {
  private readonly limitMillis: number
  private readonly onWindow: (worstMillis: number) => void
  private last: number
  private windowStart: number
  private worst = 0
  private badWindows = 0

  constructor(limitMillis: number, now: number, onWindow: (worstMillis: number) => void) {
    this.limitMillis = limitMillis
    this.onWindow = onWindow
    this.last = now
    this.windowStart = now
  }

  /** True while each of the last three seconds had a lag over the limit. */
  get isOverloaded(): boolean {
    return this.badWindows >= windowsInARow
  }

  sample(now: number): void {
    this.worst = Math.max(this.worst, now - this.last - sampleMillis)
    this.last = now
    if (now - this.windowStart < windowMillis) return
    this.badWindows = this.worst > this.limitMillis ? this.badWindows + 1 : 0
    this.onWindow(this.worst)
    this.worst = 0
    this.windowStart = now
  }

  /** Samples on `clock` until the returned function is called. */
  start(clock: Clock): () => void {
    return clock.every(sampleMillis, () => this.sample(clock.now()))
  }
}
