/** Posts to a webhook at once, apart from its subscription, so that an operator can test it. */
import { Context, type Effect } from "effect"
import type { WebhookTarget } from "./Webhooks.ts"

/** What came of a post. */
export interface Posted {
  /** Undefined where there was no answer. */
  readonly httpStatus: number | undefined
  readonly durationMillis: number
  /** Undefined if the receiver accepted it. */
  readonly problem: string | undefined
}

export class WebhookPoster extends Context.Service<
  WebhookPoster,
  {
    /** Why a URL must not be called, as far as its text shows; undefined if it may. */
    readonly refusal: (url: string) => string | undefined
    /** Posts a test event of the type `webhook.ping`. */
    readonly ping: (target: WebhookTarget, pingId: string) => Effect.Effect<Posted>
  }
>()("voltlane/WebhookPoster") {}
