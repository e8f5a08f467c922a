/** Turns a handler's result or failure into the HTTP answer, which always has the envelope. */
import { Cause } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Conflict, InvalidInput, NotFound, StorageUnavailable } from "../../domain/Errors.ts"
import { failure, success } from "../protocol/Envelope.ts"
import type { Reply } from "../modules/Exchange.ts"
import { refusalOf as overBudgetOf } from "../../domain/operator/WriteBudget.ts"
import { type Reason, refusalOf, type Refused } from "../protocol/Status.ts"

export type Response = HttpServerResponse.HttpServerResponse

/** The errors of handlers. */
export type Known = Refused | NotFound | Conflict | InvalidInput | StorageUnavailable

/** The domain's errors as OCPI's refusals. */
export const reasonOf = (error: Known): Reason => {
  switch (error._tag) {
    case "Refused":
      return error.reason
    case "StorageUnavailable":
      return { _tag: "Failed" }
    case "NotFound":
      return { _tag: "NotFound", object: "Other", detail: "There is no such object." }
    case "Conflict":
      return { _tag: "Invalid", detail: error.message }
    case "InvalidInput":
      return { _tag: "Invalid", detail: error.detail }
  }
}

/** Why a handler failed; undefined for a defect. */
export const reasonOfCause = (cause: Cause.Cause<Known>): Reason | undefined => {
  const overBudget = overBudgetOf(cause)
  if (overBudget !== undefined) return { _tag: "TooMany", retryAfterSeconds: overBudget.retryAfterSeconds }
  if (cause.reasons.some(Cause.isDieReason)) return undefined
  const failed = cause.reasons.find(Cause.isFailReason)
  return failed === undefined ? undefined : reasonOf(failed.error)
}

/** What all answers to one request have in common. */
export interface Answering {
  readonly now: number
  readonly ids: { readonly requestId: string; readonly correlationId: string }
  /** The request's `Accept`. */
  readonly accept: string | undefined
  /** The status code of an unknown token in the request's version. */
  readonly unknownToken: 2001 | 2004
  /** Headers with the sending and the receiving party of the answer. */
  readonly routing?: Readonly<Record<string, string>>
  /** The partner wants semantic errors as HTTP 400 (one of its switches). */
  readonly semanticErrorsAs400: boolean
}

/** A client that accepts text but not JSON gets the same bytes as text: product.md's clients depend on that. */
export const contentTypeFor = (accept: string | undefined): string => {
  const taken = (accept ?? "")
    .toLowerCase()
    .split(",")
    .map((one) => one.split(";", 1)[0]?.trim())
  const wantsText = taken.some((one) => one === "text/plain" || one === "text/*")
  const takesJson = taken.some((one) => one === "application/json" || one === "application/*" || one === "*/*")
  return wantsText && !takesJson ? "text/plain; charset=utf-8" : "application/json"
}

const json = (
  { accept, ids, routing }: Answering,
  body: unknown,
  status: number,
  headers: Readonly<Record<string, string>>
): Response => {
  const options = { status, contentType: contentTypeFor(accept) }
  return HttpServerResponse.setHeaders(
    body instanceof Uint8Array
      ? HttpServerResponse.uint8Array(body, options)
      : HttpServerResponse.text(JSON.stringify(body), options),
    {
      "cache-control": "no-store",
      "x-request-id": ids.requestId,
      "x-correlation-id": ids.correlationId,
      ...routing,
      ...headers
    }
  )
}

export const refused = (answering: Answering, reason: Reason): Response => {
  const { headers, http, message, status } = refusalOf(reason, answering.unknownToken)
  const as400 = answering.semanticErrorsAs400 && http === 200
  return json(answering, failure(status, message, answering.now), as400 ? 400 : http, headers ?? {})
}

export const replied = (answering: Answering, { body, created, data, headers }: Reply): Response =>
  json(answering, body ?? success(data, answering.now), created === true ? 201 : 200, headers ?? {})
