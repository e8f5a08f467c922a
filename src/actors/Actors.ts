/**
 * The chargers of this process: admits connections, runs one supervised actor for each, and lets the rest of the
 * service reach a charger by its id. Implements `ChargerInbox` (for the sockets) and `ChargerLink` (for the rest of the
 * service). A link that reaches chargers on other nodes through the directory would be a second implementation of
 * `ChargerLink`.
 */
import { Cause, Clock, Context, Effect, Exit, FiberSet, Layer, Metric, Semaphore, Stream } from "effect"
import type { ChargerState } from "../domain/charger/ChargerState.ts"
import { StorageUnavailable } from "../domain/Errors.ts"
import type { Decide, Evolve } from "../domain/charger/Decision.ts"
import { ChargerDirectory, type ConnectionClosing, type ConnectionOpening } from "../domain/charger/ChargerDirectory.ts"
import { type Admission, ChargerInbox, type ChargerLine, type ChargerMailbox } from "../domain/charger/ChargerInbox.ts"
import { ChargerLink, type JustStored } from "../domain/charger/ChargerLink.ts"
import { Commands } from "../domain/command/Commands.ts"
import { Journal } from "../domain/charger/Journal.ts"
import { type ConnectionEnd, Presence } from "../domain/charger/Presence.ts"
import { RealTimeAuthorizer } from "../domain/token/RealTimeAuthorizer.ts"
import { Secrets } from "../domain/values/Secrets.ts"
import type { ActorOptions, ActorServices } from "./ActorServices.ts"
import { ChargerActor } from "./ChargerActor.ts"
import type { HeldLine } from "./CommandWork.ts"
import { Patience } from "./Patience.ts"
import { Recording, type RecordingLimits } from "./Recording.ts"
import * as TransactionNumbers from "./TransactionNumbers.ts"

export interface ActorsOptions extends ActorOptions {
  /** On security profile 0, an older socket that answers a ping within this time is kept, in ms. */
  readonly oldSocketPingMillis: number
  /** Time from a connection until the charger is asked for what it has not reported, in ms. */
  readonly settleMillis: number
  /** How many transactions, and how many bytes of readings, are stored in a day. */
  readonly recording: RecordingLimits
  /** Minimum number of chargers closed per second while draining. */
  readonly drainPerSecond: number
  /** Maximum time until the last charger begins to close, in ms. That charger then needs at most `patienceMillis`. */
  readonly drainMillis: number
}

const crashes = Metric.counter("charger_actor_defects_total", {
  description: "Actors that ended because of a defect",
  incremental: true
})

const givenUp = Metric.counter("charger_calls_given_up_total", {
  description: "Calls from chargers that were answered InternalError because the database took too long",
  incremental: true
})

const unrecorded = Metric.counter("charger_facts_unrecorded_total", {
  description: "Facts of chargers that exceeded a daily limit and were not recorded, or with fewer readings",
  incremental: true
})
export const actorMetrics = [crashes, givenUp, unrecorded]

/**
 * Delay between attempts to store a connection's end while the database is unavailable or read-only, in ms. All ends
 * that wait are stored in one statement.
 */
const storeAgainMillis = 2_000

/** True if the statement may have been committed although it failed: its answer was lost. */
const isInDoubt = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) => {
    if (!Cause.isFailReason(reason)) return true
    return reason.error instanceof StorageUnavailable && reason.error.reason === "unknown"
  })

/** An admission that is waiting for its socket. */
interface Reservation {
  readonly state: ChargerState
}

/** Runs the effects of one charger one at a time. Effects of different chargers may overlap. */
class PerCharger {
  private readonly locks = new Map<string, { readonly semaphore: Semaphore.Semaphore; users: number }>()

  exclusively<A>(chargerId: string, effect: Effect.Effect<A>): Effect.Effect<A> {
    return Effect.suspend(() => {
      const lock = this.locks.get(chargerId) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
      this.locks.set(chargerId, lock)
      lock.users++
      return Semaphore.withPermit(lock.semaphore, effect).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            if (--lock.users === 0) this.locks.delete(chargerId)
          })
        )
      )
    })
  }
}

