/**
 * The port `IdentityProvider`: OpenID Connect by `openid-client`. Its requests use the guarded client, like all calls
 * to addresses that others gave us. Signatures of ID tokens are verified although TLS would suffice (OpenID Connect
 * Core §3.1.3.7), since a provider may be behind a proxy.
 */
import { Effect, Layer } from "effect"
import * as client from "openid-client"
import {
  IdentityProvider,
  type ProviderClient,
  ProviderFailed,
  type ProviderFindings
} from "../domain/operator/IdentityProvider.ts"
import type { Claims } from "../domain/operator/SingleSignOn.ts"
import { outsideText } from "../domain/values/OutsideText.ts"
import { destinationOf } from "./Destination.ts"
import { call, CallFailed, type CallOptions, type HttpMethod } from "./HttpCall.ts"

/** Discovery documents, key sets and tokens of large providers have about 20 KiB. */
const maxResponseBytes = 512 * 1024

/** How long a provider's published configuration is cached, in ms. Keys that are missing are fetched earlier. */
const keptMillis = 10 * 60_000

/** Number of cached providers; above it the oldest is removed. */
const keptMost = 100

/** Concurrent sign-ins that call one provider, so that a slow one does not delay others, and those of all providers. */
const atOnce = { ofOne: 8, ofAll: 64 }

/** Maximum number of a person's groups that are read, and maximum length of a claim's text. */
const groupsMost = 1000
const textMost = 255

const methods: ReadonlyArray<HttpMethod> = ["GET", "POST"]

const bodyOf = (body: client.CustomFetchOptions["body"]): string | undefined => {
  if (body === null || body === undefined) return undefined
  if (typeof body === "string") return body
  if (body instanceof URLSearchParams) return body.toString()
  throw new TypeError("a body of this kind is not sent")
}

/** `fetch` over the guarded client: no redirects, and all of it within limits. */
const guardedFetch =
  (options: CallOptions): client.CustomFetch =>
  async (url, { body, headers, method }) => {
    const known = methods.find((one) => one === method)
    if (known === undefined) throw new TypeError(`${method} is not sent`)
    const sent = { method: known, url, headers, body: bodyOf(body) }
    // A failure has the error of the call, which the library passes on as the cause.
    const answered = await Effect.runPromise(call(sent, options))
    const empty = answered.status === 204 || answered.status === 304
    // Compressed answers are not requested, so that Content-Length is right.
    return new Response(empty ? null : answered.body, { status: answered.status, headers: answered.headers })
  }

/** The message of the failed call or of the first error that has one. It contains nothing of a token. */
const messageOf = (error: unknown): string => {
  const causes: Array<unknown> = []
  let at: unknown = error
  while (at instanceof Error && causes.length < 5) {
    causes.push(at)
    at = at.cause
  }
  const failed = causes.find((one) => one instanceof CallFailed)
  const first = causes.find((one) => one instanceof Error && one.message !== "")
  const said = failed ?? first
  return outsideText(said instanceof Error ? said.message : "it failed", 300)
}

const failureOf = (error: unknown): ProviderFailed => {
  if (error instanceof client.AuthorizationResponseError) {
    const reason = outsideText(error.error_description ?? error.error, 300)
    return new ProviderFailed({ kind: "refused", message: `The identity provider refused: ${reason}` })
  }
  if (error instanceof client.ResponseBodyError) {
    const reason = outsideText(error.error_description ?? error.error, 300)
    return new ProviderFailed({
      kind: "refused",
      message: `The identity provider refused the request for a token: ${reason}`
    })
  }
  let at: unknown = error
  for (let depth = 0; at instanceof Error && depth < 5; depth++) {
    if (at instanceof CallFailed) {
      return new ProviderFailed({
        kind: "unreachable",
        message: `The identity provider could not be reached: ${at.message}`
      })
    }
    at = at.cause
  }
  return new ProviderFailed({
    kind: "invalid",
    message: `The identity provider's answer was not accepted: ${messageOf(error)}`
  })
}

const attempted = <A>(work: () => Promise<A>): Effect.Effect<A, ProviderFailed> =>
  Effect.tryPromise({ try: work, catch: failureOf })

