/**
 * The interface between a charger's socket and its actor. The socket side knows frames, versions and limits; the actor knows the domain. They
 * exchange decoded events and domain replies only, so that each could run on a machine of its own.
 */
import { Context, type Effect } from "effect"
import type { ChargerCommand, CommandResult } from "../command/ChargerCommand.ts"
import type { Envelope } from "./Decision.ts"
import type { ChargerEvent } from "./ChargerEvent.ts"
import type { Reply } from "./Reply.ts"
import type { ConnectionOpening } from "./ChargerDirectory.ts"

/** What the actor may do with its socket. All calls except the ping are synchronous. No call fails: a closed socket ignores it. */
export interface ChargerLine {
  /** Sends a command as a CALL; the result comes back by `ChargerMailbox.answered` with the same message id. */
  readonly call: (messageId: string, command: ChargerCommand) => void
  /** Closes the socket with a websocket close code (1000…4999) and reason. */
  readonly close: (code: number, reason: string) => void
  /** Stops reading while the mailbox is full; `resume` continues. */
  readonly pause: () => void
  readonly resume: () => void
  /** Pings the charger; true when it answers within `millis`. */
  readonly answersPing: (millis: number) => Effect.Effect<boolean>
}

/** The actor's side of one connection. All of it is synchronous, since the socket side calls it from event handlers. */
export interface ChargerMailbox {
  /** An event to decide; `respond` is called once, with the reply and the time (ms epoch) of the decision. */
  readonly deliver: (event: ChargerEvent, envelope: Envelope, respond: (reply: Reply, now: number) => void) => void
  /** The result of a CALL of ours. False if no such CALL is open (late, foreign or guessed); the caller counts these. */
  readonly answered: (messageId: string, read: (command: ChargerCommand) => CommandResult) => boolean
  /** The charger is silent and has never answered a ping. The actor asks it for a message, which would prove that it is connected. */
  readonly doubted: () => void
  /** The socket was closed. */
  readonly closed: (reason: string) => void
}

/** `Taken`: the older connection stays, since it uses security profile 0 and answers pings. */
export type Admission =
  | {
      readonly _tag: "Admitted"
      readonly attach: (line: ChargerLine) => ChargerMailbox
      /** The handshake failed. Ends this admission and no newer one. */
      readonly abandon: Effect.Effect<void>
    }
  | { readonly _tag: "Taken" }
  | { readonly _tag: "Unknown" }
  | { readonly _tag: "Unavailable"; readonly retryAfterSeconds: number }

export class ChargerInbox extends Context.Service<
  ChargerInbox,
  {
    /**
     * Asks, before the upgrade request is answered, to make this the charger's current connection. `Admitted` means that the epoch is assigned,
     * an older connection is closed and its last commit has ended, and the actor is ready. The caller must then call `attach` once, or `abandon`
     * if the handshake fails. A newer admission that arrives before either call makes this one void.
     */
    readonly admit: (opening: ConnectionOpening) => Effect.Effect<Admission>
    /** Closes all connections in batches with 1012, and waits until each actor has answered the messages that it had accepted. */
    readonly drain: Effect.Effect<void>
  }
>()("voltlane/ChargerInbox") {}
