/** An organisation's identity provider, as it is asked over the network (OpenID Connect, the authorisation code flow with PKCE). */
import { Context, Data, type Effect } from "effect"
import type { Claims } from "./SingleSignOn.ts"

/** The provider could not be asked, or what came back was not accepted. `message` may be shown. */
export class ProviderFailed extends Data.TaggedError("ProviderFailed")<{
  /** `unreachable`: no answer that could be read. `refused`: it refused the person or us. `invalid`: its answer did not pass a check. */
  readonly kind: "unreachable" | "refused" | "invalid"
  readonly message: string
}> {}

/** What we are to the provider. */
export interface ProviderClient {
  readonly issuer: string
  readonly clientId: string
  /** As it is. */
  readonly clientSecret: string | undefined
  readonly scopes: ReadonlyArray<string>
  readonly groupsClaim: string
}

/** What one sign-in is tied together by, all of it random. */
export interface ProviderFlow {
  readonly state: string
  readonly nonce: string
  /** Of PKCE. */
  readonly verifier: string
}

/** What a provider says of itself. */
export interface ProviderFindings {
  readonly authorizationEndpoint: string | undefined
  readonly tokenEndpoint: string | undefined
  /** What is wrong, in words; nothing where people can sign in by it, as far as this shows. */
  readonly problems: ReadonlyArray<string>
}

export class IdentityProvider extends Context.Service<
  IdentityProvider,
  {
    /** Why a URL must not be called, as far as its text shows; undefined if it may. */
    readonly refusal: (url: string) => string | undefined
    /** Reads what the provider publishes, and never fails. */
    readonly test: (issuer: string) => Effect.Effect<ProviderFindings>
    /** Where the browser goes. */
    readonly authorizationUrl: (
      client: ProviderClient,
      flow: ProviderFlow,
      redirectUri: string
    ) => Effect.Effect<string, ProviderFailed>
    /** Who came back; `query` is what the provider sent along. */
    readonly claims: (
      client: ProviderClient,
      flow: ProviderFlow,
      returned: { readonly redirectUri: string; readonly query: string }
    ) => Effect.Effect<Claims, ProviderFailed>
  }
>()("voltlane/IdentityProvider") {}
