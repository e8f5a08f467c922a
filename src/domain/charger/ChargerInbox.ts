/**
 * The way from a charger's socket to its actor. The socket side knows frames, versions and limits; the actor knows the domain. Between
 * them go decoded events and domain replies, so that either side may one day live on another machine.
 */
import { Context, type Effect } from "effect"
import type { ChargerCommand, CommandResult } from "../command/ChargerCommand.ts"
import type { Envelope } from "./Decision.ts"
import type { ChargerEvent } from "./ChargerEvent.ts"
import type { Reply } from "./Reply.ts"
import type { ConnectionOpening } from "./ChargerDirectory.ts"

/** What the actor may do with its socket. All of it is synchronous and never fails: a socket that is gone swallows. */
export interface ChargerLine {
  /** Sends a command as a CALL; the result comes back by `ChargerMailbox.answered` with the same message id. */
  readonly call: (messageId: string, command: ChargerCommand) => void
  /** Closes the socket with a websocket close code (1000…4999) and reason. */
  readonly close: (code: number, reason: string) => void
  /** Stops and resumes reading, when the mailbox is full and has room again. */
  readonly pause: () => void
  readonly resume: () => void
  /** Pings the charger; true when it answers within `millis`. */
  readonly answersPing: (millis: number) => Effect.Effect<boolean>
}

/** The actor's end of one connection. All of it is synchronous; the socket side calls it from its event handlers. */
export interface ChargerMailbox {
  /** An event to decide; `respond` is called once, with the reply and the time (ms epoch) it was decided at. */
  readonly deliver: (event: ChargerEvent, envelope: Envelope, respond: (reply: Reply, now: number) => void) => void
  /** What a CALL of ours came to. False when no such call is pending (late, foreign or guessed): the caller counts it. */
  readonly answered: (messageId: string, read: (command: ChargerCommand) => CommandResult) => boolean
  /** Silence that may be its end: it has never answered a ping. It is to be asked for a message, which would prove that it is there. */
  readonly doubted: () => void
  /** The socket is gone. */
  readonly closed: (reason: string) => void
}

/** `taken`: the older connection stays (profile 0, and it answers pings). */
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
     * Asks for the right to be a charger's one live connection, before the upgrade is answered. Admitted means that the epoch is taken,
     * the older connection (if any) has been closed with its last commit ended, and the actor is ready; `attach` must then be called
     * once, or `abandon` run if the handshake fails. An admission that was neither yet when a newer one comes has lost its place.
     */
    readonly admit: (opening: ConnectionOpening) => Effect.Effect<Admission>
    /** Closes every connection in batches with 1012 and waits until each actor has answered what it had taken. */
    readonly drain: Effect.Effect<void>
  }
>()("voltlane/ChargerInbox") {}
