/**
 * The commands of one charger, sent one after the other, each with its end stored before the next: those that wait in the database are taken from it, and one
 * for which the line is held goes out as soon as it is stored. Part of its actor.
 */
import { Deferred, Effect } from "effect"
import type { CommandResult } from "../domain/command/ChargerCommand.ts"
import type { Commands } from "../domain/command/Commands.ts"
import type { StorageUnavailable } from "../domain/Errors.ts"
import type { CallHold } from "./CallHold.ts"
import type { CommandItem } from "./Items.ts"
import type { OutboundCalls, Outgoing } from "./OutboundCalls.ts"

/** Between two looks while the database is away. */
const retryMillis = 250

/** Its charger's actor. One object and no functions of its own, since there is one for each connected charger. */
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
  /** False for one that has just connected and never booted: some choke on a CALL before the answer to their first boot. */
  readonly mayBeCalled: boolean
  now(): number
  /** What comes of a command that must not go out now. */
  refuses(command: CommandItem["command"]): CommandResult | undefined
  /** Stores the end of a command. */
  concludes(item: CommandItem): void
}

/**
 * How long after the loss of its answer a statement may still be committed, in ms: the database ends one that runs for longer than half a minute, whether or
 * not its connection lives.
 */
const lateCommitMillis = 35_000

/** A line that nothing else is sent on until one of these is called. */
export interface HeldLine {
  readonly epoch: number
  /** Sends a command that is stored as sent by this connection. */
  send(command: Pick<Outgoing, "id" | "command">): void
  /** Nothing was stored as sent. */
  release(): void
  /** It is not known whether it was, or will be: looks for it in the database now, and once more when it must have ended. */
  doubt(): void
}

export class CommandWork {
  private readonly host: CommandHost
  /** A command may wait in the database. */
  private waits = false
  private isWorking = false
  /** Lets go of the command whose end waits to be stored. */
  private release: (() => void) | undefined

  constructor(host: CommandHost) {
    this.host = host
  }

  /** There may be commands, found or only suspected: looks for them when the charger may be called. */
  wake(): void {
    this.waits = true
    this.begin()
  }

  /**
   * Holds the line for a command that is being stored, so that nothing else goes out on it until one of the answer's functions is called. Undefined where the
   * charger is not to be called now, or something is to be sent before it.
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

  /** Sends what `first` answers, and then what waits in the database. */
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
        // What is issued meanwhile wakes us.
        if (sent.taken.hasNext) work.waits = true
        if (sent.result._tag !== "ConnectionLost") yield* work.concludes(sent.taken, sent.result)
      }
    }).pipe(
      Effect.catch(() => {
        // The database is away: the command waits in it, and is asked for again.
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

  /** Gives the result to the actor and waits until its facts are stored. */
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
