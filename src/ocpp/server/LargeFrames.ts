/**
 * Large frames in turn, one of all chargers at a time and a rest after each: a StopTransaction with a day's readings takes tens of milliseconds to read
 * and as many to store, and other chargers are answered in the rests. None is refused; those that wait are not read.
 */

export interface LargeFrame {
  readonly bytes: number
  /** Takes it; false when there was nothing left to do, as its connection has ended. */
  readonly take: () => boolean
}

export interface LargeFramesOptions {
  /** Of the service, over all chargers. */
  readonly largeBytesPerSecond: number
  /** A rest is at least so many times as long as the frame before it took. */
  readonly largeRest: number
}

export class LargeFrames {
  private readonly options: LargeFramesOptions
  private waiting: Array<LargeFrame> = []
  private head = 0
  private notBefore = 0
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(options: LargeFramesOptions) {
    this.options = options
  }

  /** How many wait for their turn. */
  get size(): number {
    return this.waiting.length - this.head
  }

  offer(frame: LargeFrame): void {
    this.waiting.push(frame)
    this.schedule()
  }

  /** Forgets those that wait. */
  close(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.waiting = []
    this.head = 0
  }

  private schedule(): void {
    if (this.timer !== undefined || this.size === 0) return
    this.timer = setTimeout(
      () => {
        this.timer = undefined
        this.turn()
        this.schedule()
      },
      Math.max(0, this.notBefore - performance.now())
    )
  }

  private turn(): void {
    const frame = this.waiting[this.head]
    if (frame === undefined) return
    if (++this.head === this.waiting.length) this.close()
    else if (this.head >= 1024) {
      this.waiting = this.waiting.slice(this.head)
      this.head = 0
    }
    const began = performance.now()
    if (!frame.take()) return
    const ended = performance.now()
    const { largeBytesPerSecond, largeRest } = this.options
    this.notBefore = ended + Math.max((ended - began) * largeRest, (frame.bytes * 1000) / largeBytesPerSecond)
  }
}
