/**
 * Sends partners the results of their commands (OCPI 2.2.1 §13.2.2, §14.2.2). The result is posted without an envelope to the `response_url` of the
 * request, in the version of the request. A partner also receives the active profile of its session when another party changed it. Results are
 * stored with their commands, so that a restart loses none. After the last try a result is given up, which is logged and counted.
 */
import { Clock, Effect, Latch, Layer, Metric, Stream } from "effect"
import type { NotFound, StorageUnavailable } from "../../domain/Errors.ts"
import type { Partner } from "../../domain/roaming/Partner.ts"
import { outcomeOf, profileOutcomeOf } from "../../domain/command/Outcome.ts"
import { type DueCallback, PartnerCallbacks } from "../../domain/command/PartnerCallbacks.ts"
import { Chargers } from "../../domain/charger/Chargers.ts"
import { ChargingProfiles } from "../../domain/command/ChargingProfiles.ts"
import { Partners } from "../../domain/roaming/Partners.ts"
import { Sessions } from "../../domain/session/Sessions.ts"
import { Counts } from "../../domain/values/Counts.ts"
import { type WireObjects, wireObjects } from "../objects/WireObjects.ts"
import { versionNamed } from "../protocol/Version.ts"
import { PartnerClient, type PartnerRequest } from "./PartnerClient.ts"
import { compositeSchedule } from "../../domain/command/Composite.ts"
import { supplyOf } from "../../domain/command/Supply.ts"
import type { ActiveProfile } from "../../domain/command/ProfileRequest.ts"

/** How far ahead the profile goes, in seconds. The standard asks for five minutes to an hour (OCPI 2.2.1 §14.2.2). */
const horizonSeconds = 3_600

/**
 * What a session may draw from now on (OCPI 2.2.1 §14.3.1), from all profiles that the charger accepted from any source. Undefined for a session
 * that has ended.
 */
type ActiveProfileOf = (
  organisationId: string,
  sessionId: string,
  now: number
) => Effect.Effect<ActiveProfile | undefined, NotFound | StorageUnavailable>

const activeProfiles: Effect.Effect<ActiveProfileOf, never, Sessions | Chargers | ChargingProfiles> = Effect.gen(
  function* () {
    const sessions = yield* Sessions
    const chargers = yield* Chargers
    const profiles = yield* ChargingProfiles

    return Effect.fnUntraced(function* (organisationId: string, sessionId: string, now: number) {
      const { chargerId, evseId, startedAt, status, transactionId } = yield* sessions.get(organisationId, sessionId)
      if (status !== "ACTIVE") return undefined
      const { connectors } = yield* chargers.get(organisationId, chargerId)
      const inForce = yield* profiles.inForce(organisationId, chargerId)
      const target = { evseId, transaction: { transactionId: Number(transactionId), startedAt } }
      // Where no profile applies, the limit is the most that the EVSE can supply.
      const { startSchedule, ...schedule } = compositeSchedule(
        inForce,
        target,
        now,
        horizonSeconds,
        "A",
        supplyOf(connectors, evseId)
      )
      return { startAt: startSchedule, schedule }
    })
  }
)

export interface ResultPosterOptions {
  /** How often due results are polled while a command awaits its result. A notification about a command's end triggers a poll at once. */
  readonly everyMillis: number
  /** The same while no partner awaits a result. Another process may have issued the command, and a charger has half a minute to answer. */
  readonly quietMillis: number
  /** The shortest time between two polls: one poll serves all commands that end meanwhile, and most are not a partner's. */
  readonly restMillis: number
  /** The most requests at one time, in all and to one partner, so that a partner that hangs does not delay the others for long. */
  readonly atOnce: number
  readonly atOncePerPartner: number
  /** How long a process holds a result that it took: longer than a call and its retry with the other form of the token may take. */
  readonly leaseMillis: number
  /** The pause after the first try, the second and so on. After the last one the result is given up. */
  readonly pausesMillis: ReadonlyArray<number>
}

