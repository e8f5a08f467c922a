/**
 * Limits how many wrong credentials one network may send to REST v1, REST v2 and OCPI together, and how many all networks together. Each of them costs
 * a look-up in the database. The limits are far above what people mistype.
 */
import { Clock, Effect, Metric, Semaphore } from "effect"
import { TooMany } from "../domain/Errors.ts"
import { uncounted, type WrongCredentials } from "../domain/operator/WrongCredentials.ts"
import { Allowances } from "./Allowances.ts"
import { RefusalDelay } from "../domain/values/RefusalDelay.ts"

/** An attacker who has many networks gets ten times as much as one network. */
const networksAtOnce = 10

/** Most verifiers of right credentials that are remembered. Beyond that the oldest is forgotten: its next look-up may wait. */
const rightMax = 10_000

/** Look-ups at a time of credentials that were not right a moment ago, and of those from networks over the limit: a small part of the connections. */
const unprovedLookUps = 4
const suspectLookUps = 1

const together = "all"

export const requestsLimited = Metric.counter("api_requests_limited_total", {
  description:
    "Requests that were answered 429: from a key with too many requests, or from a network with too many wrong credentials",
  incremental: true
})
export const wrongOfNetwork = Metric.withAttributes(requestsLimited, { why: "wrong_keys_of_network" })

/** `perMinute` for each network; 0 means no limit. */
export const wrongCredentials = (perMinute: number): WrongCredentials => {
  if (perMinute === 0) return uncounted
  const networks = new Allowances(perMinute)
  const all = new Allowances(perMinute * networksAtOnce)
  const delay = new RefusalDelay()
  const right = new Set<string>()
  const unproved = Semaphore.makeUnsafe(unprovedLookUps)
  const suspects = Semaphore.makeUnsafe(suspectLookUps)
  return {
    lookUp: Effect.fnUntraced(function* (network, verifier, look) {
      const now = yield* Clock.currentTimeMillis
      const name = Buffer.from(verifier).toString("base64")
      const isSuspect = !networks.peek(network, now).isAllowed || !all.peek(together, now).isAllowed
      const place = isSuspect ? suspects : unproved
      const found = yield* right.has(name) ? look : place.withPermits(1)(look)
      right.delete(name)
      if (found === undefined) return found
      if (right.size >= rightMax) right.delete(right.values().next().value ?? "")
      right.add(name)
      return found
    }),
    count: Effect.fnUntraced(function* (network) {
      const now = yield* Clock.currentTimeMillis
      const [one, every] = [networks.take(network, now), all.take(together, now)]
      if (one.isAllowed && every.isAllowed) return
      yield* Metric.update(wrongOfNetwork, 1)
      yield* delay.before(one.isAllowed ? together : network)
      return yield* new TooMany({
        code: "too_many_wrong_keys",
        message: `Too many wrong keys came from this network: at most ${perMinute} a minute are allowed. Try again later.`,
        retryAfterSeconds: Math.max(one.waitSeconds, every.waitSeconds)
      })
    })
  }
}
