/**
 * Queues upgrades. A thousand chargers that reconnect at once are a thousand upgrades in one turn of the event loop.
 * They are started for a few milliseconds at a time, so that connected chargers are answered in between, and only a
 * limited number runs at once. None is refused for this.
 */

/** How long one turn of the event loop may start upgrades, in ms. */
const turnMillis = 10

export class AdmissionQueue<A> {
  private waiting: Array<A> = []
  private head = 0
  private running = 0
  private isScheduled = false
  private readonly maxRunning: number
  private readonly start: (item: A) => void

  /** `start` begins an item; call `done` when it has ended. */
  constructor(maxRunning: number, start: (item: A) => void) {
    this.maxRunning = maxRunning
    this.start = start
  }

  /** The number of waiting items. */
  get size(): number {
    return this.waiting.length - this.head
  }

  offer(item: A): void {
    this.waiting.push(item)
    this.schedule()
  }

  done(): void {
    this.running--
    this.schedule()
  }

  private schedule(): void {
    if (this.isScheduled || this.size === 0 || this.running >= this.maxRunning) return
    this.isScheduled = true
    setImmediate(() => {
      this.isScheduled = false
      this.turn()
      this.schedule()
    })
  }

  private turn(): void {
    const end = performance.now() + turnMillis
    while (this.size > 0 && this.running < this.maxRunning && performance.now() < end) {
      const item = this.waiting[this.head++]!
      this.running++
      this.start(item)
    }
    if (this.head === this.waiting.length) {
      this.waiting = []
      this.head = 0
    }
  }
}
