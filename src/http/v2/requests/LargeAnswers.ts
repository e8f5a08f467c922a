/**
 * Allows only a few large answers at a time per key. An answer stays in memory until its client has read it, so a client that requests many
 * and reads none would fill the memory. Answers that were made and not yet sent are counted; small answers are always sent.
 */
import { Effect, Layer, Metric } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { TooMany } from "../../../domain/Errors.ts"
import { Counts } from "../../../domain/values/Counts.ts"
import { AnswerEnd } from "../../AnswerEnd.ts"
import { Caller, FewLargeAnswers } from "./Middleware.ts"
import { itemTextsOf, ListItems } from "./Paging.ts"

export interface LargeAnswersOptions {
  /** Answers with more bytes are large. */
  readonly largeAnswerBytes: number
  readonly largeAnswersPerKey: number
}

/** The defaults. */
export const defaultLargeAnswers: LargeAnswersOptions = { largeAnswerBytes: 64 * 1024, largeAnswersPerKey: 8 }

/** Most large answers are read within a second. */
const retryAfterSeconds = 1

/** A request for more items than this mostly gets a large answer, so it can be refused before the answer is made. */
const manyItems = 100

export const refusedLargeAnswers = Metric.counter("http_large_answers_refused_total", {
  description:
    "Answers of REST v2 that were withheld because their key has too many large answers that it has not read",
  incremental: true
})

const asksForMany = (url: string): boolean => Number(/[?&]limit=(\d{1,9})(?:&|$)/.exec(url)?.[1] ?? 0) > manyItems

const isLarge = ({ body }: HttpServerResponse.HttpServerResponse, largest: number): boolean => {
  if (body._tag === "Uint8Array") return body.contentLength > largest
  // The size of a stream is unknown, so it counts as large. Event streams have limits of their own.
  return body._tag === "Stream" && !body.contentType.startsWith("text/event-stream")
}

export const layer = ({ largeAnswerBytes, largeAnswersPerKey }: LargeAnswersOptions) =>
  Layer.effect(
    FewLargeAnswers,
    Effect.map(AnswerEnd, (onEnd) => {
      /** Large answers of each key that have not been sent completely. */
      const inHand = new Counts()
      const tooMany = new TooMany({
        code: "too_many_large_answers",
        message:
          `This key has ${largeAnswersPerKey} answers of more than ${Math.round(largeAnswerBytes / 1024)} KiB that it has not read ` +
          "yet. Read them first, or request fewer items.",
        retryAfterSeconds
      })
      const refuse = Effect.andThen(Metric.update(refusedLargeAnswers, 1), tooMany)

      return FewLargeAnswers.of((answered, { endpoint }) => {
        const textsOf = itemTextsOf(endpoint)
        const httpEffect = textsOf === undefined ? answered : Effect.provideService(answered, ListItems, textsOf)
        return Effect.gen(function* () {
          if (endpoint.method !== "GET") return yield* httpEffect
          const { keyId } = yield* Caller
          const request = yield* HttpServerRequest.HttpServerRequest
          const isFull = () => inHand.of(keyId) >= largeAnswersPerKey
          if (!asksForMany(request.url)) {
            const response = yield* httpEffect
            if (!isLarge(response, largeAnswerBytes)) return response
            if (isFull()) return yield* refuse
            inHand.add(keyId, 1)
            onEnd(request.source, () => inHand.add(keyId, -1))
            return response
          }
          // The place is taken before the answer is made, so that of many simultaneous requests only the allowed number makes an answer.
          if (isFull()) return yield* refuse
          inHand.add(keyId, 1)
          const giveBack = Effect.sync(() => inHand.add(keyId, -1))
          const response = yield* Effect.onError(httpEffect, () => giveBack)
          if (isLarge(response, largeAnswerBytes)) onEnd(request.source, () => inHand.add(keyId, -1))
          else yield* giveBack
          return response
        })
      })
    })
  )
