/**
 * Sends the commands of one charger, one after the other; the end of each is stored before the next is sent. Commands
 * that wait are read from the database. A command for which the line is held is sent as soon as it is stored. Part of
 * the charger's actor.
 */
import { Deferred, Effect } from "effect"
import type { CommandResult } from "../domain/command/ChargerCommand.ts"
import type { Commands } from "../domain/command/Commands.ts"
import type { StorageUnavailable } from "../domain/Errors.ts"
import type { CallHold } from "./CallHold.ts"
import type { CommandItem } from "./Items.ts"
import type { OutboundCalls, Outgoing } from "./OutboundCalls.ts"

/** Delay between queries while the database is unavailable, in ms. */
const retryMillis = 250

/** What this needs of the charger's actor. An object without closures of its own, since there is one for each connected charger. */
export interface CommandHost {
  readonly chargerId: string
  readonly epoch: number
  readonly services: {
    readonly commands: Pick<Commands["Service"], "take">
    readonly background: (effect: Effect.Effect<void>) => void
  }
  readonly calls: OutboundCalls
  readonly hold: CallHold
  readonly gone: boolean
  /**
   * False for a charger that has just connected and has never booted: some fail on a CALL that arrives before the
   * answer to their first boot.
   */
  readonly mayBeCalled: boolean
  now(): number
  /** The result of a command that must not be sent now; undefined if it may be sent. */
  refuses(command: CommandItem["command"]): CommandResult | undefined
  /** Stores the end of a command. */
  concludes(item: CommandItem): void
}

/**
 * How long a statement may still be committed after its answer was lost, in ms. The database ends a statement that runs
 * for longer than half a minute, whether its connection is open or not.
 */
const lateCommitMillis = 35_000

/** A line that is held: nothing else is sent on it until one of these functions is called. */
export interface HeldLine {
  readonly epoch: number
  /** Sends a command that is stored as sent by this connection. */
  send(command: Pick<Outgoing, "id" | "command">): void
  /** Nothing was stored as sent. */
  release(): void
  /**
   * It is not known whether the command was stored as sent. Queries the database now, and once more when the statement
   * must have ended.
   */
  doubt(): void
}

export class CommandWork {
  private readonly host: CommandHost
  /** A command may wait in the database. */
  private waits = false
  private isWorking = false
  /** Stops waiting for the end of the current command to be stored. */
  private release: (() => void) | undefined

  constructor(host: CommandHost) {
    this.host = host
  }

  /** There may be commands in the database: queries for them as soon as the charger may be called. */
  wake(): void {
    this.waits = true
    this.begin()
  }

  /**
   * Holds the line for a command that is being stored: nothing else is sent on it until one of the functions of the
   * result is called. Undefined if the charger must not be called now, or if something else is to be sent first.
   */
  hold(): HeldLine | undefined {
    const { calls, epoch, gone, hold, mayBeCalled } = this.host
    if (gone || this.isWorking || this.waits || !mayBeCalled || !hold.isOver || !calls.isFree) return undefined
    this.isWorking = true
    const stored = Deferred.makeUnsafe<Outgoing | undefined>()
    this.host.services.background(this.work(Deferred.await(stored)))
    const say = (outgoing: Outgoing | undefined) => void Deferred.doneUnsafe(stored, Effect.succeed(outgoing))
    return {
      epoch,
      send: ({ command, id }) => say({ id, command, hasNext: false, refused: this.host.refuses(command) }),
      release: () => say(undefined),
      doubt: () => {
        this.waits = true
        say(undefined)
        const again = Effect.sync(() => this.wake())
        this.host.services.background(Effect.delay(again, lateCommitMillis))
      }
    }
  }

  /** The charger may be called now. */
  begin(): void {
    const { host } = this
    if (!this.waits || host.gone || this.isWorking || !host.mayBeCalled) return
    this.isWorking = true
    host.hold.once(() => host.services.background(this.work()))
  }

  /** The actor has ended. */
  end(): void {
    this.release?.()
  }

  /** Sends the command of `first`, and then those that wait in the database. */
  private work(first?: Effect.Effect<Outgoing | undefined>): Effect.Effect<void> {
    const work = this
    const { calls } = work.host
    return Effect.gen(function* () {
      let next = first
      while ((next !== undefined || work.waits) && !work.host.gone) {
        if (next === undefined) work.waits = false
        const sent = yield* calls.sendNext(next ?? work.next())
        next = undefined
        if (sent === undefined) continue
        // A command that is issued meanwhile calls `wake`.
        if (sent.taken.hasNext) work.waits = true
        if (sent.result._tag !== "ConnectionLost") yield* work.concludes(sent.taken, sent.result)
      }
    }).pipe(
      Effect.catch(() => {
        // The database is unavailable. The command remains in it, so query again.
        work.waits = true
        return Effect.sleep(retryMillis)
      }),
      Effect.ensuring(
        Effect.sync(() => {
          work.isWorking = false
          work.begin()
        })
      )
    )
  }

  /** The next command, once the one before it has ended. */
  private next(): Effect.Effect<Outgoing | undefined, StorageUnavailable> {
    return Effect.suspend(() => {
      const { host } = this
      if (host.gone) return Effect.undefined
      return Effect.map(host.services.commands.take(host.chargerId, host.epoch, host.now()), (taken) =>
        taken === undefined ? undefined : { ...taken, refused: host.refuses(taken.command) }
      )
    })
  }

  /** Passes the result to the actor and waits until its facts are stored. */
  private concludes({ command, id }: Outgoing, result: CommandResult): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      const { host } = this
      if (host.gone) return resume(Effect.void)
      const concluded = () => resume(Effect.void)
      this.release = concluded
      host.concludes({ _tag: "CommandAnswered", commandId: id, command, result, since: host.now(), concluded })
    })
  }
}
