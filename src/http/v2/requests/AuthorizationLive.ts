/**
 * Authenticates callers of REST v2. The key in `x-api-key` is looked up by its public part and verified by its keyed hash in constant time.
 * Without a key the cookie's sign-in counts. Both have the permissions that their operator has at the time of the call (T20, T22).
 */
import { Clock, Context, Effect, Layer, Redacted, Result } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { FactorStale, PermissionDenied, type TooMany } from "../../../domain/Errors.ts"
import { type KeyBounds, keyRefusal } from "../../../domain/operator/KeyBounds.ts"
import { keyLookup, purposes } from "../../../domain/operator/Keys.ts"
import { CredentialsProved } from "../../../domain/operator/WrongCredentials.ts"
import type { Principal } from "../../../domain/values/AuditContext.ts"
import { missing } from "../../../domain/operator/Permission.ts"
import { Access } from "../../../domain/operator/Access.ts"
import { Accounts } from "../../../domain/operator/Accounts.ts"
import { isFactorStale, isOver, secretHash } from "../../../domain/operator/SignIn.ts"
import { Secrets } from "../../../domain/values/Secrets.ts"
import { asCaller } from "../../../domain/values/ThreadTime.ts"
import { pathOf } from "../../RawUrl.ts"
import { ClientAddress } from "./ClientAddress.ts"
import { cookieOf, isFromElsewhere, isUntyped } from "./Cookies.ts"
import { problemOf } from "./FaceLive.ts"
import { Unauthorized } from "./Failures.ts"
import { AsksFactor, Authorization, Caller, Open, RequiredPermissions } from "./Middleware.ts"
import { PublicUrl } from "./Paging.ts"
import { domainProblem, faceProblem, toResponse } from "./Problem.ts"
import { RequestQueues } from "./FairShare.ts"
import { Inside } from "./Inside.ts"
import { RateLimits } from "./RateLimits.ts"
import { Unencrypted } from "./Unencrypted.ts"

const unknown = new Unauthorized({ detail: "This key is unknown or was revoked. Keys of REST v1 do not work here." })
const absent = new Unauthorized({ detail: "Send a key in the header x-api-key, or sign in." })
const refused = (key: KeyBounds, why: "expired" | "network") =>
  why === "expired"
    ? new Unauthorized({
        code: "key_expired",
        detail: `This key expired at ${new Date(key.expiresAt ?? 0).toISOString()}. Create a new one, and rotate keys before they expire.`
      })
    : new Unauthorized({
        code: "network_refused",
        detail: "This key can be used only from its allowed networks, and the request comes from another one."
      })
const over = new Unauthorized({ detail: "This sign-in has ended. Sign in again." })

/** Most keys that are remembered as verified. Beyond that the one that was remembered longest ago is forgotten. */
const provedMax = 10_000

/**
 * Keys that were right recently, by their public part. With it a flood of requests with one key can be refused before the database is
 * queried for each of them. It grants nothing: permissions are read again for each request that is processed.
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

type LookUp<R2> = <A, E, R>(
  verifier: Uint8Array,
  look: Effect.Effect<A | undefined, E, R>
) => Effect.Effect<A | undefined, E, R | R2>

/**
 * Finds the caller of a presented key at this moment, since permissions change with the operator and a key may be revoked. `room` fails if
 * a request of this key would be refused anyway; `lookUp` looks up a key that may be wrong.
 */
export const proving = Effect.fnUntraced(function* <E, R, R2 = never>(
  room: (keyId: string) => Effect.Effect<void, E, R>,
  lookUp: LookUp<R2> = (_, look) => look
) {
  const access = yield* Access
  const secrets = yield* Secrets
  // A dummy that no key matches, so that an unknown key takes as long to refuse as a wrong one.
  const dummy = secrets.verifier(purposes.apiKey, "dummy")

  const recent = new Proved()

  // Without an address the key's networks are not checked: a stream was already checked when it began.
  return Effect.fnUntraced(function* (presented: string, address?: string) {
    if (presented === "") return yield* absent
    const lookup = keyLookup(secrets, presented)
    if (lookup === undefined) return yield* unknown
    const known = recent.get(lookup.publicId)
    if (known !== undefined && secrets.verify(purposes.apiKey, lookup.proof, known.verifier)) yield* room(known.keyId)
    const look = Effect.map(access.findKey(lookup.publicId), (one) =>
      secrets.verify(purposes.apiKey, lookup.proof, one?.verifier ?? dummy) ? one : undefined
    )
    const found = yield* lookUp(secrets.verifier(purposes.apiKey, lookup.proof), look)
    if (found === undefined) return yield* unknown
    const now = yield* Clock.currentTimeMillis
    const refusal = keyRefusal(found.bounds, now, address)
    if (refusal !== undefined) return yield* refused(found.bounds, refusal)
    recent.remember(lookup.publicId, found.verifier, found.principal.keyId)
    access.used(found.principal.actor, now, address)
    return found.principal
  })
})

