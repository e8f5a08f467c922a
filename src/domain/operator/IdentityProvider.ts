/** Client of an organisation's identity provider (OpenID Connect, the authorisation code flow with PKCE). */
import { Context, Data, type Effect } from "effect"
import type { Claims } from "./SingleSignOn.ts"

/** The provider could not be reached, or its response was not accepted. `message` may be shown. */
export class ProviderFailed extends Data.TaggedError("ProviderFailed")<{
  /** `unreachable`: no readable response. `refused`: it refused the person or us. `invalid`: its response did not pass a check. */
  readonly kind: "unreachable" | "refused" | "invalid"
  readonly message: string
}> {}

/** Our registration as a client of the provider. */
export interface ProviderClient {
  readonly issuer: string
  readonly clientId: string
  /** In clear text. */
  readonly clientSecret: string | undefined
  readonly scopes: ReadonlyArray<string>
  readonly groupsClaim: string
}

/** Random values that tie the steps of one sign-in together. */
export interface ProviderFlow {
  readonly state: string
  readonly nonce: string
  /** The PKCE code verifier. */
  readonly verifier: string
}

/** What was read from the provider's published configuration. */
export interface ProviderFindings {
  readonly authorizationEndpoint: string | undefined
  readonly tokenEndpoint: string | undefined
  /** Descriptions of what is wrong. Empty if people can sign in with this provider, as far as its configuration shows. */
  readonly problems: ReadonlyArray<string>
}

export class IdentityProvider extends Context.Service<
  IdentityProvider,
  {
    /** Why a URL must not be called, judged by its text only; undefined if it may be called. */
    readonly refusal: (url: string) => string | undefined
    /** Reads the configuration that the provider publishes. Never fails. */
    readonly test: (issuer: string) => Effect.Effect<ProviderFindings>
    /** The URL to which the browser is sent. */
    readonly authorizationUrl: (
      client: ProviderClient,
      flow: ProviderFlow,
      redirectUri: string
    ) => Effect.Effect<string, ProviderFailed>
    /** The person who came back from the provider. `query` is what the provider added to the redirect. */
    readonly claims: (
      client: ProviderClient,
      flow: ProviderFlow,
      returned: { readonly redirectUri: string; readonly query: string }
    ) => Effect.Effect<Claims, ProviderFailed>
  }
>()("voltlane/IdentityProvider") {}
