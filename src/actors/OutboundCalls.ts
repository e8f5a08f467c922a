/**
 * Our calls to one charger. One is outstanding at a time (OCPP 1.6J §4.1.1) and the others wait in order; each ends in
 * a result. Message ids are random, and a result counts only while its own call is pending, so that a guessed or late
 * result changes nothing (T07).
 */
import { Effect, Semaphore } from "effect"
import type { ChargerCommand, CommandResult } from "../domain/command/ChargerCommand.ts"
import type { ChargerLine } from "../domain/charger/ChargerInbox.ts"
import type { TakenCommand } from "../domain/command/Commands.ts"

export interface OutboundOptions {
  /** How long a charger may take to answer, in ms. */
  readonly callTimeoutMillis: number
  /** Commands that may wait behind the outstanding one. */
  readonly maxWaiting: number
}

interface Pending {
  readonly messageId: string
  readonly command: ChargerCommand
  readonly resume: (result: CommandResult) => void
}

/** A command that is stored as Sent. `refused` is its result if it must not be sent. */
export interface Outgoing extends TakenCommand {
  readonly refused?: CommandResult | undefined
}

const lost: CommandResult = { _tag: "ConnectionLost" }
const crowded: CommandResult = { _tag: "Crowded" }
const timedOut: CommandResult = { _tag: "TimedOut" }

/**
 * What this needs of the charger's actor. These are methods, not closures: closures for each connected charger would
 * take a large part of its memory.
 */
export interface CallHost {
  readonly services: { readonly options: Pick<OutboundOptions, "maxWaiting"> }
  /** How long this charger may take to answer, in ms: some makes take longer. */
  readonly callTimeoutMillis: number
  readonly line: Pick<ChargerLine, "call">
  uuid(): string
}

export class OutboundCalls {
  private pending: Pending | undefined
  private waiting = 0
  private ended = false
  private turns: Semaphore.Semaphore | undefined
  private readonly host: CallHost

  constructor(host: CallHost) {
    this.host = host
  }

  /** Nothing is outstanding and nothing waits. */
  get isFree(): boolean {
    return this.pending === undefined && this.waiting === 0
  }

  /** Sends a command when those before it are done, and returns its result. */
  send(command: ChargerCommand): Effect.Effect<CommandResult> {
    return Effect.suspend(() => {
      if (this.ended) return Effect.succeed(lost)
      if (this.waiting >= this.host.services.options.maxWaiting) return Effect.succeed(crowded)
      this.waiting++
      return Semaphore.withPermit(this.one, this.once(command)).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            this.waiting--
          })
        )
      )
    })
  }

  /**
   * Fetches the next command once the line is free, sends it and returns its result; undefined if there was none. The
   * line is occupied from the fetch to the result.
   */
  sendNext<E>(
    next: Effect.Effect<Outgoing | undefined, E>
  ): Effect.Effect<{ readonly taken: Outgoing; readonly result: CommandResult } | undefined, E> {
    return Semaphore.withPermit(
      this.one,
      Effect.flatMap(next, (taken) => {
        if (taken === undefined) return Effect.undefined
        const result = taken.refused === undefined ? this.once(taken.command) : Effect.succeed(taken.refused)
        return Effect.map(result, (came) => ({ taken, result: came }))
      })
    )
  }

  /** Created with the first call: most connected chargers are not being called. */
  private get one(): Semaphore.Semaphore {
    return (this.turns ??= Semaphore.makeUnsafe(1))
  }

  private once(command: ChargerCommand): Effect.Effect<CommandResult> {
    const { host } = this
    return Effect.callback<CommandResult>((resume) => {
      if (this.ended) return resume(Effect.succeed(lost))
      const messageId = host.uuid()
      this.pending = { messageId, command, resume: (result) => resume(Effect.succeed(result)) }
      host.line.call(messageId, command)
      return Effect.sync(() => {
        if (this.pending?.messageId === messageId) this.pending = undefined
      })
    }).pipe(Effect.timeoutOrElse({ duration: host.callTimeoutMillis, orElse: () => Effect.succeed(timedOut) }))
  }

  /** Handles a result that arrived. False if no such call is pending. */
  answered(messageId: string, read: (command: ChargerCommand) => CommandResult): boolean {
    const pending = this.pending
    if (pending === undefined || pending.messageId !== messageId) return false
    this.pending = undefined
    pending.resume(read(pending.command))
    return true
  }

  /** The connection has ended: the outstanding call and those that wait end now. */
  end(): void {
    this.ended = true
    const pending = this.pending
    this.pending = undefined
    pending?.resume(lost)
  }
}