/** The mailbox of a connection that lost its admission before its socket was attached: closes the socket and ignores all messages. */
const turnedAway = (line: ChargerLine, code: number, reason: string): ChargerMailbox => {
  line.close(code, reason)
  return { deliver: () => {}, answered: () => false, doubted: () => {}, closed: () => {} }
}

interface RegistryServices extends Omit<ActorServices, "options"> {
  readonly options: ActorsOptions
  readonly presence: Presence["Service"]
  /** Called for each actor that a defect has ended. */
  readonly crashed: () => void
}

/** All actors of the process, and the admissions that are still waiting for their socket. */
class Registry {
  readonly actors = new Map<string, ChargerActor>()
  private readonly reservations = new Map<string, Reservation>()
  /**
   * Connection ends that could not be stored, by charger. Each is retried until it is stored, and is stored before a
   * newer connection of its charger.
   */
  private readonly unstored = new Map<string, ConnectionClosing>()
  private readonly perCharger = new PerCharger()
  private readonly services: RegistryServices
  private draining = false

  constructor(services: RegistryServices) {
    this.services = services
  }

  private now(): number {
    return this.services.clock.currentTimeMillisUnsafe()
  }

  readonly admit = (opening: ConnectionOpening): Effect.Effect<Admission> =>
    this.perCharger.exclusively(
      opening.chargerId,
      Effect.catch(this.tryToAdmit(opening), () =>
        Effect.succeed({ _tag: "Unavailable", retryAfterSeconds: 10 } as const)
      )
    )

  private tryToAdmit(opening: ConnectionOpening): Effect.Effect<Admission, StorageUnavailable> {
    const registry = this
    return Effect.gen(function* () {
      if (registry.draining) return { _tag: "Unavailable", retryAfterSeconds: 5 } as const
      // An admission that is waiting for its socket is replaced as an open socket would be. If it could still attach
      // while the next epoch is being allocated, one charger would have two sockets.
      if (registry.reservations.has(opening.chargerId) && opening.securityProfile === 0)
        return { _tag: "Taken" } as const
      registry.reservations.delete(opening.chargerId)
      if (!(yield* registry.makeRoom(opening))) return { _tag: "Taken" } as const
      const unstored = registry.unstored.get(opening.chargerId)
      if (unstored !== undefined) yield* registry.store(unstored)
      const state = yield* registry.services.directory.open(opening)
      if (state === undefined) return { _tag: "Unknown" } as const
      const reservation: Reservation = { state }
      registry.reservations.set(opening.chargerId, reservation)
      return {
        _tag: "Admitted",
        attach: (line: ChargerLine) => registry.attach(reservation, line),
        abandon: registry.abandon(reservation)
      } as const
    })
  }

  /**
   * Ends the charger's older connection; true once there is none. On profile 0, where a charger does not prove its
   * identity, an older connection that still answers a ping is kept: false.
   */
  private makeRoom(opening: ConnectionOpening): Effect.Effect<boolean> {
    const old = this.actors.get(opening.chargerId)
    if (old === undefined) return Effect.succeed(true)
    if (old.gone) return Effect.as(old.ended, true)
    const replace = Effect.suspend(() => {
      old.line.close(4001, "replaced by a newer connection")
      old.closed("replaced by a newer connection")
      return Effect.as(old.ended, true)
    })
    if (opening.securityProfile > 0) return replace
    return Effect.flatMap(old.line.answersPing(this.services.options.oldSocketPingMillis), (alive) =>
      alive ? Effect.succeed(false) : replace
    )
  }

  private attach(reservation: Reservation, line: ChargerLine): ChargerMailbox {
    const { background, options, presence } = this.services
    const { chargerId } = reservation.state
    if (this.reservations.get(chargerId) !== reservation) {
      return turnedAway(line, 1013, "another connection of this charger was newer")
    }
    if (this.draining) {
      background(this.abandon(reservation))
      return turnedAway(line, 1012, "the service restarts")
    }
    this.reservations.delete(chargerId)
    const actor = new ChargerActor(this.services, reservation.state, line)
    this.actors.set(chargerId, actor)
    presence.opened(chargerId, actor.epoch)
    background(this.supervise(actor))
    background(
      Effect.delay(
        Effect.sync(() => actor.settled()),
        options.settleMillis
      )
    )
    return actor
  }

