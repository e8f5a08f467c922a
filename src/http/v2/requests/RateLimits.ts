/**
 * Limits how often one key may send requests. The limit is generous: it protects others from a program out of control, and is not a pricing tier.
 * Wrong keys count as wrong credentials of their network. The buckets are per process; the `RateLimit` headers follow
 * draft-ietf-httpapi-ratelimit-headers.
 */
import { Clock, Context, Effect, Layer, Metric } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { TooMany } from "../../../domain/Errors.ts"
import type { WrongCredentials } from "../../../domain/operator/WrongCredentials.ts"
import { type Allowance, Allowances, windowSeconds } from "../../Allowances.ts"
import { RefusalDelay } from "../../../domain/values/RefusalDelay.ts"
import { requestsLimited, wrongCredentials } from "../../WrongCredentials.ts"
import { Inside } from "./Inside.ts"

export interface RateLimitOptions {
  /** Per key; 0 means no limit. */
  readonly requestsPerMinute: number
  /** Per network; 0 means no limit. */
  readonly wrongKeysPerMinute: number
  /** What counts wrong credentials, if it is shared with other interfaces; otherwise made for `wrongKeysPerMinute`. */
  readonly wrong?: WrongCredentials
  /** The network that a request comes from, as far as it can be trusted. */
  readonly networkOf: (request: HttpServerRequest.HttpServerRequest) => string
}

/** Reading and checking this many bytes of a body takes as long as a whole small request. */
export const bytesPerRequest = 16 * 1024

const ofFlood = Metric.withAttributes(requestsLimited, { why: "requests_of_key" })

export const rateLimitMetrics = [ofFlood]

export class RateLimits extends Context.Service<
  RateLimits,
  {
    /** Counts a request of this key. Its answer gets headers with what is left, or it is refused. */
    readonly request: (keyId: string) => Effect.Effect<void, TooMany, HttpServerRequest.HttpServerRequest>
    /** Fails if the key has nothing left. Counts nothing. */
    readonly room: (keyId: string) => Effect.Effect<void, TooMany, HttpServerRequest.HttpServerRequest>
    /** Counts the body of a request that was counted already as more requests, one per `bytesPerRequest`. Never refuses. */
    readonly body: (keyId: string, bytes: number) => Effect.Effect<void>
    /** The network that the request comes from. */
    readonly network: Effect.Effect<string, never, HttpServerRequest.HttpServerRequest>
    /** Counts a wrong key of the network that the request comes from. */
    readonly wrongKey: Effect.Effect<void, TooMany, HttpServerRequest.HttpServerRequest>
    /** Looks up a key or sign-in that may be wrong, by its keyed hash. */
    readonly lookUp: <A, E, R>(
      verifier: Uint8Array,
      look: Effect.Effect<A | undefined, E, R>
    ) => Effect.Effect<A | undefined, E, R | HttpServerRequest.HttpServerRequest>
  }
>()("voltlane/http/v2/RateLimits") {}

const shown = (name: string, quota: number, allowance: Omit<Allowance, "isAllowed">) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(
      HttpServerResponse.setHeaders(response, {
        "ratelimit-policy": `"${name}";q=${quota};w=${windowSeconds}`,
        ratelimit: `"${name}";r=${allowance.remaining};t=${allowance.fullSeconds}`
      })
    )
  )

export const layer = ({ networkOf, requestsPerMinute, wrong, wrongKeysPerMinute }: RateLimitOptions) =>
  Layer.effect(
    RateLimits,
    Effect.gen(function* () {
      const keys = new Allowances(requestsPerMinute)
      const counted = wrong ?? wrongCredentials(wrongKeysPerMinute)
      const ofKeys = new RefusalDelay()
      const refuse = (keyId: string, seconds: number) =>
        Metric.update(ofFlood, 1).pipe(
          Effect.andThen(ofKeys.before(keyId)),
          Effect.andThen(
            new TooMany({
              code: "too_many_requests",
              message: `This key may send ${requestsPerMinute} requests a minute. Send fewer; the header RateLimit says how many remain.`,
              retryAfterSeconds: seconds
            })
          )
        )

      const request = Effect.fnUntraced(function* (keyId: string) {
        if (requestsPerMinute === 0 || (yield* Inside) !== undefined) return
        const allowance = keys.take(keyId, yield* Clock.currentTimeMillis)
        yield* shown("requests", requestsPerMinute, allowance)
        if (allowance.isAllowed) return
        return yield* refuse(keyId, allowance.waitSeconds)
      })

      const room = Effect.fnUntraced(function* (keyId: string) {
        if (requestsPerMinute === 0) return
        const allowance = keys.peek(keyId, yield* Clock.currentTimeMillis)
        if (allowance.isAllowed) return
        yield* shown("requests", requestsPerMinute, allowance)
        return yield* refuse(keyId, allowance.waitSeconds)
      })

      const body = Effect.fnUntraced(function* (keyId: string, bytes: number) {
        const amount = Math.floor(bytes / bytesPerRequest)
        if (requestsPerMinute > 0 && amount > 0) keys.take(keyId, yield* Clock.currentTimeMillis, amount)
      })

      const wrongKey = Effect.gen(function* () {
        const refused = yield* Effect.flip(counted.count(networkOf(yield* HttpServerRequest.HttpServerRequest))).pipe(
          Effect.orElseSucceed(() => undefined)
        )
        if (refused === undefined) return
        const { retryAfterSeconds: waitSeconds } = refused
        yield* shown("wrong-keys", wrongKeysPerMinute, { remaining: 0, fullSeconds: windowSeconds, waitSeconds })
        return yield* refused
      })

      const lookUp = <A, E, R>(verifier: Uint8Array, look: Effect.Effect<A | undefined, E, R>) =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
          counted.lookUp(networkOf(request), verifier, look)
        )

      const network = Effect.map(HttpServerRequest.HttpServerRequest, networkOf)

      return RateLimits.of({ body, lookUp, network, request, room, wrongKey })
    })
  )
