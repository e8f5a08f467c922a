/** Posts to a webhook at once, independently of its subscription, so that an operator can test it. */
import { Context, type Effect } from "effect"
import type { WebhookTarget } from "./Webhooks.ts"

/** The outcome of a post. */
export interface Posted {
  /** Undefined if there was no answer. */
  readonly httpStatus: number | undefined
  readonly durationMillis: number
  /** Undefined if the receiver accepted it. */
  readonly problem: string | undefined
}

export class WebhookPoster extends Context.Service<
  WebhookPoster,
  {
    /** Why a URL must not be called, judged by its text alone; undefined if it may be called. */
    readonly refusal: (url: string) => string | undefined
    /** Posts a test event of the type `webhook.ping`. */
    readonly ping: (target: WebhookTarget, pingId: string) => Effect.Effect<Posted>
  }
>()("voltlane/WebhookPoster") {}