  private supervise(actor: ChargerActor): Effect.Effect<void> {
    return Effect.onExit(actor.run(), (exit) =>
      // A newer connection waits for this actor to end. It must not wait forever if the end cannot be stored.
      Effect.ensuring(
        Effect.interruptible(Effect.suspend(() => this.afterwards(actor, exit))),
        Effect.sync(() => this.leaves(actor))
      )
    )
  }

  /** A defect ends only this actor's connection; the frame that caused it is logged. An interrupted actor stores nothing more. */
  private afterwards(actor: ChargerActor, exit: Exit.Exit<void>): Effect.Effect<void> {
    const isDefect = Exit.isFailure(exit) && Cause.hasDies(exit.cause)
    const reported = isDefect ? this.crashed(actor, exit.cause) : Effect.void
    return Effect.andThen(reported, this.conclude(actor, actor.endedBy("the service stops")))
  }

  private crashed(actor: ChargerActor, cause: Cause.Cause<never>): Effect.Effect<void> {
    this.services.crashed()
    actor.line.close(1011, "internal error")
    actor.closed("internal error")
    return Effect.annotateLogs(Effect.logError("a charger's actor ended because of a defect", cause), {
      chargerId: actor.chargerId,
      frame: actor.current.slice(0, 4096)
    })
  }

  private conclude({ chargerId, epoch, organisationId }: ChargerActor, end: ConnectionEnd): Effect.Effect<void> {
    this.services.presence.closed(chargerId, epoch, end)
    return this.storeOnce({ chargerId, organisationId, epoch, ...end })
  }

  private leaves(actor: ChargerActor): void {
    if (this.actors.get(actor.chargerId) === actor) this.actors.delete(actor.chargerId)
    actor.markEnded()
  }

  private store(closing: ConnectionClosing): Effect.Effect<void, StorageUnavailable> {
    const { chargerId, epoch } = closing
    return Effect.map(this.services.directory.close(closing), () => {
      if (this.unstored.get(chargerId)?.epoch === epoch) this.unstored.delete(chargerId)
      this.services.presence.stored(chargerId, epoch)
    })
  }

  /** Stores a connection's end. If that fails, it is retried in the background. */
  private storeOnce(closing: ConnectionClosing): Effect.Effect<void> {
    return Effect.catch(this.store(closing), (error) => {
      this.unstored.set(closing.chargerId, closing)
      this.services.background(this.storeLater(closing))
      return Effect.logWarning(`a connection's end is waiting to be stored: ${error.message}`)
    })
  }

  private storeLater(closing: ConnectionClosing): Effect.Effect<void> {
    const again = Effect.suspend(() =>
      this.unstored.get(closing.chargerId) === closing ? this.store(closing) : Effect.void
    )
    return Effect.catch(Effect.delay(again, storeAgainMillis), () => this.storeLater(closing))
  }

