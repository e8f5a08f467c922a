/**
 * Who calls REST v2: the key in `x-api-key`, looked up by its public part and proved by its keyed hash in constant time, or without one the sign-in of the
 * cookie; each with the permissions of its operator as they are at this call (T20, T22).
 */
import { Clock, Context, Effect, Layer, Redacted, Result } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { PermissionDenied } from "../../../domain/Errors.ts"
import { type KeyBounds, keyRefusal } from "../../../domain/operator/KeyBounds.ts"
import { keyLookup, purposes } from "../../../domain/operator/Keys.ts"
import type { Principal } from "../../../domain/values/AuditContext.ts"
import { missing } from "../../../domain/operator/Permission.ts"
import { Access } from "../../../domain/operator/Access.ts"
import { Accounts } from "../../../domain/operator/Accounts.ts"
import { isFactorStale, isOver, secretHash } from "../../../domain/operator/SignIn.ts"
import { Secrets } from "../../../domain/values/Secrets.ts"
import { pathOf } from "../../RawUrl.ts"
import { ClientAddress } from "./ClientAddress.ts"
import { cookieOf, isFromElsewhere, isUntyped } from "./Cookies.ts"
import { problemOf } from "./FaceLive.ts"
import { Unauthorized } from "./Failures.ts"
import { AsksFactor, Authorization, Caller, Open, RequiredPermissions } from "./Middleware.ts"
import { PublicUrl } from "./Paging.ts"
import { faceProblem, toResponse } from "./Problem.ts"
import { RequestQueues } from "./FairShare.ts"
import { Inside } from "./Inside.ts"
import { RateLimits } from "./RateLimits.ts"

const unknown = new Unauthorized({ detail: "This key is not known, or was revoked. Keys of REST v1 do not work here." })
const absent = new Unauthorized({ detail: "Send a key in the header x-api-key, or sign in." })
const refused = (key: KeyBounds, why: "expired" | "network") =>
  why === "expired"
    ? new Unauthorized({
        code: "key_expired",
        detail: `This key expired at ${new Date(key.expiresAt ?? 0).toISOString()}. Make another one, or rotate keys before they expire.`
      })
    : new Unauthorized({
        code: "network_refused",
        detail: "This key works only from the networks that it was made for, and the request comes from elsewhere."
      })
const over = new Unauthorized({ detail: "This sign-in has ended. Sign in again." })

/** Keys that are remembered as proved; of more the one longest not used is forgotten. */
const provedMax = 10_000

/**
 * Keys that were right a short while ago, by their public part, so that a flood of one can be refused before the database is asked about each of its
 * requests. Nothing is permitted by it: what a key may do is read again for each request that is worked on.
 */
class Proved {
  private readonly keys = new Map<string, { readonly verifier: Uint8Array; readonly keyId: string }>()

  remember(publicId: string, verifier: Uint8Array, keyId: string): void {
    this.keys.delete(publicId)
    if (this.keys.size >= provedMax) this.keys.delete(this.keys.keys().next().value ?? "")
    this.keys.set(publicId, { verifier, keyId })
  }

  get(publicId: string) {
    return this.keys.get(publicId)
  }
}

/**
 * Whose key a presented text is at this moment: what it may do changes with its operator, and it may be revoked. `room` fails where a request of the key
 * would be refused whatever else it is.
 */
export const proving = Effect.fnUntraced(function* <E, R>(room: (keyId: string) => Effect.Effect<void, E, R>) {
  const access = yield* Access
  const secrets = yield* Secrets
  // Proves nothing; an unknown key costs the same hash as one that is wrong.
  const dummy = secrets.verifier(purposes.apiKey, "dummy")

  const recent = new Proved()

  // Without an address networks are not looked at: a stream began in one of them.
  return Effect.fnUntraced(function* (presented: string, address?: string) {
    if (presented === "") return yield* absent
    const lookup = keyLookup(secrets, presented)
    if (lookup === undefined) return yield* unknown
    const known = recent.get(lookup.publicId)
    if (known !== undefined && secrets.verify(purposes.apiKey, lookup.proof, known.verifier)) yield* room(known.keyId)
    const found = yield* access.findKey(lookup.publicId)
    const proved = secrets.verify(purposes.apiKey, lookup.proof, found?.verifier ?? dummy)
    if (found === undefined || !proved) return yield* unknown
    const now = yield* Clock.currentTimeMillis
    const refusal = keyRefusal(found.bounds, now, address)
    if (refusal !== undefined) return yield* refused(found.bounds, refusal)
    recent.remember(lookup.publicId, found.verifier, found.principal.keyId)
    access.used(found.principal.actor, now, address)
    return found.principal
  })
})

/**
 * Whose sign-in a cookie is at this moment. An unknown secret costs one look-up; it has 256 random bits, so that there is nothing to guess. What a sign-in may do,
 * and whether it has ended, is read again for each request.
 */
export const provingSignIn = Effect.gen(function* () {
  const accounts = yield* Accounts
  const secrets = yield* Secrets
  return Effect.fnUntraced(function* (secret: string) {
    const hash = secretHash(secrets, "sign-in", secret)
    const found = hash === undefined ? undefined : yield* accounts.findSignIn(hash)
    if (found === undefined || isOver(found, yield* Clock.currentTimeMillis)) return yield* over
    return found.principal
  })
})

