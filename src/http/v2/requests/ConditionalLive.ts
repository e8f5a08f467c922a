/**
 * Conditional requests (RFC 9110 §13) on every route: `ETag` and 304 when an object is read, and 412 when it is changed although it has
 * changed since. The current state is read by the route's own GET with the caller's own permissions. This happens once before the work
 * begins, and again inside the writing transaction (`Precondition`), so that only one of two concurrent writers succeeds.
 */
import { Cause, Context, Effect, Layer, Option, SchemaAST } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { Precondition } from "../../../domain/operator/Precondition.ts"
import type { Principal } from "../../../domain/values/AuditContext.ts"
import { knownPaths } from "../../KnownPaths.ts"
import { pathOf } from "../../RawUrl.ts"
import { Api } from "../Api.ts"
import { isCurrent, isKnown, tagOf } from "./ETags.ts"
import { Inside } from "./Inside.ts"
import { Caller, Conditional, Reported } from "./Middleware.ts"
import { faceProblem, toResponse } from "./Problem.ts"

type Response = HttpServerResponse.HttpServerResponse

/** Ends a write from any depth. Only the middleware that provided the check catches it. */
class Answered {
  readonly response: Response
  constructor(response: Response) {
    this.response = response
  }
}

/** Lists have no tag: they are pages and change all the time. A client that follows a list reads events instead. */
const isList = ({ query }: HttpApiEndpoint.Top): boolean => {
  const ast = query === undefined ? undefined : SchemaAST.toEncoded(query.ast)
  return ast?._tag === "Objects" && ast.propertySignatures.some(({ name }) => name === "cursor")
}

const tagged = (response: Response, endpoint: HttpApiEndpoint.Top, request: HttpServerRequest.HttpServerRequest) => {
  const { body } = response
  const isJson = /^application\/json(?:;|$)/.test(response.headers["content-type"] ?? "")
  if (response.status !== 200 || body._tag !== "Uint8Array" || !isJson || isList(endpoint)) return response
  const reported = Option.getOrElse(Context.getOption(endpoint.annotations, Reported), () => [])
  const etag = tagOf(body.body, reported)
  const known = request.headers["if-none-match"]
  return known !== undefined && isKnown(known, etag)
    ? HttpServerResponse.empty({ status: 304, headers: { etag } })
    : HttpServerResponse.setHeader(response, "etag", etag)
}

const failed = (path: string, detail: string): Response => toResponse(faceProblem("precondition_failed", detail), path)

/** Logged for a write whose transaction did not check the condition: another writer could have changed the object in between. */
export const unguarded = "a change with If-Match was not checked in the transaction that wrote it"

const methodsOf = knownPaths(Api)

/** A GET request to the same URL with only the caller's key. */
const asked = (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest =>
  HttpServerRequest.fromWeb(
    new Request(new URL(request.url, "http://localhost"), {
      headers: { "x-api-key": request.headers["x-api-key"] ?? "" }
    })
  )

const make = Effect.gen(function* () {
  const router = yield* HttpRouter.HttpRouter

  /** The current answer of GET at the path of a request. */
  const current = (caller: Principal, request: HttpServerRequest.HttpServerRequest) =>
    router
      .asHttpEffect()
      .pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, asked(request)),
        Effect.provideService(Inside, caller),
        Effect.provideService(Precondition, Effect.void),
        Effect.scoped,
        Effect.orDie
      )

  /** Dies with an `Answered` if the current state is not the one that the request names. */
  const checking = (
    caller: Principal,
    request: HttpServerRequest.HttpServerRequest,
    wanted: string
  ): Effect.Effect<void> => {
    const path = pathOf(request.url)
    if (wanted.trim() === "*") return Effect.void
    if (!methodsOf(path).includes("GET")) {
      return Effect.die(new Answered(failed(path, "This resource has no ETag: leave If-Match out.")))
    }
    return Effect.flatMap(current(caller, request), (state) => {
      // The write itself reports a missing object.
      if (state.status === 404) return Effect.void
      if (state.status !== 200) return Effect.die(new Answered(state))
      return isCurrent(wanted, state.headers["etag"] ?? "")
        ? Effect.void
        : Effect.die(
            new Answered(
              failed(path, "The object has changed since: read it again, and send If-Match with its new ETag.")
            )
          )
    })
  }

  const guardedBy = <E, R>(httpEffect: Effect.Effect<Response, E, R>, check: Effect.Effect<void>) => {
    let isChecked = false
    // Only the first write is checked: after it, the handler itself has changed the object.
    const once = Effect.suspend(() => {
      if (isChecked) return Effect.void
      isChecked = true
      return check
    })
    const work = Effect.tap(Effect.provideService(httpEffect, Precondition, once), ({ status }) =>
      isChecked || status >= 300 ? Effect.void : Effect.logError(unguarded)
    )
    return Effect.andThen(check, work).pipe(
      Effect.catchCause((cause) => {
        const died = cause.reasons.filter(Cause.isDieReason).map(({ defect }) => defect)
        const answer = died.find((defect) => defect instanceof Answered)
        return answer === undefined ? Effect.failCause(cause) : Effect.succeed(answer.response)
      })
    )
  }

  return Conditional.of((httpEffect, { endpoint }) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (endpoint.method === "GET") return tagged(yield* httpEffect, endpoint, request)
      const wanted = request.headers["if-match"]
      return wanted === undefined || endpoint.method === "POST"
        ? yield* httpEffect
        : yield* guardedBy(httpEffect, checking(yield* Caller, request, wanted))
    })
  )
})

export const layer = Layer.effect(Conditional, make)
