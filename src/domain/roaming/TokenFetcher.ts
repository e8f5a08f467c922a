/** Fetching partners' tokens over their own interfaces, see `RoamingTokens` for what is due. */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "../Errors.ts"

export class TokenFetcher extends Context.Service<
  TokenFetcher,
  {
    /** Fetches the tokens that are due for longest, and notes how it ended; false where none were due. */
    readonly fetchDue: Effect.Effect<boolean, StorageUnavailable>
  }
>()("voltlane/TokenFetcher") {}