/** Who uses an open endpoint: an unknown caller from a network. */
const anonymousFrom = (network: string): Principal => ({
  organisationId: "",
  actor: "anonymous",
  keyId: `open:${network}`,
  operatorId: undefined,
  permissions: []
})

const elsewhere = faceProblem(
  "cross_origin",
  "This request was sent by a page of another site, or does not say by which. With a cookie only pages of this service change anything; programs use a key."
)

const untyped = faceProblem(
  "unsupported_media_type",
  "Bodies are JSON: send the header content-type: application/json."
)

/** Why a request by cookie is refused. */
const refusal = (publicUrl: string, request: HttpServerRequest.HttpServerRequest, isOpen: boolean) => {
  if (isFromElsewhere(publicUrl, request, isOpen)) return toResponse(elsewhere, pathOf(request.url))
  return isUntyped(request) ? toResponse(untyped, pathOf(request.url)) : undefined
}

const stale = faceProblem(
  "second_factor_stale",
  "This needs your second factor again, since it was shown more than 15 minutes ago: PUT /cpo/v2/me/second-factor with a code or a passkey, then repeat it."
)

const granted = (caller: Principal, endpoint: HttpApiEndpoint.Top) => {
  const lacking = missing(caller.permissions, Context.getUnsafe(endpoint.annotations, RequiredPermissions))
  return lacking.length > 0
    ? Effect.fail(new PermissionDenied({ requiredPermissions: lacking }))
    : Effect.succeed(caller)
}

/** Whether a caller was found, and why it may not: a refusal is an answer here, since after a failure the next scheme would be tried. */
const settled = Effect.fnUntraced(function* <E, R, E2, R2>(
  httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E2, R2>,
  endpoint: HttpApiEndpoint.Top,
  identified: Effect.Effect<Principal, E, R>
) {
  const { url } = yield* HttpServerRequest.HttpServerRequest
  const known = yield* Effect.result(Effect.flatMap(identified, (caller) => granted(caller, endpoint)))
  if (Result.isSuccess(known)) {
    const isGrave = Context.get(endpoint.annotations, AsksFactor)
    if (isGrave && isFactorStale(known.success, yield* Clock.currentTimeMillis)) return toResponse(stale, pathOf(url))
    return yield* Effect.provideService(httpEffect, Caller, known.success)
  }
  return toResponse(problemOf(known.failure, url) ?? faceProblem("internal_error", "The service failed."), pathOf(url))
})

export const layer = Layer.effect(
  Authorization,
  Effect.gen(function* () {
    const limits = yield* RateLimits
    const queues = yield* RequestQueues
    const access = yield* Access
    const publicUrl = yield* PublicUrl
    const room = Effect.fnUntraced(function* (keyId: string) {
      yield* limits.room(keyId)
      yield* queues.room(keyId)
    })
    const addressOf = yield* ClientAddress
    const principalOf = yield* proving(room)
    const signedIn = yield* provingSignIn

    // Proved first: wrong keys beside it keep no right one out.
    const byKey = Effect.fnUntraced(function* (presented: string) {
      const address = addressOf(yield* HttpServerRequest.HttpServerRequest)
      const principal = yield* principalOf(presented, address).pipe(
        Effect.tapErrorTag("Unauthorized", () => limits.wrongKey)
      )
      yield* limits.request(principal.keyId)
      return principal
    })

    const byCookie = Effect.fnUntraced(function* (secret: string) {
      const principal = yield* signedIn(secret).pipe(Effect.tapErrorTag("Unauthorized", () => limits.wrongKey))
      yield* room(principal.keyId)
      yield* limits.request(principal.keyId)
      access.used(principal.keyId, yield* Clock.currentTimeMillis)
      return principal
    })

    const anonymous = Effect.gen(function* () {
      const unnamed = anonymousFrom(yield* limits.network)
      yield* room(unnamed.keyId)
      yield* limits.request(unnamed.keyId)
      return unnamed
    })

    return Authorization.of({
      /** Declines where there is no key, so that the cookie is looked at. A key that is there is the only one that counts, also where it is wrong. */
      apiKey: Effect.fnUntraced(function* (httpEffect, { credential, endpoint }) {
        // Within the transaction of a request whose caller is known: no other connection may be waited for there.
        const asking = yield* Inside
        if (asking !== undefined) return yield* settled(httpEffect, endpoint, Effect.succeed(asking))
        const request = yield* HttpServerRequest.HttpServerRequest
        if (Context.get(endpoint.annotations, Open)) {
          return refusal(publicUrl, request, true) ?? (yield* settled(httpEffect, endpoint, anonymous))
        }
        const presented = Redacted.value(credential)
        return presented === "" ? yield* absent : yield* settled(httpEffect, endpoint, byKey(presented))
      }),
      signIn: Effect.fnUntraced(function* (httpEffect, { endpoint }) {
        const request = yield* HttpServerRequest.HttpServerRequest
        const secret = cookieOf(publicUrl, request)
        if (secret === undefined) return yield* absent
        const refused = refusal(publicUrl, request, false)
        if (refused !== undefined) return refused
        return yield* settled(httpEffect, endpoint, byCookie(secret))
      })
    })
  })
)
