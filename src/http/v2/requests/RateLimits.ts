/**
 * Limits how often one key may send requests, and how often one network may send wrong keys. Both limits are generous. They protect others
 * from a program out of control and from guessing, and are not a pricing tier. Wrong keys never cause a right key to be refused. The
 * buckets are per process; the `RateLimit` headers follow draft-ietf-httpapi-ratelimit-headers.
 */
import { Clock, Context, Effect, Layer, Metric } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { TooMany } from "../../../domain/Errors.ts"
import { Buckets } from "../../../domain/values/Buckets.ts"
import { Inside } from "./Inside.ts"
import { RefusalDelay } from "./RefusalDelay.ts"

export interface RateLimitOptions {
  /** Per key; 0 means no limit. */
  readonly requestsPerMinute: number
  /** Per network; 0 means no limit. */
  readonly wrongKeysPerMinute: number
  /** The network that a request comes from, as far as it can be trusted. */
  readonly networkOf: (request: HttpServerRequest.HttpServerRequest) => string
}

const windowSeconds = 60

/** Reading and checking this many bytes of a body takes as long as a whole small request. */
export const bytesPerRequest = 16 * 1024

/** Most names of one kind that are remembered. Beyond that the least recently used is forgotten, which can only allow more requests. */
const namesMax = 10_000

interface Allowance {
  readonly isAllowed: boolean
  readonly remaining: number
  /** Seconds until the full quota is available again (`fullSeconds`), and until one more request is allowed (`waitSeconds`). */
  readonly fullSeconds: number
  readonly waitSeconds: number
}

/** A quota per minute for each name, which may be used at once or evenly. */
export class Allowances {
  private readonly buckets: Buckets

  constructor(quota: number) {
    this.buckets = new Buckets(quota, windowSeconds * 1000, namesMax)
  }

  get size(): number {
    return this.buckets.size
  }

  take(name: string, now: number, amount = 1): Allowance {
    return this.shown(name, now, this.buckets.take(name, now, amount))
  }

  /** What is left, without using any. */
  peek(name: string, now: number): Allowance {
    return this.shown(name, now, this.buckets.has(name, now))
  }

  private shown(name: string, now: number, isAllowed: boolean): Allowance {
    const { buckets } = this
    return {
      isAllowed,
      remaining: Math.max(0, Math.floor(buckets.left(name, now))),
      fullSeconds: buckets.fullSeconds(name, now),
      waitSeconds: buckets.waitSeconds(name, now)
    }
  }
}

const refused = Metric.counter("api_requests_limited_total", {
  description:
    "Requests to REST v2 that were answered 429: from a key with too many requests, or from a network with too many wrong keys",
  incremental: true
})
const ofFlood = Metric.withAttributes(refused, { why: "requests_of_key" })
const ofWrongKeys = Metric.withAttributes(refused, { why: "wrong_keys_of_network" })

export const rateLimitMetrics = [ofFlood, ofWrongKeys]

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
  }
>()("voltlane/http/v2/RateLimits") {}

const shown = (name: string, quota: number, allowance: Allowance) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(
      HttpServerResponse.setHeaders(response, {
        "ratelimit-policy": `"${name}";q=${quota};w=${windowSeconds}`,
        ratelimit: `"${name}";r=${allowance.remaining};t=${allowance.fullSeconds}`
      })
    )
  )

export const layer = ({ networkOf, requestsPerMinute, wrongKeysPerMinute }: RateLimitOptions) =>
  Layer.effect(
    RateLimits,
    Effect.gen(function* () {
      const keys = new Allowances(requestsPerMinute)
      const networks = new Allowances(wrongKeysPerMinute)
      const ofKeys = new RefusalDelay()
      const ofNetworks = new RefusalDelay()
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
        if (wrongKeysPerMinute === 0) return
        const network = networkOf(yield* HttpServerRequest.HttpServerRequest)
        const allowance = networks.take(network, yield* Clock.currentTimeMillis)
        if (allowance.isAllowed) return
        yield* shown("wrong-keys", wrongKeysPerMinute, allowance)
        yield* Metric.update(ofWrongKeys, 1)
        yield* ofNetworks.before(network)
        return yield* new TooMany({
          code: "too_many_wrong_keys",
          message: `Too many wrong keys came from this network: at most ${wrongKeysPerMinute} a minute are allowed. Try again later.`,
          retryAfterSeconds: allowance.waitSeconds
        })
      })

      const network = Effect.map(HttpServerRequest.HttpServerRequest, networkOf)

      return RateLimits.of({ body, network, request, room, wrongKey })
    })
  )
