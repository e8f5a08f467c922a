/** The endpoints of single sign-on: an organisation's settings, and a browser's round trip to its identity provider. */
import { Clock, Effect, Metric, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Conflict, InvalidInput, NotFound, TooMany } from "../../../domain/Errors.ts"
import { Accounts, type RoleRef } from "../../../domain/operator/Accounts.ts"
import {
  IdentityProvider,
  type ProviderClient,
  type ProviderFailed,
  type ProviderFlow
} from "../../../domain/operator/IdentityProvider.ts"
import { DomainRecords } from "../../../domain/operator/DomainRecords.ts"
import { challengeName, challengeValue } from "../../../domain/operator/SignOnDomain.ts"
import { isBuiltInRole } from "../../../domain/operator/Role.ts"
import { isOver, newSecret, secretHash, signInPurposes } from "../../../domain/operator/SignIn.ts"
import { isNoted, SignInDelays } from "../../../domain/operator/SignInDelays.ts"
import {
  type Claims,
  domainOf,
  signOnRefusals,
  type SingleSignOn as StoredSingleSignOn
} from "../../../domain/operator/SingleSignOn.ts"
import { type SignOnChoice, SingleSignOns } from "../../../domain/operator/SingleSignOns.ts"
import { toHex } from "../../../domain/values/KeyFormat.ts"
import { Secrets } from "../../../domain/values/Secrets.ts"
import { Api } from "../Api.ts"
import { waitingForOthers } from "../requests/FairShare.ts"
import { audit, organisationId } from "../requests/Caller.ts"
import { clearFlow, cookieOf, flowOf, setFlow } from "../requests/Cookies.ts"
import { PublicUrl } from "../requests/Paging.ts"
import { RateLimits } from "../requests/RateLimits.ts"
import type { NewSignOn, SingleSignOn, SingleSignOnSettings } from "./SingleSignOnApi.ts"
import { SigningIn } from "./SigningIn.ts"

/** How long a person may take at the identity provider. */
const flowMillis = 10 * 60_000

const signOns = Metric.counter("single_sign_ons_total", {
  description: "Sign-ins with identity providers, by outcome",
  incremental: true
})
const outcome = (name: string) => Metric.withAttributes(signOns, { outcome: name })
const admitted = outcome("admitted")
const refused = outcome("refused")
const failed = outcome("failed")

export const signOnMetrics = [admitted, refused, failed]

/** What the browser keeps in a sealed cookie while it is at the provider. */
const Flow = Schema.fromJsonString(
  Schema.Struct({
    organisationId: Schema.String,
    issuer: Schema.String,
    state: Schema.String,
    nonce: Schema.String,
    verifier: Schema.String,
    expiresAt: Schema.Finite
  })
)
type Flow = typeof Flow.Type

const openFlow = Schema.decodeUnknownOption(Flow)

const notOffered = new Conflict({
  code: "single_sign_on_unknown",
  message:
    "No organisation with single sign-on was found. Name the organisation by its country code and party id, such as SE-VLT, or sign in by password."
})

/** One error for every cause: no cookie, another state, or too late. */
const flowLost = new Conflict({
  code: "sign_on_lost",
  message:
    "This answer from the identity provider does not belong to a sign-in of this browser, or came too late: start again."
})

const failures = {
  unreachable: "provider_unreachable",
  refused: "provider_refused",
  invalid: "provider_answer_invalid"
} as const

const shownMessages = {
  unreachable: "The organisation's identity provider could not be reached: try again, or sign in by password.",
  invalid: "The identity provider's answer failed a check and was not accepted."
} as const

const refOf = (id: string): RoleRef => (isBuiltInRole(id) ? { role: id } : { roleId: id })
const idOf = (ref: RoleRef): string => ref.role ?? ref.roleId

const clientOf = (secrets: Secrets["Service"], settings: StoredSingleSignOn): ProviderClient => ({
  issuer: settings.issuer,
  clientId: settings.clientId,
  clientSecret:
    settings.clientSecret === undefined ? undefined : secrets.open(signInPurposes.clientSecret, settings.clientSecret),
  scopes: settings.scopes,
  groupsClaim: settings.groupsClaim
})

