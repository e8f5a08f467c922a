/**
 * How late the event loop is, measured by a timer of its own (the runtimes' histogram exists on Node only). It is the last resort before
 * connected chargers suffer: upgrades are taken in turn and cannot block the loop for long by themselves, so that lag which lasts for
 * seconds means that there is more to do than this machine can.
 *
 * While the process has little to do it is measured with the tick of each second: to wake it twenty times costs more than all that an idle service does.
 */
import type { Clock } from "./Clock.ts"

const sampleMillis = 50
const windowMillis = 1000

/** A process that used less than this share of a core in a second, and was not late, has no lag to be measured. */
const busyShare = 0.1

/** A sample that was late by less than this part of the limit is no sign of lag. */
const calmPart = 0.25

const processCpuMillis = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

/** A single stall (a collection, a burst of accepts) is no overload; this many bad seconds in a row are. */
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
  /** Ends the frequent samples; undefined while there are none. */
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

  /** `everyMillis` is the most that should have passed since the last one. Answers the worst lag of a second that is over. */
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

  /** Samples on `clock` until the returned function is called, or until there is little to do. */
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

  /** To be called every second: samples while it is not done more often. */
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