  private abandon(reservation: Reservation): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { chargerId, epoch, organisationId } = reservation.state
      // A newer admission may have replaced this one; its reservation is kept.
      if (this.reservations.get(chargerId) !== reservation) return Effect.void
      this.reservations.delete(chargerId)
      const reason = "the handshake was not finished"
      return this.storeOnce({ chargerId, organisationId, epoch, at: this.now(), reason })
    })
  }

  private drainOne(actor: ChargerActor): Effect.Effect<void> {
    return Effect.gen(function* () {
      actor.line.pause()
      // Accepted messages are answered before the socket closes. Polling every 10 ms costs little compared with a
      // commit.
      while (!actor.quiet && !actor.finished) yield* Effect.sleep(10)
      actor.line.close(1012, "the service restarts")
      actor.closed("the service restarts")
      yield* actor.ended
    })
  }

  readonly drain: Effect.Effect<void> = Effect.suspend(() => {
    const registry = this
    const { drainMillis, drainPerSecond } = this.services.options
    registry.draining = true
    const all = [...registry.actors.values()]
    const perTick = Math.max(drainPerSecond, Math.ceil((all.length * 1000) / drainMillis)) / 10
    // The chargers begin to close one after the other, but none waits for the one before it to finish: while the
    // database is unavailable each needs its full `patienceMillis`.
    return Effect.forEach(
      all,
      (actor, index) => Effect.delay(registry.drainOne(actor), Math.floor(index / perTick) * 100),
      { concurrency: "unbounded", discard: true }
    )
  })

  /** Handles the outcome of storing a command. `held` is its actor's line, if it was held for the command. */
  private stored(chargerId: string, held: HeldLine | undefined, exit: Exit.Exit<JustStored<unknown>, unknown>): void {
    if (Exit.isFailure(exit)) return isInDoubt(exit.cause) ? held?.doubt() : held?.release()
    const { sent } = exit.value
    if (held !== undefined && sent !== undefined) return held.send(sent)
    held?.release()
    this.actors.get(chargerId)?.wake()
  }

  readonly link: ChargerLink["Service"] = {
    wake: (chargerId) => Effect.sync(() => this.actors.get(chargerId)?.wake()),
    sending: (organisationId, chargerId, store) =>
      // While the line is held, nothing interrupts this until it is released. A caller that hangs up does not interrupt
      // the statement either: it may already have stored the command as sent.
      Effect.uninterruptibleMask((restore) => {
        const actor = this.actors.get(chargerId)
        const held = actor?.organisationId === organisationId ? actor.work.hold() : undefined
        const storing = held === undefined ? restore(store(undefined)) : store(held.epoch)
        return Effect.map(
          Effect.onExit(storing, (exit) => Effect.sync(() => this.stored(chargerId, held, exit))),
          ({ result }) => result
        )
      }),
    reconsider: (chargerId) => Effect.sync(() => this.actors.get(chargerId)?.reconsider()),
    reconsiderAll: (organisationId) =>
      Effect.sync(() => {
        for (const actor of this.actors.values()) if (actor.organisationId === organisationId) actor.reconsider()
      }),
    disconnect: (chargerId, reason) => Effect.sync(() => this.actors.get(chargerId)?.line.close(4001, reason)),
    connectedCount: () => this.actors.size
  }
}

const make = (options: ActorsOptions, decide: Decide<ChargerState>, evolve: Evolve<ChargerState>) =>
  Effect.gen(function* () {
    const directory = yield* ChargerDirectory
    const commands = yield* Commands
    const secrets = yield* Secrets
    const context = yield* Effect.context<never>()
    const run = yield* FiberSet.runtime(yield* FiberSet.make<void, never>())<never>()
    const clock = yield* Clock.Clock
    const background = (effect: Effect.Effect<void>): void => void run(effect)
    const gaveUp = () => givenUp.updateUnsafe(1, context)
    const registry = new Registry({
      options,
      decide,
      evolve,
      directory,
      commands,
      journal: yield* Journal,
      presence: yield* Presence,
      authorizer: yield* RealTimeAuthorizer,
      clock,
      numbers: TransactionNumbers.make(directory.takeTransactionNumbers, secrets.transactionIdKeys),
      uuid: secrets.uuid,
      patience: new Patience({ patienceMillis: options.patienceMillis, clock, background, gaveUp }),
      recording: new Recording((facts) => unrecorded.updateUnsafe(facts, context), options.recording),
      background,
      crashed: () => crashes.updateUnsafe(1, context)
    })
    const { admit, drain, link } = registry
    yield* Effect.forkScoped(Stream.runForEach(commands.waiting, link.wake))
    return Context.make(ChargerInbox, ChargerInbox.of({ admit, drain })).pipe(Context.add(ChargerLink, link))
  })

/** Provides `ChargerInbox` and `ChargerLink`; every actor is interrupted when the layer is closed. */
export const layer = (
  options: ActorsOptions,
  decide: Decide<ChargerState>,
  evolve: Evolve<ChargerState>
): Layer.Layer<
  ChargerInbox | ChargerLink,
  never,
  ChargerDirectory | Commands | Journal | Presence | RealTimeAuthorizer | Secrets
> => Layer.effectContext(make(options, decide, evolve))
