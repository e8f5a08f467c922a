/**
 * Holds back what some makes of chargers must not be called with yet: until they have booted, or for a while after it. Most are never held
 * back, and cost nothing here.
 */
import { Effect } from "effect"

/** The actor of its charger, asked by methods: functions of its own for each connected charger would be a good part of what one costs. */
export interface HoldHost {
  /** How long the charger is still to be left alone, in ms; none from 0 down. */
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

  /** Does it now, or once the charger may be called. */
  once(todo: () => void): void {
    if (this.host.heldMillis <= 0) return todo()
    if (this.held !== undefined) return void this.held.push(todo)
    this.held = [todo]
    this.wait()
  }

  /** Something changed (it booted): looks whether the wait has ended. */
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
