/**
 * `Idempotency-Key` on every POST (draft-ietf-httpapi-idempotency-key-header): claimed before the work, answered again afterwards. The work and its
 * answer are one transaction; work that calls or waits for another system (`Staged`) keeps in the transaction that makes it done what a retry needs.
 * What is kept is sealed, since the answer that made a key or a password holds it; a failure of the service is not kept, so that trying again tries.
 */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { InvalidInput, type StorageUnavailable } from "../../../domain/Errors.ts"
import { Idempotency, Retrying, type Claim, type StoredAnswer } from "../../../domain/operator/Idempotency.ts"
import { Secrets } from "../../../domain/values/Secrets.ts"
import { toHex } from "../../../domain/values/KeyFormat.ts"
import { pathOf } from "../../RawUrl.ts"
import { answered } from "./FaceLive.ts"
import { Caller, Idempotent, Open, Staged, StreamedBody } from "./Middleware.ts"
import { faceProblem, toResponse } from "./Problem.ts"

type Response = HttpServerResponse.HttpServerResponse

const purpose = "idempotent-answer"

/** 1 to 255 printable ASCII characters: what a header and an index carry without trouble. */
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

/** The stored answer as it was given; undefined when it cannot be opened any more (another SECRET_KEY). */
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

/** What distinguishes one streamed body from another: it is not held, and so its length must do. */
const lengthOf = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string> =>
  Effect.succeed(request.headers["content-length"] ?? "")

/** How long an answer may be waited for (`?wait=`) is no part of what is asked: a script may try again without waiting. */
const asked = (url: string): string => {
  const [path = "", ...query] = url.split("?")
  const parts = query.join("?").split("&")
  const kept = parts.filter((part) => part !== "" && !/^wait(?:=|$)/.test(part))
  return kept.length === 0 ? path : `${path}?${kept.join("&")}`
}

type Work = Effect.Effect<Response, never, HttpServerRequest.HttpServerRequest>

const refuse = (code: "in_progress" | "idempotency_key_reused", detail: string, path: string): Response =>
  toResponse(faceProblem(code, detail), path)

/** The answer where the key is already taken. */
const takenAnswer = (
  secrets: Secrets["Service"],
  claim: Exclude<Claim, { readonly _tag: "Claimed" }>,
  path: string
): Response => {
  switch (claim._tag) {
    case "InProgress":
      return refuse("in_progress", "The first request with this Idempotency-Key still runs.", path)
    case "Reused":
      return refuse(
        "idempotency_key_reused",
        "This Idempotency-Key belongs to another request of the last 24 hours.",
        path
      )
    case "Replay":
      return (
        replay(secrets, claim.answer) ??
        refuse("idempotency_key_reused", "The answer kept for this Idempotency-Key can no longer be read.", path)
      )
  }
}

const make = Effect.gen(function* () {
  const idempotency = yield* Idempotency
  const secrets = yield* Secrets

  /** An answer that is kept; undefined for a failure of the service, and for 429, which asks its caller to come again. */
  const answerOf = (response: Response) =>
    response.status >= 500 || response.status === 429 ? undefined : keep(secrets, response)

  /** Work that is nothing but writes. */
  const inOne = (keyId: string, key: string, work: Work): Work =>
    answered(idempotency.within(keyId, key, work, answerOf))

  /** Work that is more than one transaction: what it has reached is kept by itself, and its answer afterwards. */
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
    // The work is done and its answer true, whether or not it could be kept: a retry starts from what was reached.
    yield* Effect.catch(settled, (error) => Effect.logWarning("an idempotent answer could not be kept", error.message))
    return response
  })

  /** Not interrupted halfway: a caller that hangs up must find its answer when it asks again. */
  const once = (
    request: HttpServerRequest.HttpServerRequest,
    identity: Effect.Effect<string, unknown>,
    keyId: string,
    key: string,
    isStaged: boolean,
    work: Work
  ) =>
    Effect.gen(function* () {
      const body = yield* Effect.orDie(identity)
      // Keyed, since a body may hold a password that could be guessed from a plain hash.
      const fingerprint = toHex(secrets.verifier("idempotent-request", `POST ${asked(request.url)}\n${body}`))
      const claim = yield* idempotency.claim(keyId, key, fingerprint, yield* Clock.currentTimeMillis)
      if (claim._tag !== "Claimed") return takenAnswer(secrets, claim, pathOf(request.url))
      return isStaged ? yield* staged(keyId, key, claim.reached, work) : yield* inOne(keyId, key, work)
    }).pipe(Effect.uninterruptible)

  return Idempotent.of((httpEffect, { endpoint }) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const key = request.headers["idempotency-key"]
      // An open endpoint's answer is a cookie, and its links work once by themselves.
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
      // What comes for minutes must end when its caller hangs up; the key is free again then.
      const isStaged = Context.get(endpoint.annotations, Staged)
      return yield* isStreamed
        ? once(request, lengthOf(request), caller.keyId, key, isStaged, Effect.interruptible(work))
        : once(request, request.text, caller.keyId, key, isStaged, work)
    })
  )
})

export const layer = Layer.effect(Idempotent, make)
