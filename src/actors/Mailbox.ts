/**
 * A charger's inbox: what its socket delivered and its actor has not taken yet. A plain array with one waiting reader, since every
 * message of every charger goes through it; the bound is kept by pausing the socket, so that nothing is ever dropped.
 */
import { Effect } from "effect"

export class Mailbox<A> {
  private items: Array<A> = []
  private head = 0
  private reader: ((item: A) => void) | undefined
  private isHeld = false

  /** How many wait. */
  get size(): number {
    return this.items.length - this.head
  }

  /** True while the reader waits for work, and nothing holds it back. */
  get idle(): boolean {
    return this.reader !== undefined && !this.isHeld
  }

  /** Keeps from the waiting reader what comes from now on, until `release`. */
  hold(): void {
    this.isHeld = true
  }

  /** What came meanwhile still waits: it is for the caller to `poll` it or to `give` it to the reader. */
  release(): void {
    this.isHeld = false
  }

  /** Gives an item to the waiting reader, before all that wait. */
  give(item: A): void {
    const reader = this.reader
    this.reader = undefined
    reader?.(item)
  }

  push(item: A): void {
    if (this.idle) return this.give(item)
    this.items.push(item)
  }

  /** The next item, if one waits. */
  poll(): A | undefined {
    if (this.head >= this.items.length) return undefined
    const item = this.items[this.head++]
    if (this.head === this.items.length) {
      this.items = []
      this.head = 0
    }
    return item
  }

  /** The next item, waiting for it. Only one reader at a time. */
  get take(): Effect.Effect<A> {
    return Effect.callback<A>((resume) => {
      const item = this.poll()
      if (item !== undefined) return resume(Effect.succeed(item))
      this.reader = (next) => resume(Effect.succeed(next))
      return Effect.sync(() => {
        this.reader = undefined
      })
    })
  }
}
