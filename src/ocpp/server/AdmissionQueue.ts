/**
 * Upgrades taken in turn. A thousand chargers that come back at one moment are a thousand upgrades in one turn of the event loop; they
 * are started a few milliseconds' worth at a time, so that those who are connected already are answered in between, and only so many are
 * being looked up at once. None is refused for that.
 */

/** How long one turn of the event loop may be spent on starting upgrades, in ms. */
const turnMillis = 10

export class AdmissionQueue<A> {
  private waiting: Array<A> = []
  private head = 0
  private running = 0
  private isScheduled = false
  private readonly maxRunning: number
  private readonly start: (item: A) => void

  /** `start` begins one; its end calls `done`. */
  constructor(maxRunning: number, start: (item: A) => void) {
    this.maxRunning = maxRunning
    this.start = start
  }

  /** How many wait for their turn. */
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
