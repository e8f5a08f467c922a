/**
 * Refuses queries and bodies at endpoints that declare none. They are not decoded, so mistakes would go unnoticed: a reason in the body of
 * `POST …/release`, or a filter that a list does not have.
 */
import { Effect, Layer, Option, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { noBodyMaxBytes, readBody } from "../../BodyLimit.ts"
import { type FieldIssue, issuesMax, pointerOf } from "../../Issues.ts"
import { pathOf } from "../../RawUrl.ts"
import { Undeclared } from "./Middleware.ts"
import { faceProblem, type Problem, toResponse, validationProblem } from "./Problem.ts"
import { notKnown } from "./Unknown.ts"

type Request = HttpServerRequest.HttpServerRequest

const unknown = (names: Iterable<string>): ReadonlyArray<FieldIssue> =>
  [...new Set(names)].slice(0, issuesMax).map((name) => ({ pointer: pointerOf([name]), detail: notKnown(name, []) }))

const mustBeEmpty: FieldIssue = { pointer: "", detail: "Must be empty: this operation takes no body" }

const inQuery = (url: string): ReadonlyArray<FieldIssue> =>
  unknown(new URL(url, "http://localhost").searchParams.keys())

const readJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** The problems of a body. An empty one, null and `{}` are accepted, since many clients cannot send none. */
const inBody = (text: string): ReadonlyArray<FieldIssue> => {
  if (text.trim() === "") return []
  return Option.match(readJson(text), {
    onNone: () => [mustBeEmpty],
    onSome: (given) => {
      if (given === null) return []
      return typeof given === "object" && !Array.isArray(given) ? unknown(Object.keys(given)) : [mustBeEmpty]
    }
  })
}

/** A GET's body has no meaning (RFC 9110 §9.3.1), and clients cannot send one. */
const mayHaveBody = ({ method }: Request): boolean => method !== "GET" && method !== "HEAD"

const problemOfBody = (request: Request): Effect.Effect<Problem | ReadonlyArray<FieldIssue>> =>
  Effect.match(readBody(request, noBodyMaxBytes), {
    onSuccess: inBody,
    onFailure: (problem) =>
      typeof problem === "object"
        ? [problem]
        : problem === "unreadable"
          ? faceProblem("unreadable_body", "The body could not be read.")
          : faceProblem("payload_too_large", "This operation takes no body.")
  })

export const layer = Layer.succeed(Undeclared, (httpEffect, { endpoint }) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const ofQuery = endpoint.query === undefined ? inQuery(request.url) : []
    const isRead = endpoint.payload.size > 0
    const ofBody = isRead || !mayHaveBody(request) ? [] : yield* problemOfBody(request)
    if ("status" in ofBody) return toResponse(ofBody, pathOf(request.url))
    const issues = [...ofQuery, ...ofBody]
    return issues.length === 0 ? yield* httpEffect : toResponse(validationProblem(issues), pathOf(request.url))
  })
)
