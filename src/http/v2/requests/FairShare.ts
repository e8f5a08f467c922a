/**
 * Limits how many requests of one key, and of one organisation, are processed at a time. Otherwise a program that sends two thousand
 * requests at once would take the database and the main thread from everyone else. Further requests wait in a queue per key; if it is full,
 * they are refused.
 */
import { Context, Effect, Layer, Metric, Option, Semaphore } from "effect"
import { TooMany } from "../../../domain/Errors.ts"
import type { Principal } from "../../../domain/values/AuditContext.ts"
import { readingFor } from "../../../domain/values/ThreadTime.ts"
import { Inside } from "./Inside.ts"
import { Caller, FairShare, Open, StreamedBody } from "./Middleware.ts"
import { RefusalDelay } from "../../../domain/values/RefusalDelay.ts"

export interface FairShareOptions {
  /** Most requests of one key that are processed at a time. */
  readonly atOncePerKey: number
  /** The same for all keys of an organisation together. */
  readonly atOncePerOrganisation: number
  /** Most requests of one key that wait. */
  readonly waitingPerKey: number
}

/** The defaults. */
export const defaultFairShare: FairShareOptions = { atOncePerKey: 8, atOncePerOrganisation: 16, waitingPerKey: 200 }

/** A queue of this length is processed within a few seconds. */
const retryAfterSeconds = 2

export const refusedForTheirShare = Metric.counter("http_requests_at_once_refused_total", {
  description: "Requests to REST v2 that were refused because too many requests of the same key were waiting",
  incremental: true
})

/** Lets the next request begin. For handlers that only wait for a charger or for another service; a second call does nothing. */
export const LetNextBegin = Context.Reference<Effect.Effect<void>>("voltlane/http/v2/YieldTurn", {
  defaultValue: () => Effect.void
})

/**
 * Work that mostly waits for another service, which may never answer. Others' requests begin meanwhile; the key's own number of requests still
 * includes this one.
 */
export const waitingForOthers = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.andThen(Effect.flatten(LetNextBegin), work)

/** Queues by name. A name without requests is forgotten. */
class RequestQueue {
  private readonly lines = new Map<string, { readonly semaphore: Semaphore.Semaphore; requests: number }>()
  private readonly atOnce: number

  constructor(atOnce: number) {
    this.atOnce = atOnce
  }

  /** The number of requests of this name, including those that wait. */
  requests(name: string): number {
    return this.lines.get(name)?.requests ?? 0
  }

  get size(): number {
    return this.lines.size
  }

  within<A, E, R>(
    name: string,
    work: (yieldTurn: Effect.Effect<void>) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      const line = this.lines.get(name) ?? { semaphore: Semaphore.makeUnsafe(this.atOnce), requests: 0 }
      this.lines.set(name, line)
      line.requests += 1
      let isHeld = true
      const yieldTurn = Effect.suspend(() => {
        if (!isHeld) return Effect.void
        isHeld = false
        return Effect.asVoid(line.semaphore.release(1))
      })
      return Effect.acquireUseRelease(
        Effect.interruptible(line.semaphore.take(1)),
        () => work(yieldTurn),
        () => yieldTurn
      ).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            line.requests -= 1
            if (line.requests === 0) this.lines.delete(name)
          })
        )
      )
    })
  }
}

/** The queues of all keys and organisations. */
export class RequestQueues extends Context.Service<
  RequestQueues,
  {
    /** Fails if so many requests of the key wait already that one more would be refused. Does not query the database. */
    readonly room: (keyId: string) => Effect.Effect<void, TooMany>
    readonly within: <A, E, R>(caller: Principal, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("voltlane/http/v2/RequestTurns") {}

export const queues = ({ atOncePerKey, atOncePerOrganisation, waitingPerKey }: FairShareOptions) =>
  Layer.sync(RequestQueues, () => {
    const ofKeys = new RequestQueue(atOncePerKey)
    const ofOrganisations = new RequestQueue(atOncePerOrganisation)
    const tooMany = new TooMany({
      code: "too_many_at_once",
      message: `${waitingPerKey} requests of this key are already waiting. Send fewer at a time: ${atOncePerKey} are processed at once.`,
      retryAfterSeconds
    })
    const delay = new RefusalDelay()
    const refuse = (keyId: string) =>
      Metric.update(refusedForTheirShare, 1).pipe(Effect.andThen(delay.before(keyId)), Effect.andThen(tooMany))
    return RequestQueues.of({
      room: (keyId) =>
        Effect.suspend(() => (ofKeys.requests(keyId) >= atOncePerKey + waitingPerKey ? refuse(keyId) : Effect.void)),
      within: ({ keyId, organisationId }, work) =>
        ofKeys.within(keyId, (yieldKey) =>
          // Callers of open endpoints have no organisation in common.
          ofOrganisations.within(organisationId === "" ? keyId : organisationId, (yieldOrganisation) =>
            Effect.provideService(work, LetNextBegin, Effect.andThen(yieldOrganisation, yieldKey))
          )
        )
    })
  })

export const layer = Layer.effect(
  FairShare,
  Effect.map(RequestQueues, ({ room, within }) =>
    FairShare.of((httpEffect, { endpoint }) =>
      Effect.gen(function* () {
        // An internal request is part of a request that has its turn. A file upload is as slow as its connection, and has limits of its own.
        if ((yield* Inside) !== undefined || Option.isSome(Context.getOption(endpoint.annotations, StreamedBody))) {
          return yield* httpEffect
        }
        const caller = yield* Caller
        yield* room(caller.keyId)
        // A write has a transaction, which is short and must not wait between its locks. An open endpoint has limits of its own.
        const isRead = endpoint.method === "GET" && !Context.get(endpoint.annotations, Open)
        return yield* within(caller, isRead ? readingFor(caller.keyId, httpEffect) : httpEffect)
      })
    )
  )
)
