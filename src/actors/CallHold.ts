/**
 * Holds back what some makes of chargers must not be called with yet: until they have booted, or for a while after it. Most are never held
 * back, and cost nothing here.
 */
import { Effect } from "effect"

export class CallHold {
  private held: Array<() => void> = []
  private readonly leftMillis: () => number
  private readonly background: (effect: Effect.Effect<void>) => void

  /** `leftMillis` says how long the charger is still to be left alone; `background` runs the waiting for it. */
  constructor(leftMillis: () => number, background: (effect: Effect.Effect<void>) => void) {
    this.leftMillis = leftMillis
    this.background = background
  }

  /** Does it now, or once the charger may be called. */
  once(todo: () => void): void {
    if (this.leftMillis() <= 0) return todo()
    this.held.push(todo)
    if (this.held.length === 1) this.wait()
  }

  /** Something changed (it booted): looks whether the wait has ended. */
  look(): void {
    if (this.held.length === 0) return
    if (this.leftMillis() > 0) return this.wait()
    const ready = this.held
    this.held = []
    for (const todo of ready) todo()
  }

  private wait(): void {
    this.background(
      Effect.delay(
        Effect.sync(() => this.look()),
        this.leftMillis()
      )
    )
  }
}
