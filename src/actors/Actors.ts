/**
 * The chargers of this process: admits connections, runs one supervised actor for each, and lets the rest of the service reach them by
 * id. Implements `ChargerInbox` (the sockets' side) and `ChargerLink` (everybody else's); a link that crosses nodes by the directory
 * will stand beside it.
 */
import { Cause, Clock, Context, Effect, FiberSet, Layer, Metric, Semaphore } from "effect"
import type { ChargerState } from "../domain/charger/ChargerState.ts"
import { ChargerOffline } from "../domain/Errors.ts"
import type { Decide, Evolve } from "../domain/charger/Decision.ts"
import { ChargerDirectory, type ConnectionOpening } from "../domain/ports/ChargerDirectory.ts"
import { type Admission, ChargerInbox, type ChargerLine, type ChargerMailbox } from "../domain/ports/ChargerInbox.ts"
import { ChargerLink } from "../domain/ports/ChargerLink.ts"
import { Journal } from "../domain/ports/Journal.ts"
import { Presence } from "../domain/ports/Presence.ts"
import { Secrets } from "../domain/ports/Secrets.ts"
import { type ActorOptions, type ActorServices, ChargerActor } from "./ChargerActor.ts"
import * as TransactionNumbers from "./TransactionNumbers.ts"

export interface ActorsOptions extends ActorOptions {
  /** On profile 0 an older socket that answers a ping within this stays, in ms. */
  readonly oldSocketPingMillis: number
  /** How long after connecting a charger is asked for what it has not told, in ms. */
  readonly settleMillis: number
  /** Chargers closed per second while draining, at least. */
  readonly drainPerSecond: number
  /** Over which time all are closed at most, in ms. */
  readonly drainMillis: number
}

const crashes = Metric.counter("charger_actor_defects_total", { description: "Actors that ended by a defect", incremental: true })

/** An admission whose socket is not there yet. */
interface Reservation {
  readonly state: ChargerState
  readonly opening: ConnectionOpening
}

class Registry {
  readonly actors = new Map<string, ChargerActor>()
  readonly reservations = new Map<string, Reservation>()
  private readonly locks = new Map<string, { readonly semaphore: Semaphore.Semaphore; users: number }>()
  draining = false

