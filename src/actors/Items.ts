/**
 * The items of a charger's mailbox: the charger's own messages, results of commands to it, and notifications from its
 * surroundings.
 */
import type { ChargerCommand, CommandResult } from "../domain/command/ChargerCommand.ts"
import type { ChargerEvent, TransactionAction } from "../domain/charger/ChargerEvent.ts"
import type { Decision, Envelope } from "../domain/charger/Decision.ts"
import type { FactRefused, StorageUnavailable } from "../domain/Errors.ts"
import type { PartnerAnswer } from "../domain/token/RealTime.ts"
import type { OpenCall } from "./Patience.ts"

export interface Waiting {
  /**
   * When it arrived, ms epoch. Its deadline while the database is unavailable counts from here, however long it waited
   * behind others.
   */
  readonly since: number
}

export interface EventItem extends Waiting {
  readonly _tag: "Event"
  readonly event: ChargerEvent
  readonly envelope: Envelope
  readonly call: OpenCall
  /** Partners' answers about its card, once they were asked. */
  readonly partnerAnswers?: ReadonlyArray<PartnerAnswer>
  /** The decision that could not be committed, and the error. */
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

/** The items that are passed to `decide`. */
export type Deciding = Exclude<Item, { readonly _tag: "Closed" | "Died" }>

const unstorable: Readonly<Partial<Record<ChargerEvent["_tag"], TransactionAction>>> = {
  TransactionStarted: "StartTransaction",
  TransactionEnded: "StopTransaction",
  MeterValuesReported: "MeterValues"
}

/**
 * A transaction message whose facts the database cannot store, as one that is kept raw and still answered. Undefined
 * for other messages.
 */
export const asUnreadable = (item: EventItem, problem: string): EventItem | undefined => {
  const action = unstorable[item.event._tag]
  return action === undefined
    ? undefined
    : { ...item, failed: undefined, event: { _tag: "UnreadableTransactionMessage", action, problem } }
}
