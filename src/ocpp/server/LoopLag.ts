/**
 * Measures how late the event loop is, with a timer of its own (the runtimes' histogram exists on Node only). It is the
 * last resort before connected chargers are affected: upgrades are queued and cannot block the loop for long by
 * themselves, so a lag that lasts for seconds means that the machine is overloaded.
 *
 * While the process has little to do, the lag is measured once a second by the server's tick: waking it twenty times a
 * second costs more than everything else in an idle service.
 */
import type { Clock } from "./Clock.ts"

const sampleMillis = 50
const windowMillis = 1000

/** Share of a core. A process that used less than this in a second, and was not late, needs no frequent samples. */
const busyShare = 0.1

/** Part of the limit. A lag below this does not count as late. */
const calmPart = 0.25

const processCpuMillis = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

/** A single stall (a garbage collection, a burst of accepts) is not an overload; this many bad seconds in a row are. */
const windowsInARow = 3

export class LoopLag {
  private readonly limitMillis: number
  private readonly onWindow: (worstMillis: number) => void
  private last: number
  private windowStart: number
  private worst = 0
  private badWindows = 0
  private readonly cpuMillis: () => number
  private cpu: number
  /** Stops the frequent samples; undefined while there are none. */
  private stopSampling: (() => void) | undefined
  private sampleOften: (() => void) | undefined

  constructor(limitMillis: number, now: number, onWindow: (worstMillis: number) => void, cpuMillis = processCpuMillis) {
    this.cpuMillis = cpuMillis
    this.cpu = cpuMillis()
    this.limitMillis = limitMillis
    this.onWindow = onWindow
    this.last = now
    this.windowStart = now
  }

  /** True while each of the last three seconds had a lag over the limit. */
  get isOverloaded(): boolean {
    return this.badWindows >= windowsInARow
  }

  /**
   * `everyMillis` is the expected time since the last sample. Returns the worst lag of a second that has ended,
   * otherwise undefined.
   */
  sample(now: number, everyMillis = sampleMillis): number | undefined {
    this.worst = Math.max(this.worst, now - this.last - everyMillis)
    this.last = now
    if (now - this.windowStart < windowMillis) return undefined
    const { worst } = this
    this.badWindows = worst > this.limitMillis ? this.badWindows + 1 : 0
    this.onWindow(worst)
    this.worst = 0
    this.windowStart = now
    return worst
  }

  /** Takes samples on `clock` until the returned function is called, or until there is little to do. */
  start(clock: Clock): () => void {
    const sampleOften = (): void => {
      this.stopSampling = clock.every(sampleMillis, () => this.look(clock.now(), sampleMillis))
    }
    this.sampleOften = sampleOften
    sampleOften()
    return () => {
      this.stopSampling?.()
      this.sampleOften = undefined
    }
  }

  /** Call it every second: takes a sample while there are no frequent ones. */
  tick(now: number): void {
    if (this.stopSampling === undefined) this.look(now, windowMillis)
  }

  private look(now: number, everyMillis: number): void {
    const worst = this.sample(now, everyMillis)
    if (worst === undefined) return
    const used = this.cpuMillis() - this.cpu
    this.cpu += used
    const isCalm = used < windowMillis * busyShare && worst < this.limitMillis * calmPart
    if (isCalm) {
      this.stopSampling?.()
      this.stopSampling = undefined
    } else if (this.stopSampling === undefined) this.sampleOften?.()
  }
}