const discovered = async (of: ProviderClient, options: CallOptions): Promise<client.Configuration> => {
  const configuration = await client.discovery(
    new URL(of.issuer),
    of.clientId,
    undefined,
    of.clientSecret === undefined ? client.None() : client.ClientSecretPost(of.clientSecret),
    {
      [client.customFetch]: guardedFetch(options),
      timeout: Math.ceil(options.timeoutMillis / 1000) + 1,
      ...(options.allowPrivate ? { execute: [client.allowInsecureRequests] } : {})
    }
  )
  const { token_endpoint_auth_methods_supported: supported } = configuration.serverMetadata()
  const isBasicOnly =
    of.clientSecret !== undefined && supported !== undefined && !supported.includes("client_secret_post")
  if (isBasicOnly) return rebuilt(configuration, of, options)
  client.enableNonRepudiationChecks(configuration)
  return configuration
}

/** The configuration for a provider that accepts the client secret only in a header. */
const rebuilt = (found: client.Configuration, of: ProviderClient, options: CallOptions): client.Configuration => {
  const secret = of.clientSecret ?? ""
  const configuration = new client.Configuration(
    found.serverMetadata(),
    of.clientId,
    undefined,
    client.ClientSecretBasic(secret)
  )
  configuration[client.customFetch] = guardedFetch(options)
  configuration.timeout = Math.ceil(options.timeoutMillis / 1000) + 1
  if (options.allowPrivate) client.allowInsecureRequests(configuration)
  client.enableNonRepudiationChecks(configuration)
  return configuration
}

type Said = Readonly<Record<string, unknown>>

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" && value.length <= textMost && !/[\p{Cc}\p{Cs}]/u.test(value)
    ? value
    : undefined

/** The texts of a list, or of a single value. */
const listOf = (value: unknown): ReadonlyArray<string> =>
  (Array.isArray(value) ? value : [value]).slice(0, groupsMost).flatMap((one) => textOf(one) ?? [])

const emailPattern = /^[^\s@]+@[^\s@]+$/

const claimsOf = (issuer: string, subject: string, said: Said, groupsClaim: string): Claims => {
  const email = textOf(said["email"])
  return {
    issuer,
    subject,
    email: email !== undefined && emailPattern.test(email) && email.length <= 254 ? email : undefined,
    // Some providers send "true" as a string.
    isEmailVerified:
      said["email_verified"] === undefined ? undefined : [true, "true"].some((yes) => yes === said["email_verified"]),
    name: textOf(said["name"])?.slice(0, 100),
    groups: listOf(said[groupsClaim]),
    isSecondFactor: listOf(said["amr"]).includes("mfa")
  }
}

const redeemed = async (
  configuration: client.Configuration,
  of: ProviderClient,
  flow: Parameters<IdentityProvider["Service"]["claims"]>[1],
  returned: Parameters<IdentityProvider["Service"]["claims"]>[2]
): Promise<Claims> => {
  const url = new URL(returned.redirectUri)
  url.search = returned.query
  const tokens = await client.authorizationCodeGrant(configuration, url, {
    expectedState: flow.state,
    expectedNonce: flow.nonce,
    pkceCodeVerifier: flow.verifier,
    idTokenExpected: true
  })
  const token = tokens.claims()
  if (token === undefined || textOf(token.sub) === undefined) throw new Error("it has no ID token with a subject")
  const isWhole = token["email"] !== undefined && token[of.groupsClaim] !== undefined
  const { userinfo_endpoint: endpoint } = configuration.serverMetadata()
  if (isWhole || endpoint === undefined) return claimsOf(of.issuer, token.sub, token, of.groupsClaim)
  const more = await client.fetchUserInfo(configuration, tokens.access_token, token.sub)
  // Signed claims take precedence over unsigned ones. The email address and its verification must come from the same
  // source.
  const said = { ...more, ...token }
  const email = token["email"] === undefined ? more : token
  return claimsOf(
    of.issuer,
    token.sub,
    { ...said, email: email["email"], email_verified: email["email_verified"] },
    of.groupsClaim
  )
}

const problemsOf = (found: client.ServerMetadata): ReadonlyArray<string> => {
  const problems: Array<string> = []
  if (found.authorization_endpoint === undefined) problems.push("It has no authorization_endpoint.")
  if (found.token_endpoint === undefined) problems.push("It has no token_endpoint.")
  if (found.jwks_uri === undefined) problems.push("It has no jwks_uri, so signatures cannot be verified.")
  if (found.response_types_supported?.includes("code") === false) {
    problems.push("It does not offer the authorisation code flow (response_types_supported lacks code).")
  }
  if (found.code_challenge_methods_supported?.includes("S256") === false) {
    problems.push("It does not offer PKCE with S256 (code_challenge_methods_supported).")
  }
  return problems
}

