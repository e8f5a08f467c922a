/**
 * Handles large frames one at a time over all chargers, with a pause after each. A StopTransaction with a day's
 * readings takes tens of milliseconds to read and as many to store; other chargers are answered in the pauses. No frame
 * is refused. The sockets of those that wait are not read.
 */

export interface LargeFrame {
  readonly bytes: number
  /** Handles the frame; false if there was nothing to do because its connection has ended. */
  readonly take: () => boolean
}

export interface LargeFramesOptions {
  /** The limit over all chargers of the service. */
  readonly largeBytesPerSecond: number
  /** The minimum pause after a frame, as a multiple of the time that the frame took. */
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

  /** The number of waiting frames. */
  get size(): number {
    return this.waiting.length - this.head
  }

  offer(frame: LargeFrame): void {
    this.waiting.push(frame)
    this.schedule()
  }

  /** Removes all waiting frames. */
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
