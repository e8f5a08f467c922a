/**
 * Delays calls to makes of chargers that must not be called until they have booted, or for some time after it. Most
 * chargers have no such delay, and for them this costs nothing.
 */
import { Effect } from "effect"

/**
 * What this needs of the charger's actor. These are methods, not closures: closures for each connected charger would
 * take a large part of its memory.
 */
export interface HoldHost {
  /** Time during which the charger must not be called yet, in ms; 0 or less if it may be called. */
  readonly heldMillis: number
  readonly services: { readonly background: (effect: Effect.Effect<void>) => void }
}

export class CallHold {
  private held: Array<() => void> | undefined
  private readonly host: HoldHost

  constructor(host: HoldHost) {
    this.host = host
  }

  /** False while the charger must not be called yet. */
  get isOver(): boolean {
    return this.held === undefined && this.host.heldMillis <= 0
  }

  /** Runs `todo` now, or as soon as the charger may be called. */
  once(todo: () => void): void {
    if (this.host.heldMillis <= 0) return todo()
    if (this.held !== undefined) return void this.held.push(todo)
    this.held = [todo]
    this.wait()
  }

  /** Call it when something changed (the charger booted): checks whether the delay has ended. */
  look(): void {
    if (this.held === undefined) return
    if (this.host.heldMillis > 0) return this.wait()
    const ready = this.held
    this.held = undefined
    for (const todo of ready) todo()
  }

  private wait(): void {
    const { heldMillis, services } = this.host
    services.background(
      Effect.delay(
        Effect.sync(() => this.look()),
        heldMillis
      )
    )
  }
}
