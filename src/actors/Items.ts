/** What waits in a charger's mailbox: its own messages, what came of commands to it, and words of its surroundings. */
import type { ChargerCommand, CommandResult } from "../domain/command/ChargerCommand.ts"
import type { ChargerEvent, TransactionAction } from "../domain/charger/ChargerEvent.ts"
import type { Decision, Envelope } from "../domain/charger/Decision.ts"
import type { FactRefused, StorageUnavailable } from "../domain/Errors.ts"
import type { PartnerAnswer } from "../domain/token/RealTime.ts"
import type { OpenCall } from "./Patience.ts"

export interface Waiting {
  /** When it came, ms epoch: its patience with a database that is away counts from here, whatever it waited behind. */
  readonly since: number
}

export interface EventItem extends Waiting {
  readonly _tag: "Event"
  readonly event: ChargerEvent
  readonly envelope: Envelope
  readonly call: OpenCall
  /** What partners have said of its card, once they were asked. */
  readonly partnerAnswers?: ReadonlyArray<PartnerAnswer>
  /** It was decided and could not be committed. */
  readonly failed?: FailedCommit | undefined
}

export interface FailedCommit {
  readonly decided: Extract<Decision, { readonly _tag: "Act" }>
  readonly error: StorageUnavailable | FactRefused
}

export interface CommandItem extends Waiting {
  readonly _tag: "CommandAnswered"
  readonly commandId?: string | undefined
  readonly command: ChargerCommand
  readonly result: CommandResult
  /** Called once its facts are stored, for a command that was issued. */
  readonly concluded?: () => void
}

export type Item =
  | EventItem
  | CommandItem
  | (Waiting & { readonly _tag: "Settled"; readonly anew?: true })
  | (Waiting & { readonly _tag: "Doubted" })
  | { readonly _tag: "Closed" }
  /** A defect outside the fiber: it ends the actor. */
  | { readonly _tag: "Died"; readonly cause: unknown }

/** What is decided on. */
export type Deciding = Exclude<Item, { readonly _tag: "Closed" | "Died" }>

const unstorable: Readonly<Partial<Record<ChargerEvent["_tag"], TransactionAction>>> = {
  TransactionStarted: "StartTransaction",
  TransactionEnded: "StopTransaction",
  MeterValuesReported: "MeterValues"
}

/** A transaction message whose facts the database cannot hold is kept raw, and answered all the same. */
export const asUnreadable = (item: EventItem, problem: string): EventItem | undefined => {
  const action = unstorable[item.event._tag]
  return action === undefined
    ? undefined
    : { ...item, failed: undefined, event: { _tag: "UnreadableTransactionMessage", action, problem } }
}
