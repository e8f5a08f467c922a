/** What all charger actors of a process share. */
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
  /** Waiting messages at which reading from the socket is paused; it is resumed at half as many. */
  readonly mailboxHigh: number
  /**
   * Deadline for answering a call, in ms. If the database cannot be queried or has not stored the message by then, the
   * answer is InternalError.
   */
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
  /** Runs an effect in the background, outside the actor's fiber: for example a follow-up command after its delay. */
  readonly background: (effect: Effect.Effect<void>) => void
}