const keysProblem = async (found: client.ServerMetadata, fetching: client.CustomFetch): Promise<string | undefined> => {
  if (found.jwks_uri === undefined) return undefined
  try {
    const answered = await fetching(found.jwks_uri, { method: "GET", headers: {}, body: undefined, redirect: "manual" })
    if (answered.status !== 200) return `The request for its keys (${found.jwks_uri}) was answered ${answered.status}.`
    const { keys } = (await answered.json()) as { readonly keys?: unknown }
    return Array.isArray(keys) && keys.length > 0 ? undefined : "Its keys (jwks_uri) are an empty set."
  } catch (error) {
    return `Its keys (${outsideText(found.jwks_uri, 300)}) could not be read: ${messageOf(error)}`
  }
}

const busy = new ProviderFailed({
  kind: "unreachable",
  message: "Too many sign-ins with identity providers are running: try again in a few seconds."
})

/** Limits the concurrent calls of each provider and of all; further ones fail. */
const bounding = () => {
  const running = new Map<string, number>()
  let all = 0
  const ended = (issuer: string): void => {
    all--
    const left = (running.get(issuer) ?? 1) - 1
    if (left === 0) running.delete(issuer)
    else running.set(issuer, left)
  }
  return <A>(issuer: string, work: Effect.Effect<A, ProviderFailed>): Effect.Effect<A, ProviderFailed> =>
    Effect.suspend(() => {
      const those = running.get(issuer) ?? 0
      if (those >= atOnce.ofOne || all >= atOnce.ofAll) return Effect.fail(busy)
      all++
      running.set(issuer, those + 1)
      return Effect.ensuring(
        work,
        Effect.sync(() => ended(issuer))
      )
    })
}

/** Caches the configurations that providers publish. */
const keeping = (options: CallOptions) => {
  const kept = new Map<string, { readonly configuration: client.Configuration; readonly until: number }>()
  return async (of: ProviderClient): Promise<client.Configuration> => {
    const key = JSON.stringify([of.issuer, of.clientId, of.clientSecret])
    const now = Date.now()
    const found = kept.get(key)
    if (found !== undefined && found.until > now) return found.configuration
    const configuration = await discovered(of, options)
    kept.delete(key)
    if (kept.size >= keptMost) kept.delete(kept.keys().next().value ?? "")
    kept.set(key, { configuration, until: now + keptMillis })
    return configuration
  }
}

const findingsOf = (issuer: string, options: CallOptions): Effect.Effect<ProviderFindings, ProviderFailed> =>
  attempted(async () => {
    const of = { issuer, clientId: "test", clientSecret: undefined, scopes: [], groupsClaim: "groups" }
    const found = (await discovered(of, options)).serverMetadata()
    const keys = await keysProblem(found, guardedFetch(options))
    return {
      authorizationEndpoint: textOf(found.authorization_endpoint),
      tokenEndpoint: textOf(found.token_endpoint),
      problems: [...problemsOf(found), ...(keys === undefined ? [] : [keys])]
    }
  })

const refusalOf = (url: string, options: CallOptions): string | undefined => {
  const destination = destinationOf(url, options)
  return destination._tag === "Forbidden" ? destination.why : undefined
}

export const layer = (given: CallOptions): Layer.Layer<IdentityProvider> =>
  Layer.sync(IdentityProvider, () => {
    const options = { ...given, maxResponseBytes: Math.min(maxResponseBytes, given.maxResponseBytes) }
    const bounded = bounding()
    const configured = keeping(options)
    return IdentityProvider.of({
      refusal: (url) => refusalOf(url, options),
      test: (issuer) =>
        Effect.catch(bounded(issuer, findingsOf(issuer, options)), ({ message }) =>
          Effect.succeed({ authorizationEndpoint: undefined, tokenEndpoint: undefined, problems: [message] })
        ),
      authorizationUrl: (of, flow, redirectUri) =>
        bounded(
          of.issuer,
          attempted(async () => {
            const configuration = await configured(of)
            const url = client.buildAuthorizationUrl(configuration, {
              redirect_uri: redirectUri,
              scope: ["openid", ...of.scopes.filter((scope) => scope !== "openid")].join(" "),
              state: flow.state,
              nonce: flow.nonce,
              code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
              code_challenge_method: "S256"
            })
            // The browser is sent there, so the same rules apply as for our own calls (https).
            const why = refusalOf(url.href, options)
            if (why !== undefined) throw new Error(`its authorization_endpoint is not accepted: ${why}`)
            return url.href
          })
        ),
      claims: (of, flow, returned) =>
        bounded(
          of.issuer,
          attempted(async () => redeemed(await configured(of), of, flow, returned))
        )
    })
  })
