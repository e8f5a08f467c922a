/** One post to a webhook by the guarded client: what is sent, and what its answer means. */
import { Clock, Effect } from "effect"
import type { Posted } from "../domain/event/WebhookPoster.ts"
import type { WebhookTarget } from "../domain/event/Webhooks.ts"
import { call, type CallOptions } from "./HttpCall.ts"
import { createHmac } from "node:crypto"
import { retryAfter } from "./RetryAfter.ts"
import { secretPrefix, signedContent } from "../domain/event/Webhook.ts"

/** A signature by the Standard Webhooks convention. A message has one for each valid secret. */
const signed = (secret: string, content: string): string =>
  `v1,${createHmac("sha256", Buffer.from(secret.slice(secretPrefix.length), "base64"))
    .update(content)
    .digest("base64")}`

/** The three headers of a message; `seconds` is the time of this try. */
const signatureHeaders = (
  id: string,
  seconds: number,
  body: string,
  secrets: ReadonlyArray<string>
): Readonly<Record<string, string>> => {
  const content = signedContent(id, seconds, body)
  return {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": secrets.map((secret) => signed(secret, content)).join(" ")
  }
}

/** Maximum size of an answer, in bytes. Only its status and headers are used, not its body (T31). */
const maxAnswerBytes = 64 * 1024

export interface Post extends WebhookTarget {
  readonly id: string
  readonly body: string
}

/** The result of a post. */
export interface PostResult extends Posted {
  /** The time in the answer's Retry-After, in ms. */
  readonly retryAfterMillis: number | undefined
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