export const defaultPosterOptions: ResultPosterOptions = {
  everyMillis: 1_000,
  restMillis: 50,
  quietMillis: 10_000,
  atOnce: 64,
  atOncePerPartner: 8,
  leaseMillis: 30_000,
  // About five minutes in all: no driver waits longer for a result.
  pausesMillis: [1_000, 4_000, 15_000, 60_000, 240_000]
}

const posted = Metric.counter("ocpi_results_posted_total", {
  description: "Results of partners' commands that were sent",
  incremental: true
})
const givenUp = Metric.counter("ocpi_results_given_up_total", {
  description: "Results of partners' commands that could not be sent; see the log and the partner's exchanges",
  incremental: true
})

export const resultMetrics = [posted, givenUp]

/** The result of a command as its version has it; undefined for a version without one. */
const bodyOf = (due: DueCallback, wire: WireObjects, now: number): unknown => {
  if (due.about === "ReservationCancelled") return wire.commands.result("CANCELED_RESERVATION")
  switch (due.kind) {
    case "SetProfile":
    case "ClearProfile":
      return wire.profiles?.result(profileOutcomeOf(due))
    case "ActiveProfile": {
      const outcome = profileOutcomeOf(due)
      if (outcome !== "ACCEPTED") return wire.profiles?.result(outcome)
      // ACCEPTED includes the profile (OCPI 2.2.1 §14.3.1). If the charger's answer has no schedule, there is no profile to send.
      const active = wire.profiles?.reported(due.result, now)
      return active === undefined ? wire.profiles?.result("UNKNOWN") : wire.profiles?.result("ACCEPTED", active)
    }
    default:
      return wire.commands.result(outcomeOf(due))
  }
}

type Result = Pick<PartnerRequest, "method" | "at" | "body">

/** The request to send; undefined if there is nothing (any more) to send. */
const resultOf = (due: DueCallback, activeProfileOf: ActiveProfileOf, now: number) =>
  Effect.gen(function* (): Effect.fn.Return<Result | undefined, NotFound | StorageUnavailable> {
    const version = versionNamed(due.version)
    if (version === undefined) return undefined
    const wire = wireObjects[version]
    const { organisationId, responseUrl, sessionId } = due
    if (due.about !== "ProfileChanged") {
      const body = bodyOf(due, wire, now)
      return body === undefined ? undefined : { method: "POST", at: { responseUrl: responseUrl ?? "" }, body }
    }
    const active = sessionId === undefined ? undefined : yield* activeProfileOf(organisationId, sessionId, now)
    if (active === undefined || sessionId === undefined) return undefined
    const at = { module: "chargingprofiles", role: "SENDER", path: [sessionId] } as const
    return { method: "PUT", at, body: wire.profiles?.active(active) }
  })