/** Country code and party id, separated by a hyphen, a star or nothing. */
const partyPattern = /^([A-Za-z]{2})[-*]?([A-Za-z0-9]{3})$/

/** The organisation that is asked for. Undefined: the only one that offers single sign-on. False: the text is not a valid party. */
const choiceOf = ({ email, organisation }: typeof NewSignOn.Type): SignOnChoice | undefined | false => {
  if (organisation !== undefined && organisation.trim() !== "") {
    const [, countryCode, partyId] = partyPattern.exec(organisation.trim()) ?? []
    return countryCode === undefined || partyId === undefined
      ? false
      : { countryCode: countryCode.toUpperCase(), partyId: partyId.toUpperCase() }
  }
  return email === undefined ? undefined : { domain: domainOf(email) }
}

const setting = Effect.gen(function* () {
  const provider = yield* IdentityProvider
  const secrets = yield* Secrets
  const publicUrl = yield* PublicUrl

  const shown = (settings: StoredSingleSignOn): typeof SingleSignOn.Type => ({
    issuer: settings.issuer,
    clientId: settings.clientId,
    hasClientSecret: settings.clientSecret !== undefined,
    scopes: settings.scopes,
    groupsClaim: settings.groupsClaim,
    groupRoles: settings.groupRoles.map(({ group, role }) => ({ group, roleId: idOf(role) })),
    defaultRoleId: settings.defaultRole === undefined ? null : idOf(settings.defaultRole),
    domains: settings.domains.map(({ domain }) => domain),
    verifications: settings.domains.map((one) => ({
      domain: one.domain,
      state: one.verifiedAt === undefined ? "Unverified" : "Verified",
      recordName: challengeName(one.domain),
      recordValue: challengeValue(one),
      verifiedAt: one.verifiedAt ?? null,
      verifiedBy: one.verifiedBy ?? null,
      confirmedAt: one.confirmedAt ?? null
    })),
    trustEmail: settings.trustEmail,
    enabled: settings.enabled,
    passwordForOwnersOnly: settings.passwordForOwnersOnly,
    redirectUri: redirectUriOf(publicUrl),
    updatedAt: settings.updatedAt
  })

  const callable = (issuer: string) => {
    const detail = provider.refusal(issuer)
    return detail === undefined ? Effect.void : Effect.fail(new InvalidInput({ pointer: "/issuer", detail }))
  }

  const given = (payload: typeof SingleSignOnSettings.Type) => ({
    issuer: payload.issuer,
    clientId: payload.clientId,
    clientSecret:
      payload.clientSecret === undefined ? undefined : secrets.seal(signInPurposes.clientSecret, payload.clientSecret),
    scopes: payload.scopes ?? ["email", "profile"],
    groupsClaim: payload.groupsClaim ?? "groups",
    groupRoles: (payload.groupRoles ?? []).map(({ group, roleId }) => ({ group, role: refOf(roleId) })),
    defaultRole:
      payload.defaultRoleId === undefined || payload.defaultRoleId === null ? undefined : refOf(payload.defaultRoleId),
    domains: payload.domains ?? [],
    trustEmail: payload.trustEmail ?? false,
    enabled: payload.enabled,
    passwordForOwnersOnly: payload.passwordForOwnersOnly ?? false
  })

  return { callable, given, shown }
})

/** A page of the console. It posts the provider's answer to the API, so that following a link alone changes nothing. */
const redirectUriOf = (publicUrl: string): string => `${publicUrl}/sign-in/return`

/** Logs the full failure for the service's operator. Strangers get only a general message. */
const shownFailure = (id: string) => (failure: ProviderFailed) =>
  Effect.gen(function* () {
    yield* Metric.update(failed, 1)
    yield* Effect.logWarning("single sign-on failed", { organisationId: id, problem: failure.message })
    const message = failure.kind === "refused" ? failure.message : shownMessages[failure.kind]
    return yield* new Conflict({ code: failures[failure.kind], message })
  })

