/** What every charger's actor of a process shares. */
import type { Clock, Effect } from "effect"
import type { ChargerDirectory } from "../domain/charger/ChargerDirectory.ts"
import type { ChargerState } from "../domain/charger/ChargerState.ts"
import type { Decide, Evolve } from "../domain/charger/Decision.ts"
import type { Journal } from "../domain/charger/Journal.ts"
import type { Commands } from "../domain/command/Commands.ts"
import type { RealTimeAuthorizer } from "../domain/token/RealTimeAuthorizer.ts"
import type { OutboundOptions } from "./OutboundCalls.ts"
import type { Patience } from "./Patience.ts"
import type { Recording } from "./Recording.ts"
import type { TransactionNumbers } from "./TransactionNumbers.ts"

export interface ActorOptions extends OutboundOptions {
  /** Messages that may wait before the socket is paused; it is resumed at half. */
  readonly mailboxHigh: number
  /** Within which a call has its answer, in ms: InternalError where the database could not be asked, or has not stored it, by then. */
  readonly patienceMillis: number
}

export interface ActorServices {
  readonly options: ActorOptions
  readonly decide: Decide<ChargerState>
  readonly evolve: Evolve<ChargerState>
  readonly journal: Journal["Service"]
  readonly directory: ChargerDirectory["Service"]
  readonly commands: Pick<Commands["Service"], "take">
  readonly authorizer: RealTimeAuthorizer["Service"]
  readonly numbers: TransactionNumbers
  readonly patience: Patience
  readonly recording: Recording
  readonly clock: Clock.Clock
  readonly uuid: (now: number) => string
  /** Runs what a decision asked for besides its facts: commands, after their delay. */
  readonly background: (effect: Effect.Effect<void>) => void
}
