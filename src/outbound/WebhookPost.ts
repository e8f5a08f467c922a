/** One post to a webhook by the guarded client: what is sent, and what its answer means. */
import { Clock, Effect } from "effect"
import type { Posted } from "../domain/event/WebhookPoster.ts"
import type { WebhookTarget } from "../domain/event/Webhooks.ts"
import { call, type CallOptions } from "./HttpCall.ts"
import { signatureHeaders } from "./Signature.ts"

/** Most bytes of an answer: a receiver has to accept it, and its words are not read (T31). */
const maxAnswerBytes = 64 * 1024

export interface Post extends WebhookTarget {
  readonly id: string
  readonly body: string
}

/** What came of it. */
export interface PostResult extends Posted {
  /** As the answer's Retry-After has it, in seconds. */
  readonly retryAfterMillis: number | undefined
}

/** Seconds, or a date (RFC 9110 §10.2.3). */
const retryAfter = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined
  const millis = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now
  return Number.isFinite(millis) && millis > 0 ? millis : undefined
}

export const post = ({ body, id, secrets, url }: Post, options: CallOptions): Effect.Effect<PostResult> =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    const headers = {
      "content-type": "application/json",
      "user-agent": "voltlane-webhooks",
      ...signatureHeaders(id, Math.floor(began / 1_000), body, secrets)
    }
    return yield* call({ method: "POST", url, headers, body }, { ...options, maxResponseBytes: maxAnswerBytes }).pipe(
      Effect.matchEffect({
        onSuccess: ({ headers: answered, status }) =>
          Effect.map(Clock.currentTimeMillis, (now): PostResult => ({
            httpStatus: status,
            durationMillis: now - began,
            problem: status >= 200 && status < 300 ? undefined : `answered ${status}`,
            retryAfterMillis: retryAfter(answered["retry-after"], now)
          })),
        onFailure: ({ message }) =>
          Effect.map(Clock.currentTimeMillis, (now): PostResult => ({
            httpStatus: undefined,
            durationMillis: now - began,
            problem: message,
            retryAfterMillis: undefined
          }))
      })
    )
  })