const beginning = Effect.gen(function* () {
  const provider = yield* IdentityProvider
  const secrets = yield* Secrets
  const singleSignOns = yield* SingleSignOns
  const publicUrl = yield* PublicUrl

  const begin = Effect.fnUntraced(function* (payload: typeof NewSignOn.Type) {
    const choice = choiceOf(payload)
    const [offer, another] = choice === false ? [] : yield* singleSignOns.offers(choice)
    if (offer === undefined || another !== undefined) return yield* notOffered
    const settings = yield* singleSignOns.find(offer.organisationId)
    if (settings?.enabled !== true) return yield* notOffered
    const flow: ProviderFlow = {
      state: newSecret(secrets),
      nonce: newSecret(secrets),
      verifier: newSecret(secrets)
    }
    const url = yield* provider
      .authorizationUrl(clientOf(secrets, settings), flow, redirectUriOf(publicUrl))
      .pipe(Effect.catchTag("ProviderFailed", shownFailure(offer.organisationId)))
    const expiresAt = (yield* Clock.currentTimeMillis) + flowMillis
    const { organisationId: id, organisationName } = offer
    const kept: Flow = { organisationId: id, issuer: settings.issuer, ...flow, expiresAt }
    yield* setFlow(publicUrl, secrets.seal(signInPurposes.flow, JSON.stringify(kept)), flowMillis)
    return { url, organisationName }
  })

  const offer = Effect.gen(function* () {
    const [first, another] = yield* singleSignOns.offers(undefined)
    // If several organisations offer it, strangers do not learn which ones.
    return {
      offered: first !== undefined,
      organisationName: first === undefined || another !== undefined ? null : first.organisationName
    }
  })

  return { begin, offer }
})

/** Decides whether a person who returned from a provider is admitted. */
const admitting = Effect.gen(function* () {
  const accounts = yield* Accounts
  const limits = yield* RateLimits
  const secrets = yield* Secrets
  const signing = yield* SigningIn
  const singleSignOns = yield* SingleSignOns
  const publicUrl = yield* PublicUrl
  const delays = new SignInDelays()

  /** The operator who is signed in by password in this browser. */
  const signedInAs = Effect.gen(function* () {
    const secret = cookieOf(publicUrl, yield* HttpServerRequest.HttpServerRequest)
    const hash = secret === undefined ? undefined : secretHash(secrets, "sign-in", secret)
    const found = hash === undefined ? undefined : yield* accounts.findSignIn(hash)
    const isOn = found !== undefined && !found.singleSignOn && !isOver(found, yield* Clock.currentTimeMillis)
    return isOn ? found.operatorId : undefined
  })

  return Effect.fnUntraced(function* ({ organisationId: id, state }: Flow, claims: Claims) {
    const now = yield* Clock.currentTimeMillis
    const pair = `${id} ${claims.issuer} ${claims.subject}`
    const wait = Math.ceil(delays.wait(pair, now) / 1000)
    if (wait > 0) {
      const message = `This identity was refused too often: try again in ${wait} s.`
      return yield* new TooMany({ code: "sign_in_delayed", message, retryAfterSeconds: wait })
    }
    const tries = delays.count(pair, now)
    const stateHash = toHex(secrets.verifier(signInPurposes.state, state))
    const signOn = {
      organisationId: id,
      claims,
      stateHash,
      signedInAs: yield* signedInAs,
      network: yield* limits.network
    }
    const done = yield* singleSignOns
      .admit(signOn, tries === 1 || isNoted(tries), now)
      .pipe(Effect.catchTag("NotFound", () => Effect.fail(notOffered)))
    if (done._tag === "Refused") {
      yield* Metric.update(refused, 1)
      return yield* new Conflict({ code: done.why, message: signOnRefusals[done.why] })
    }
    delays.forget(pair)
    yield* Metric.update(admitted, 1)
    return yield* signing.begin(done, undefined, claims.isSecondFactor ? "SecondFactor" : "Password", true)
  })
})