const make = (options: ResultPosterOptions) =>
  Effect.gen(function* () {
    const callbacks = yield* PartnerCallbacks
    const partners = yield* Partners
    const client = yield* PartnerClient
    const activeProfileOf = yield* activeProfiles

    const abandon = (due: DueCallback, problem: string) =>
      Effect.gen(function* () {
        yield* callbacks.giveUp(due, problem, yield* Clock.currentTimeMillis)
        yield* Metric.update(givenUp, 1)
        yield* Effect.logWarning(`the result of a partner's command could not be sent: ${problem}`).pipe(
          Effect.annotateLogs({ partnerId: due.partnerId, commandId: due.commandId, about: due.about })
        )
      })

    const failed = (due: DueCallback, problem: string, retryAfterMillis = 0) =>
      Effect.gen(function* () {
        const pause = options.pausesMillis[due.tries - 1]
        if (pause === undefined) return yield* abandon(due, problem)
        const now = yield* Clock.currentTimeMillis
        // If a partner asks for a pause that is longer than all our tries together, its result is given up at its own request.
        return yield* callbacks.retry(due, problem, now + Math.max(pause, retryAfterMillis))
      })

    const post = (due: DueCallback, partner: Partner, what: Result) =>
      client
        .call(partner, {
          ...what,
          correlationId: due.correlationId,
          from: due.from,
          to: due.to
        })
        .pipe(
          Effect.andThen(Clock.currentTimeMillis),
          Effect.flatMap((now) => callbacks.reported(due, now)),
          Effect.andThen(Metric.update(posted, 1)),
          Effect.catchTags({
            PartnerFailed: ({ message, retryAfterMillis }) => failed(due, message, retryAfterMillis),
            PartnerUnreached: ({ message }) => failed(due, message)
          })
        )

    const send = (due: DueCallback) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const what = yield* resultOf(due, activeProfileOf, now)
        if (what === undefined) return yield* callbacks.reported(due, now)
        if (due.responseUrl === undefined) {
          return yield* abandon(due, "its response_url was encrypted with another SECRET_KEY")
        }
        return yield* post(due, yield* partners.get(due.organisationId, due.partnerId), what)
      }).pipe(
        Effect.catchTag("NotFound", () => abandon(due, "the partner, or the object of the command, no longer exists")),
        // When the lease ends, the result is sent again.
        Effect.catchTag("StorageUnavailable", () => Effect.void),
        Effect.catchCause((cause) => Effect.logError("the result of a partner's command could not be handled", cause)),
        Effect.annotateLogs({ commandId: due.commandId })
      )

    return { callbacks, send }
  })

/** Sends results until the scope closes. */
export const layer = (
  options: ResultPosterOptions = defaultPosterOptions
): Layer.Layer<never, never, PartnerCallbacks | Partners | PartnerClient | Sessions | Chargers | ChargingProfiles> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { callbacks, send } = yield* make(options)
      const { atOnce, atOncePerPartner, everyMillis, leaseMillis, quietMillis, restMillis } = options
      /** Results that are being sent, by partner. */
      const onTheirWay = new Counts()
      const scope = yield* Effect.scope

      const start = (due: DueCallback) =>
        Effect.suspend(() => {
          onTheirWay.add(due.partnerId, 1)
          return Effect.forkIn(
            Effect.ensuring(
              send(due),
              Effect.sync(() => onTheirWay.add(due.partnerId, -1))
            ),
            scope
          )
        })

      const wakeup = Latch.makeUnsafe(true)
      yield* Effect.forkScoped(Stream.runForEach(callbacks.ended, () => Effect.sync(() => wakeup.openUnsafe())))

      /** One poll. Returns how long to wait for the next one if there is no notification. */
      const round = Effect.gen(function* () {
        const limit = atOnce - onTheirWay.all
        if (limit <= 0) return everyMillis
        const now = yield* Clock.currentTimeMillis
        // Most commands that end are not a partner's.
        const next = (yield* callbacks.nextDue) ?? Infinity
        if (next > now) return Math.min(Math.max(next - now, everyMillis), quietMillis)
        const except = onTheirWay.full(atOncePerPartner)
        const due = yield* callbacks.take({ now, leaseMillis, limit, limitPerPartner: atOncePerPartner, except })
        yield* Effect.forEach(due, start, { discard: true })
        return everyMillis
      }).pipe(
        Effect.catchTag("StorageUnavailable", () => Effect.succeed(everyMillis)),
        Effect.catchCause((cause) =>
          Effect.as(Effect.logError("the search for results to send failed", cause), everyMillis)
        )
      )
      // One poll serves all notifications since the previous one.
      const step = Effect.gen(function* () {
        yield* Effect.sync(() => wakeup.closeUnsafe())
        const millis = yield* round
        yield* Effect.sleep(restMillis)
        yield* Effect.timeoutOrElse(wakeup.await, { duration: millis - restMillis, orElse: () => Effect.void })
      })
      yield* Effect.forkScoped(Effect.forever(step))
    })
  )
