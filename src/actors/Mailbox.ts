/**
 * A charger's inbox: items that its socket delivered and its actor has not taken yet. It is a plain array with one
 * waiting reader, since every message of every charger passes through it. It is bounded by pausing the socket, so
 * nothing is ever dropped.
 */
import { Effect } from "effect"

export class Mailbox<A> {
  private items: Array<A> = []
  private head = 0
  private reader: ((item: A) => void) | undefined
  private isHeld = false

  /** The number of waiting items. */
  get size(): number {
    return this.items.length - this.head
  }

  /** True while the reader waits for an item and is not held back. */
  get idle(): boolean {
    return this.reader !== undefined && !this.isHeld
  }

  /** Holds back new items from the waiting reader until `release`. */
  hold(): void {
    this.isHeld = true
  }

  /** Ends `hold`. Items that arrived meanwhile still wait: the caller must `poll` them or `give` them to the reader. */
  release(): void {
    this.isHeld = false
  }

  /** Gives an item to the waiting reader, ahead of all waiting items. */
  give(item: A): void {
    const reader = this.reader
    this.reader = undefined
    reader?.(item)
  }

  push(item: A): void {
    if (this.idle) return this.give(item)
    this.items.push(item)
  }

  /** Removes the next item; undefined if there is none. */
  poll(): A | undefined {
    if (this.head >= this.items.length) return undefined
    const item = this.items[this.head++]
    if (this.head === this.items.length) {
      this.items = []
      this.head = 0
    }
    return item
  }

  /** Removes the next item, and waits for one if there is none. Only one reader at a time. */
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