const completing = Effect.gen(function* () {
  const limits = yield* RateLimits
  const provider = yield* IdentityProvider
  const secrets = yield* Secrets
  const singleSignOns = yield* SingleSignOns
  const publicUrl = yield* PublicUrl
  const admit = yield* admitting

  /** The sign-in that this browser began, if the provider's answer belongs to it. */
  const ownFlow = Effect.fnUntraced(function* (query: string) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const sealed = flowOf(publicUrl, request)
    const found = openFlow(sealed === undefined ? undefined : secrets.open(signInPurposes.flow, sealed))
    const now = yield* Clock.currentTimeMillis
    const isOwn =
      found._tag === "Some" &&
      found.value.expiresAt > now &&
      new URLSearchParams(query).get("state") === found.value.state
    if (isOwn) return found.value
    yield* limits.wrongKey
    return yield* flowLost
  })

  return Effect.fnUntraced(function* (query: string) {
    const flow = yield* ownFlow(query)
    // The cookie is cleared in any case: one beginning gets only one answer.
    yield* clearFlow(publicUrl)
    const settings = yield* singleSignOns.find(flow.organisationId)
    if (settings?.enabled !== true || settings.issuer !== flow.issuer) return yield* notOffered
    const returned = { redirectUri: redirectUriOf(publicUrl), query }
    const claims = yield* provider
      .claims(clientOf(secrets, settings), flow, returned)
      .pipe(Effect.catchTag("ProviderFailed", shownFailure(flow.organisationId)))
    return yield* admit(flow, claims)
  })
})

export const layer = HttpApiBuilder.group(
  Api,
  "single-sign-on",
  Effect.fn(function* (handlers) {
    const provider = yield* IdentityProvider
    const singleSignOns = yield* SingleSignOns
    const records = yield* DomainRecords
    const { callable, given, shown } = yield* setting
    const { begin, offer } = yield* beginning
    const complete = yield* completing
    return handlers.handleAll({
      get: Effect.fn("v2.single-sign-on.get")(function* () {
        const id = yield* organisationId
        const settings = yield* singleSignOns.find(id)
        return settings === undefined ? yield* new NotFound({ kind: "single sign-on", id }) : shown(settings)
      }),
      set: Effect.fn("v2.single-sign-on.set")(function* ({ payload }) {
        yield* callable(payload.issuer)
        return shown(yield* singleSignOns.set(given(payload), yield* audit))
      }),
      remove: Effect.fn("v2.single-sign-on.remove")(function* () {
        yield* singleSignOns.remove(yield* audit)
      }),
      verifyDomain: Effect.fn("v2.single-sign-on.verifyDomain")(function* ({ params, payload }) {
        const id = yield* organisationId
        const domain = params.domain.toLowerCase()
        // Only names that the organisation has stored are looked up.
        const known = (yield* singleSignOns.find(id))?.domains.some((one) => one.domain === domain)
        if (known !== true) return yield* new NotFound({ kind: "domain", id: domain })
        const values =
          payload.by === "Operator"
            ? undefined
            : yield* Effect.mapError(
                records.texts(challengeName(domain)),
                ({ message }) => new Conflict({ code: "domain_lookup_failed", message })
              )
        return shown(yield* singleSignOns.verifyDomain(domain, values, yield* audit))
      }),
      test: Effect.fn("v2.single-sign-on.test")(function* ({ payload }) {
        yield* callable(payload.issuer)
        const {
          authorizationEndpoint = null,
          problems,
          tokenEndpoint = null
        } = yield* waitingForOthers(provider.test(payload.issuer))
        return { ok: problems.length === 0, problems, authorizationEndpoint, tokenEndpoint }
      }),
      offer: Effect.fn("v2.single-sign-on.offer")(() => offer),
      begin: Effect.fn("v2.single-sign-on.begin")(({ payload }) => begin(payload)),
      complete: Effect.fn("v2.single-sign-on.complete")(({ payload }) => complete(payload.query))
    })
  })
)
