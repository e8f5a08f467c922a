/** Posts to webhooks at once, beside what is due to them: for an operator who sets one up. */
import { Context, type Effect } from "effect"
import type { WebhookTarget } from "./Webhooks.ts"

/** What came of a post. */
export interface Posted {
  /** Undefined where there was no answer. */
  readonly httpStatus: number | undefined
  readonly durationMillis: number
  /** Undefined where it was taken. */
  readonly problem: string | undefined
}

export class WebhookPoster extends Context.Service<
  WebhookPoster,
  {
    /** What is wrong with a URL, as far as its text shows; undefined for one that may be called. */
    readonly refusal: (url: string) => string | undefined
    /** Posts a test that looks as an event does, of the type `webhook.ping`. */
    readonly ping: (target: WebhookTarget, pingId: string) => Effect.Effect<Posted>
  }
>()("voltlane/WebhookPoster") {}
