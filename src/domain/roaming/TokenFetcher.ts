/** Fetches partners' tokens over their own interfaces. `RoamingTokens` knows which fetch is due. */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "../Errors.ts"

export class TokenFetcher extends Context.Service<
  TokenFetcher,
  {
    /** Makes the fetch that has been due the longest and stores its outcome; false if none was due. */
    readonly fetchDue: Effect.Effect<boolean, StorageUnavailable>
  }
>()("voltlane/TokenFetcher") {}
