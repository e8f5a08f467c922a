/**
 * Our calls to one charger: one outstanding at a time (OCPP 1.6J §4.1.1), the others wait in order, each ends in a result. Message ids
 * are random, and a result counts only while its own call is pending, so that a guessed or late one changes nothing (T07).
 */
import { Effect, Semaphore } from "effect"
import type { ChargerCommand, CommandResult } from "../domain/command/ChargerCommand.ts"
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

/** A command whose row says Sent. `refused` is what comes of it where it must not go out. */
export interface Outgoing extends TakenCommand {
  readonly refused?: CommandResult | undefined
}

const lost: CommandResult = { _tag: "ConnectionLost" }
const crowded: CommandResult = { _tag: "Crowded" }
const timedOut: CommandResult = { _tag: "TimedOut" }

export class OutboundCalls {
  private pending: Pending | undefined
  private waiting = 0
  private ended = false
  private readonly one = Semaphore.makeUnsafe(1)

  constructor(
    options: OutboundOptions,
    messageId: () => string,
    call: (messageId: string, command: ChargerCommand) => void,
    /** Chargers of some makes take longer to answer, in ms. */
    patienceMillis: () => number = () => options.callTimeoutMillis
  ) {
    const once = (command: ChargerCommand): Effect.Effect<CommandResult> =>
      Effect.callback<CommandResult>((resume) => {
        if (this.ended) return resume(Effect.succeed(lost))
        const id = messageId()
        this.pending = { messageId: id, command, resume: (result) => resume(Effect.succeed(result)) }
        call(id, command)
        return Effect.sync(() => {
          if (this.pending?.messageId === id) this.pending = undefined
        })
      }).pipe(Effect.timeoutOrElse({ duration: patienceMillis(), orElse: () => Effect.succeed(timedOut) }))
    this.sendNext = (next) =>
      Semaphore.withPermit(
        this.one,
        Effect.flatMap(next, (taken) =>
          taken === undefined
            ? Effect.undefined
            : Effect.map(
                taken.refused === undefined ? once(taken.command) : Effect.succeed(taken.refused),
                (result) => ({
                  taken,
                  result
                })
              )
        )
      )
    this.send = (command) =>
      Effect.suspend(() => {
        if (this.ended) return Effect.succeed(lost)
        if (this.waiting >= options.maxWaiting) return Effect.succeed(crowded)
        this.waiting++
        return Semaphore.withPermit(this.one, once(command)).pipe(
          Effect.ensuring(
            Effect.sync(() => {
              this.waiting--
            })
          )
        )
      })
  }

  /** Sends a command when its turn comes, and answers what came of it. */
  readonly send: (command: ChargerCommand) => Effect.Effect<CommandResult>

  /**
   * Asks for the next command once the line is free, sends it and answers what came of it; undefined when there was none. The line stays
   * taken from the question to the answer.
   */
  readonly sendNext: <E>(
    next: Effect.Effect<Outgoing | undefined, E>
  ) => Effect.Effect<{ readonly taken: Outgoing; readonly result: CommandResult } | undefined, E>

  /** A result arrived. False when no such call is pending. */
  answered(messageId: string, read: (command: ChargerCommand) => CommandResult): boolean {
    const pending = this.pending
    if (pending === undefined || pending.messageId !== messageId) return false
    this.pending = undefined
    pending.resume(read(pending.command))
    return true
  }

  /** The connection is gone: what is outstanding and what waits ends now. */
  end(): void {
    this.ended = true
    const pending = this.pending
    this.pending = undefined
    pending?.resume(lost)
  }
}
