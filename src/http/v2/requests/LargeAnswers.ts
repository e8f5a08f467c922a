/**
 * A few large answers at a time for each key: they lie in memory until their reader has taken them, and who asks for many and reads none would fill it.
 * What counts is what was made and has not gone; a small answer is always given.
 */
import { Effect, Layer, Metric } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { TooMany } from "../../../domain/Errors.ts"
import { Counts } from "../../../domain/values/Counts.ts"
import { AnswerEnd } from "../../AnswerEnd.ts"
import { Caller, FewLargeAnswers } from "./Middleware.ts"

export interface LargeAnswersOptions {
  /** An answer of more bytes is large. */
  readonly largeAnswerBytes: number
  readonly largeAnswersPerKey: number
}

/** What the service runs with unless its settings say otherwise. */
export const defaultLargeAnswers: LargeAnswersOptions = { largeAnswerBytes: 64 * 1024, largeAnswersPerKey: 8 }

/** Large answers are mostly taken within a second. */
const retryAfterSeconds = 1

/** A request for more items than this gets a large answer in most cases, and is refused before the answer is made. */
const manyItems = 100

export const refusedLargeAnswers = Metric.counter("http_large_answers_refused_total", {
  description: "Answers of REST v2 that were not given because their key has too many large ones that it has not read",
  incremental: true
})

const asksForMany = (url: string): boolean => Number(/[?&]limit=(\d{1,9})(?:&|$)/.exec(url)?.[1] ?? 0) > manyItems

const isLarge = ({ body }: HttpServerResponse.HttpServerResponse, largest: number): boolean => {
  if (body._tag === "Uint8Array") return body.contentLength > largest
  // How long a stream gets is not known; those of events are counted by themselves.
  return body._tag === "Stream" && !body.contentType.startsWith("text/event-stream")
}

export const layer = ({ largeAnswerBytes, largeAnswersPerKey }: LargeAnswersOptions) =>
  Layer.effect(
    FewLargeAnswers,
    Effect.map(AnswerEnd, (onEnd) => {
      /** Large answers of each key that have not gone. */
      const inHand = new Counts()
      const tooMany = new TooMany({
        code: "too_many_large_answers",
        message:
          `${largeAnswersPerKey} answers of more than ${Math.round(largeAnswerBytes / 1024)} KiB have been made for this key that it has not read ` +
          "yet. Read them first, or ask for fewer items.",
        retryAfterSeconds
      })
      const refuse = Effect.andThen(Metric.update(refusedLargeAnswers, 1), tooMany)

      return FewLargeAnswers.of((httpEffect, { endpoint }) =>
        Effect.gen(function* () {
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
          // Its place is taken before it is made: of many that come together only so many are made at all.
          if (isFull()) return yield* refuse
          inHand.add(keyId, 1)
          const giveBack = Effect.sync(() => inHand.add(keyId, -1))
          const response = yield* Effect.onError(httpEffect, () => giveBack)
          if (isLarge(response, largeAnswerBytes)) onEnd(request.source, () => inHand.add(keyId, -1))
          else yield* giveBack
          return response
        })
      )
    })
  )
