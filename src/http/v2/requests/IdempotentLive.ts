/**
 * `Idempotency-Key` on every POST (draft-ietf-httpapi-idempotency-key-header): the key is claimed before the work, and repeated requests
 * get the same answer. The work and its answer are one transaction. Work that calls or waits for another system (`Staged`) stores what a
 * retry needs in its own transaction. The stored answer is sealed, since it may contain a new key or password. Failures of the service are
 * not stored, so that a retry runs the work again.
 */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { sealPurposes } from "../../../domain/values/SealPurpose.ts"
import { InvalidInput, type StorageUnavailable } from "../../../domain/Errors.ts"
import { Idempotency, Retrying, type Claim, type StoredAnswer } from "../../../domain/operator/Idempotency.ts"
import type { Principal } from "../../../domain/values/AuditContext.ts"
import { Secrets } from "../../../domain/values/Secrets.ts"
import { toHex } from "../../../domain/values/KeyFormat.ts"
import { pathOf } from "../../RawUrl.ts"
import { answered } from "./FaceLive.ts"
import { Caller, Idempotent, Open, Staged, StreamedBody } from "./Middleware.ts"
import { faceProblem, toResponse } from "./Problem.ts"

type Response = HttpServerResponse.HttpServerResponse

const purpose = sealPurposes.idempotentAnswer

/** 1 to 255 printable ASCII characters, which both a header and an index can hold. */
const keyPattern = /^[\x20-\x7e]{1,255}$/

const Kept = Schema.fromJsonString(
  Schema.Struct({
    body: Schema.String,
    location: Schema.NullOr(Schema.String),
    retryAfter: Schema.NullOr(Schema.String)
  })
)
const writeKept = Schema.encodeSync(Kept)
const readKept = Schema.decodeUnknownOption(Kept)

const bodyText = (response: Response): string => {
  const { body } = response
  if (body._tag === "Uint8Array") return new TextDecoder().decode(body.body)
  return body._tag === "Raw" && typeof body.body === "string" ? body.body : ""
}

const keep = (secrets: Secrets["Service"], response: Response): StoredAnswer => {
  const kept = writeKept({
    body: bodyText(response),
    location: response.headers["location"] ?? null,
    retryAfter: response.headers["retry-after"] ?? null
  })
  return {
    status: response.status,
    contentType: response.headers["content-type"] ?? "application/json",
    body: secrets.seal(purpose, kept)
  }
}

/** The stored answer; undefined if it can no longer be opened (another SECRET_KEY). */
const replay = (secrets: Secrets["Service"], stored: StoredAnswer): Response | undefined => {
  const opened = secrets.open(purpose, stored.body)
  if (opened === undefined) return undefined
  return Option.match(readKept(opened), {
    onNone: () => undefined,
    onSome: ({ body, location, retryAfter }) =>
      HttpServerResponse.text(body, {
        status: stored.status,
        contentType: stored.contentType,
        headers: {
          ...(location === null ? {} : { location }),
          ...(retryAfter === null ? {} : { "retry-after": retryAfter })
        }
      })
  })
}

/** Identifies a streamed body by its length, since its content is not held in memory. */
const lengthOf = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string> =>
  Effect.succeed(request.headers["content-length"] ?? "")

/** The URL without `?wait=`, which is not part of the request's identity: a script may retry without waiting. */
const asked = (url: string): string => {
  const [path = "", ...query] = url.split("?")
  const parts = query.join("?").split("&")
  const kept = parts.filter((part) => part !== "" && !/^wait(?:=|$)/.test(part))
  return kept.length === 0 ? path : `${path}?${kept.join("&")}`
}

type Work = Effect.Effect<Response, never, HttpServerRequest.HttpServerRequest>

const refuse = (code: "in_progress" | "idempotency_key_reused", detail: string, path: string): Response =>
  toResponse(faceProblem(code, detail), path)