  /** One admission at a time for each charger. */
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

/** A mailbox whose connection lost its place before its socket was there. */
const superseded = (line: ChargerLine): ChargerMailbox => {
  line.close(1013, "another connection of this charger was newer")
  return { deliver: () => {}, answered: () => false, closed: () => {} }
}

const make = (options: ActorsOptions, decide: Decide<ChargerState>, evolve: Evolve<ChargerState>) =>
  Effect.gen(function* () {
    const directory = yield* ChargerDirectory
    const journal = yield* Journal
    const presence = yield* Presence
    const secrets = yield* Secrets
    const clock = yield* Clock.Clock
    const context = yield* Effect.context<never>()
    const registry = new Registry()
    const fibers = yield* FiberSet.make<void, never>()
    const run = yield* FiberSet.runtime(fibers)<never>()
    const numbers = TransactionNumbers.make(directory.takeTransactionNumbers, secrets.transactionIdKeys)

    const services: ActorServices = {
      options,
      decide,
      evolve,
      journal,
      directory,
      numbers,
      clock,
      uuid: secrets.uuid,
      background: (effect) => void run(effect)
    }

    const close = (actor: ChargerActor, reason: string) =>
      Effect.suspend(() => {
        actor.markEnded()
        if (registry.actors.get(actor.chargerId) === actor) {
          registry.actors.delete(actor.chargerId)
          presence.closed(actor.chargerId)
        }
        return directory.close({
          chargerId: actor.chargerId,
          organisationId: actor.organisationId,
          epoch: actor.epoch,
          at: clock.currentTimeMillisUnsafe(),
          reason
        })
      }).pipe(Effect.catch((error) => Effect.logWarning(`a connection's end was not recorded: ${error.message}`)))

    /** A defect ends this actor's connection and nobody else's; the frame that caused it is logged. */
    const supervise = (actor: ChargerActor): Effect.Effect<void> =>
      actor.run.pipe(
        Effect.catchCause((cause) => {
          if (!Cause.hasDies(cause)) return Effect.succeed("the service stops")
          crashes.updateUnsafe(1, context)
          actor.line.close(1011, "internal error")
          return Effect.as(
            Effect.annotateLogs(Effect.logError("a charger's actor ended by a defect", cause), {
              chargerId: actor.chargerId,
              frame: actor.current.slice(0, 4096)
            }),
            "internal error"
          )
        }),
        Effect.flatMap((reason) => close(actor, reason))
      )

    const attach = (reservation: Reservation) => (line: ChargerLine): ChargerMailbox => {
      const { chargerId } = reservation.state
      if (registry.reservations.get(chargerId) !== reservation) return superseded(line)
      registry.reservations.delete(chargerId)
      const actor = new ChargerActor(services, reservation.state, line)
      registry.actors.set(chargerId, actor)
      presence.opened(chargerId, clock.currentTimeMillisUnsafe())
      run(supervise(actor))
      run(Effect.delay(Effect.sync(() => actor.settled()), options.settleMillis))
      return actor
    }

    /** Ends the older connection, or finds that it stays (contract: on profile 0 nobody proves who he is). */
    const makeRoom = (opening: ConnectionOpening) =>
      Effect.gen(function* () {
        const old = registry.actors.get(opening.chargerId)
        if (old === undefined) return true
        if (opening.securityProfile === 0 && (yield* old.line.answersPing(options.oldSocketPingMillis))) return false
        old.line.close(4001, "replaced by a newer connection")
        old.closed("replaced by a newer connection")
        yield* old.ended
        return true
      })

    const admit = (opening: ConnectionOpening): Effect.Effect<Admission> =>
      registry.exclusively(
        opening.chargerId,
        Effect.gen(function* () {
          if (registry.draining) return { _tag: "Unavailable", retryAfterSeconds: 5 } as const
          if (!(yield* makeRoom(opening))) return { _tag: "Taken" } as const
          const state = yield* directory.open(opening)
          if (state === undefined) return { _tag: "Unknown" } as const
          const reservation: Reservation = { state, opening }
          registry.reservations.set(opening.chargerId, reservation)
          return { _tag: "Admitted", attach: attach(reservation) } as const
        }).pipe(Effect.catch(() => Effect.succeed({ _tag: "Unavailable", retryAfterSeconds: 10 } as const)))
      )

    const abandon = (chargerId: string): Effect.Effect<void> =>
      Effect.suspend(() => {
        const reservation = registry.reservations.get(chargerId)
        if (reservation === undefined) return Effect.void
        registry.reservations.delete(chargerId)
        const { epoch, organisationId } = reservation.state
        const at = clock.currentTimeMillisUnsafe()
        return Effect.ignore(directory.close({ chargerId, organisationId, epoch, at, reason: "the handshake was not finished" }))
      })

    const drainOne = (actor: ChargerActor): Effect.Effect<void> =>
      Effect.gen(function* () {
        actor.line.pause()
        // What was taken is answered before the socket closes; ten tries a second are nothing against a commit.
        while (!actor.quiet && !actor.finished) yield* Effect.sleep(10)
        actor.line.close(1012, "the service restarts")
        actor.closed("the service restarts")
        yield* actor.ended
      })

    const drain = Effect.gen(function* () {
      registry.draining = true
      const all = [...registry.actors.values()]
      const perTick = Math.max(options.drainPerSecond, Math.ceil((all.length * 1000) / options.drainMillis)) / 10
      for (let from = 0; from < all.length; from += perTick) {
        const batch = all.slice(Math.floor(from), Math.floor(from + perTick))
        yield* Effect.forEach(batch, drainOne, { concurrency: "unbounded", discard: true })
        if (from + perTick < all.length) yield* Effect.sleep(100)
      }
    })

    const link: ChargerLink["Service"] = {
      send: (chargerId, command) =>
        Effect.suspend(() => registry.actors.get(chargerId)?.send(command) ?? Effect.fail(new ChargerOffline({ chargerId }))),
      disconnect: (chargerId, reason) => Effect.sync(() => registry.actors.get(chargerId)?.line.close(4001, reason)),
      connectedCount: () => registry.actors.size
    }
    return { inbox: ChargerInbox.of({ admit, abandon, drain }), link }
  })

/** Provides `ChargerInbox` and `ChargerLink`; every actor is interrupted when the layer is closed. */
export const layer = (
  options: ActorsOptions,
  decide: Decide<ChargerState>,
  evolve: Evolve<ChargerState>
): Layer.Layer<ChargerInbox | ChargerLink, never, ChargerDirectory | Journal | Presence | Secrets> =>
  Layer.effectContext(
    Effect.map(make(options, decide, evolve), ({ inbox, link }) => Context.make(ChargerInbox, inbox).pipe(Context.add(ChargerLink, link)))
  )
