/**
 * Our calls to one charger. One is outstanding at a time (OCPP 1.6J §4.1.1) and the others wait in order; each ends in
 * a result. A call that no one has issued holds the line only for some seconds, since some chargers never answer it:
 * commands are then sent, and its answer still counts. Message ids are random, and a result counts only while its own
 * call is pending, so that a guessed or late result changes nothing (T07).
 */
import { Deferred, Effect, Semaphore } from "effect"
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

/**
 * How long commands wait for the answer to a call that no one has issued, in ms. A driver who waits at a charger leaves
 * after a quarter of a minute; a configuration takes most chargers less than five seconds.
 */
const unissuedMillis = 10_000

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
  /** A call that no one has issued and that has not been answered in time. Its answer still counts, but commands no longer wait for it. */
  private overdue: Pending | undefined
  private waiting = 0
  private ended = false
  /** Created with the first call: most connected chargers are not being called. */
  private locks: { readonly line: Semaphore.Semaphore; readonly unissued: Semaphore.Semaphore } | undefined
  private readonly host: CallHost

  constructor(host: CallHost) {
    this.host = host
  }

  /** No call holds the line and none waits for it. */
  get isFree(): boolean {
    return this.pending === undefined && this.waiting === 0
  }

  /** Sends a call that no one has issued, when those before it are done, and returns its result. */
  send(command: ChargerCommand): Effect.Effect<CommandResult> {
    return Effect.suspend(() => {
      if (this.ended) return Effect.succeed(lost)
      if (this.waiting >= this.host.services.options.maxWaiting) return Effect.succeed(crowded)
      this.waiting++
      const { line, unissued } = this.semaphores
      const answer = Deferred.makeUnsafe<CommandResult>()
      const sent = Semaphore.withPermit(line, this.holdingLine(command, answer)).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            this.waiting--
          })
        )
      )
      return Semaphore.withPermit(
        unissued,
        Effect.flatMap(sent, (result) => (result === undefined ? this.overdueAnswer(answer) : Effect.succeed(result)))
      )
    })
  }

  /** Sends a call and waits for its answer while the line is held; undefined if it takes too long. */
  private holdingLine(
    command: ChargerCommand,
    answer: Deferred.Deferred<CommandResult>
  ): Effect.Effect<CommandResult | undefined> {
    const { callTimeoutMillis } = this.host
    const isLast = callTimeoutMillis <= unissuedMillis
    return Effect.suspend(() => {
      const call = this.place(command, (result) => void Deferred.doneUnsafe(answer, Effect.succeed(result)))
      const overdue = Effect.sync(() => {
        if (this.pending !== call) return undefined
        this.pending = undefined
        if (isLast) return timedOut
        this.overdue = call
        return undefined
      })
      return Deferred.await(answer).pipe(
        Effect.timeoutOrElse({ duration: Math.min(callTimeoutMillis, unissuedMillis), orElse: () => overdue })
      )
    })
  }

  /** The answer to a call that no longer holds the line. */
  private overdueAnswer(answer: Deferred.Deferred<CommandResult>): Effect.Effect<CommandResult> {
    return Deferred.await(answer).pipe(
      Effect.timeoutOrElse({
        duration: Math.max(0, this.host.callTimeoutMillis - unissuedMillis),
        orElse: () => Effect.succeed(timedOut)
      }),
      Effect.ensuring(
        Effect.sync(() => {
          this.overdue = undefined
        })
      )
    )
  }

  /**
   * Fetches the next command once the line is free, sends it and returns its result; undefined if there was none. The
   * line is occupied from the fetch to the result.
   */
  sendNext<E>(
    next: Effect.Effect<Outgoing | undefined, E>
  ): Effect.Effect<{ readonly taken: Outgoing; readonly result: CommandResult } | undefined, E> {
    return Semaphore.withPermit(
      this.semaphores.line,
      Effect.flatMap(next, (taken) => {
        if (taken === undefined) return Effect.undefined
        const result = taken.refused === undefined ? this.once(taken.command) : Effect.succeed(taken.refused)
        return Effect.map(result, (came) => ({ taken, result: came }))
      })
    )
  }

  private get semaphores() {
    return (this.locks ??= { line: Semaphore.makeUnsafe(1), unissued: Semaphore.makeUnsafe(1) })
  }

  private once(command: ChargerCommand): Effect.Effect<CommandResult> {
    const { host } = this
    return Effect.callback<CommandResult>((resume) => {
      const call = this.place(command, (result) => resume(Effect.succeed(result)))
      return Effect.sync(() => {
        if (this.pending === call) this.pending = undefined
      })
    }).pipe(Effect.timeoutOrElse({ duration: host.callTimeoutMillis, orElse: () => Effect.succeed(timedOut) }))
  }

  /** Sends a call on the line, which the caller holds. */
  private place(command: ChargerCommand, resume: (result: CommandResult) => void): Pending | undefined {
    if (this.ended) return void resume(lost)
    const messageId = this.host.uuid()
    const call: Pending = { messageId, command, resume }
    this.pending = call
    this.host.line.call(messageId, command)
    return call
  }

  /** Handles a result that arrived. False if no such call is pending. */
  answered(messageId: string, read: (command: ChargerCommand) => CommandResult): boolean {
    const { overdue, pending } = this
    const call = pending?.messageId === messageId ? pending : overdue?.messageId === messageId ? overdue : undefined
    if (call === undefined) return false
    if (call === pending) this.pending = undefined
    else this.overdue = undefined
    call.resume(read(call.command))
    return true
  }

  /** The connection has ended: the outstanding calls and those that wait end now. */
  end(): void {
    this.ended = true
    const { overdue, pending } = this
    this.pending = undefined
    this.overdue = undefined
    pending?.resume(lost)
    overdue?.resume(lost)
  }
}