/** The answer if the key is already in use. */
const takenAnswer = (
  secrets: Secrets["Service"],
  claim: Exclude<Claim, { readonly _tag: "Claimed" }>,
  path: string
): Response => {
  switch (claim._tag) {
    case "InProgress":
      return refuse(
        "in_progress",
        "The first request with this Idempotency-Key is still running. Try again later.",
        path
      )
    case "Reused":
      return refuse(
        "idempotency_key_reused",
        "This Idempotency-Key was used for a different request in the last 24 hours. Use a new key.",
        path
      )
    case "Replay":
      return (
        replay(secrets, claim.answer) ??
        refuse(
          "idempotency_key_reused",
          "The stored answer for this Idempotency-Key can no longer be read. Check whether the request took effect, then use a new key.",
          path
        )
      )
  }
}

const make = Effect.gen(function* () {
  const idempotency = yield* Idempotency
  const secrets = yield* Secrets

  /**
   * The answer to store; undefined for a failure of the service, for 429, which asks the caller to try again, and for 403, after which the same
   * request may be allowed: the caller proves the second factor, or gets a permission.
   */
  const answerOf = (response: Response) =>
    response.status >= 500 || response.status === 429 || response.status === 403 ? undefined : keep(secrets, response)

  /** Work that only writes to the database: one transaction. */
  const inOne = (keyId: string, key: string, work: Work): Work =>
    answered(idempotency.within(keyId, key, work, answerOf))

  /** Work of more than one transaction. Its progress is stored separately, and its answer afterwards. */
  const staged = Effect.fnUntraced(function* (keyId: string, key: string, reached: string | undefined, work: Work) {
    const retrying: Retrying = {
      reached: reached === undefined ? undefined : secrets.open(purpose, reached),
      commit: (write, reachedBy) =>
        idempotency.reach(keyId, key, write, (result) => secrets.seal(purpose, reachedBy(result)))
    }
    const response = yield* Effect.onError(Effect.provideService(work, Retrying, retrying), () =>
      Effect.ignore(idempotency.release(keyId, key))
    )
    const answer = answerOf(response)
    const settled: Effect.Effect<void, StorageUnavailable> =
      answer === undefined ? idempotency.release(keyId, key) : idempotency.complete(keyId, key, answer)
    // The work is done and its answer is valid, even if it could not be stored: a retry continues from the stored progress.
    yield* Effect.catch(settled, (error) => Effect.logWarning("an idempotent answer could not be kept", error.message))
    return response
  })

  /** Not interruptible: a caller that disconnects must find its answer when it retries. */
  const once = (
    request: HttpServerRequest.HttpServerRequest,
    identity: Effect.Effect<string, unknown>,
    caller: Principal,
    key: string,
    isStaged: boolean,
    work: Work
  ) =>
    Effect.gen(function* () {
      const { keyId } = caller
      const body = yield* Effect.orDie(identity)
      // A keyed hash, since the body may contain a password, which could be guessed from a plain hash.
      const fingerprint = toHex(secrets.verifier("idempotent-request", `POST ${asked(request.url)}\n${body}`))
      const claim = yield* idempotency.claim(keyId, key, fingerprint, yield* Clock.currentTimeMillis, caller)
      if (claim._tag !== "Claimed") return takenAnswer(secrets, claim, pathOf(request.url))
      return isStaged ? yield* staged(keyId, key, claim.reached, work) : yield* inOne(keyId, key, work)
    }).pipe(Effect.uninterruptible)

  return Idempotent.of((httpEffect, { endpoint }) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const key = request.headers["idempotency-key"]
      // The answer of an open endpoint is a cookie, and its links work only once anyway.
      const isOpen = Context.get(endpoint.annotations, Open)
      if (endpoint.method !== "POST" || key === undefined || isOpen) return yield* httpEffect
      if (!keyPattern.test(key)) {
        return yield* new InvalidInput({
          pointer: "/idempotency-key",
          detail: "Must have 1 to 255 printable ASCII characters"
        })
      }
      const caller = yield* Caller
      const work = answered(Effect.provideService(httpEffect, Caller, caller))
      const isStreamed = Option.isSome(Context.getOption(endpoint.annotations, StreamedBody))
      // An upload takes minutes and must end when its caller disconnects; the key is then free again.
      const isStaged = Context.get(endpoint.annotations, Staged)
      return yield* isStreamed
        ? once(request, lengthOf(request), caller, key, isStaged, Effect.interruptible(work))
        : once(request, request.text, caller, key, isStaged, work)
    })
  )
})

export const layer = Layer.effect(Idempotent, make)