/**
 * Finds the caller of a cookie's sign-in at this moment. An unknown secret costs one look-up; with 256 random bits it cannot be guessed.
 * The permissions of a sign-in, and whether it has ended, are read again for each request.
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

/** The caller of an open endpoint: unknown, but limited by network. */
const anonymousFrom = (network: string): Principal => ({
  organisationId: "",
  actor: "anonymous",
  keyId: `open:${network}`,
  operatorId: undefined,
  permissions: []
})

const elsewhere = faceProblem(
  "cross_origin",
  "This request was sent by a page of another site, or does not name its site. With a cookie, only pages of this service can change anything; programs use a key."
)

const untyped = faceProblem(
  "unsupported_media_type",
  "The body must be JSON: send the header content-type: application/json."
)

const unencrypted = faceProblem(
  "https_required",
  "People sign in over https only: use the https address of this service, or set CONSOLE_ALLOW_HTTP=true on a closed network."
)

/** Why a request with a cookie is refused; undefined if it is not. */
const refusal = (
  publicUrl: string,
  isUnencrypted: Unencrypted["Service"],
  request: HttpServerRequest.HttpServerRequest,
  isOpen: boolean
) => {
  if (isUnencrypted(request)) return toResponse(unencrypted, pathOf(request.url))
  if (isFromElsewhere(publicUrl, request, isOpen)) return toResponse(elsewhere, pathOf(request.url))
  return isUntyped(request) ? toResponse(untyped, pathOf(request.url)) : undefined
}

const stale = domainProblem(new FactorStale())

const granted = (caller: Principal, endpoint: HttpApiEndpoint.Top) => {
  const lacking = missing(caller.permissions, Context.getUnsafe(endpoint.annotations, RequiredPermissions))
  return lacking.length > 0
    ? Effect.fail(new PermissionDenied({ requiredPermissions: lacking }))
    : Effect.succeed(caller)
}

/**
 * Runs the endpoint for an identified caller, or answers the refusal. A refusal is an answer and not a failure, since after a failure
 * Effect would try the next scheme.
 */
const settled = Effect.fnUntraced(function* <E, R, E2, R2>(
  httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E2, R2>,
  endpoint: HttpApiEndpoint.Top,
  identified: Effect.Effect<Principal, E, R>
) {
  const { url } = yield* HttpServerRequest.HttpServerRequest
  const known = yield* Effect.result(Effect.flatMap(identified, (caller) => granted(caller, endpoint)))
  if (Result.isSuccess(known)) {
    const isGrave = Context.get(endpoint.annotations, AsksFactor) === true
    if (isGrave && isFactorStale(known.success, yield* Clock.currentTimeMillis)) return toResponse(stale, pathOf(url))
    return yield* asCaller(known.success.keyId, Effect.provideService(httpEffect, Caller, known.success))
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
    const isUnencrypted = yield* Unencrypted
    const room = Effect.fnUntraced(function* (keyId: string) {
      yield* limits.room(keyId)
      yield* queues.room(keyId)
    })
    const addressOf = yield* ClientAddress
    const proved = yield* CredentialsProved
    const principalOf = yield* proving<
      TooMany,
      HttpServerRequest.HttpServerRequest,
      HttpServerRequest.HttpServerRequest
    >(room, limits.lookUp)
    const signedIn = yield* provingSignIn

    // The key is verified before wrong keys are counted: wrong keys from a network never lock out a right one.
    const byKey = Effect.fnUntraced(function* (presented: string) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const principal = yield* principalOf(presented, addressOf(request)).pipe(
        Effect.tapErrorTag("Unauthorized", () => limits.wrongKey)
      )
      proved(request.source)
      yield* limits.request(principal.keyId)
      return principal
    })

    const byCookie = Effect.fnUntraced(function* (secret: string) {
      const principal = yield* signedIn(secret).pipe(Effect.tapErrorTag("Unauthorized", () => limits.wrongKey))
      proved((yield* HttpServerRequest.HttpServerRequest).source)
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
      /** Fails if there is no key, so that the cookie is tried. If there is a key, only the key counts, even if it is wrong. */
      apiKey: Effect.fnUntraced(function* (httpEffect, { credential, endpoint }) {
        // The caller is already known here. This may run in the transaction of the outer request, where it must not wait for another database
        // connection.
        const asking = yield* Inside
        if (asking !== undefined) return yield* settled(httpEffect, endpoint, Effect.succeed(asking))
        const request = yield* HttpServerRequest.HttpServerRequest
        if (Context.get(endpoint.annotations, Open)) {
          return refusal(publicUrl, isUnencrypted, request, true) ?? (yield* settled(httpEffect, endpoint, anonymous))
        }
        const presented = Redacted.value(credential)
        return presented === "" ? yield* absent : yield* settled(httpEffect, endpoint, byKey(presented))
      }),
      signIn: Effect.fnUntraced(function* (httpEffect, { endpoint }) {
        const request = yield* HttpServerRequest.HttpServerRequest
        const secret = cookieOf(publicUrl, request)
        if (secret === undefined) return yield* absent
        const refused = refusal(publicUrl, isUnencrypted, request, false)
        if (refused !== undefined) return refused
        return yield* settled(httpEffect, endpoint, byCookie(secret))
      })
    })
  })
)
