/** What every attack of the `isolation` bench has in common. Each runs in a process of its own (`attacker.ts`). */
import { Schema } from "effect"

/** Where the service is, and the credentials of those attackers who have any. */
export const Target = Schema.Struct({
  port: Schema.Int,
  /** A key with every permission. */
  key: Schema.String,
  /** A partner's token. */
  partnerToken: Schema.String,
  /** Base of the websocket address of chargers. */
  ocppUrl: Schema.String,
  /** A registered charger that is not connected. */
  idleCharger: Schema.String
})
export type Target = typeof Target.Type

/** What its neighbours may notice: the 99th percentile of their answers in ms while it goes on, and the growth of the service's memory. */
export interface Goal {
  readonly heartbeatMs: number
  readonly transactionMs: number
  readonly memoryMiB: number
}

export interface Attack {
  /** What the attacker does, as the table says it. */
  readonly what: string
  readonly goal: Goal
  /** Runs until the signal is aborted. `count` is called for each request that was answered, with its status. */
  readonly run: (target: Target, signal: AbortSignal, count: (status: number) => void) => Promise<void>
}
