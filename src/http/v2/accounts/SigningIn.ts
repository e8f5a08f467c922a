/** Begins and renews sign-ins, with their cookies, for all endpoints that sign people in. */
import { Clock, Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { Conflict } from "../../../domain/Errors.ts"
import { Accounts, type SignInRenewal } from "../../../domain/operator/Accounts.ts"
import { needsSingleSignOn, newSecret, secretHash, signInOf, type Strength } from "../../../domain/operator/SignIn.ts"
import type { Principal } from "../../../domain/values/AuditContext.ts"
import { Secrets } from "../../../domain/values/Secrets.ts"
import { deviceOf, setDevice, setSignIn } from "../requests/Cookies.ts"
import { Caller } from "../requests/Middleware.ts"
import { PublicUrl } from "../requests/Paging.ts"
import { RateLimits } from "../requests/RateLimits.ts"
import { answering } from "./MeAnswer.ts"
import { factorRefused, type Proved, proofs, refused } from "./Proofs.ts"

const needsSignIn = new Conflict({
  code: "needs_sign_in",
  message: "This concerns a person's own account, and a key has none: sign in."
})

const bound = new Conflict({
  code: "single_sign_on_only",
  message:
    "This sign-in was proved by the organisation's identity provider, which is valid only for this organisation. To change your account, sign in by password."
})

const required = new Conflict({
  code: "single_sign_on_required",
  message:
    "This organisation requires single sign-on; only owners can sign in by password. Sign in with the organisation's identity provider."
})

/** The User-Agent header, without control characters and cut to the length that is stored. */
const agentOf = (request: HttpServerRequest.HttpServerRequest): string =>
  (request.headers["user-agent"] ?? "").replace(/[\p{Cc}\p{Cs}]/gu, "").slice(0, 200)

/** Finds the calling person, for endpoints about people and their accounts. */
const owning = Effect.gen(function* () {
  const accounts = yield* Accounts

  /** The calling person and sign-in. A key is refused. */
  const ownSignIn = Effect.gen(function* () {
    const caller = yield* Caller
    const signInId = signInOf(caller)
    const account =
      signInId === undefined || caller.operatorId === undefined ? undefined : yield* accounts.byId(caller.operatorId)
    if (signInId === undefined || account === undefined) return yield* needsSignIn
    return { account, caller, signInId }
  })

  /**
   * The same, for changes to the account itself. These are refused by single sign-on, since an organisation's provider does not own the
   * account.
   */
  const ownAccount = Effect.flatMap(ownSignIn, (own) =>
    own.caller.bySingleSignOn === true ? Effect.fail(bound) : Effect.succeed(own)
  )

  /** The same, but also allowed by single sign-on if the account belongs to this organisation alone. */
  const ownProfile = Effect.flatMap(ownSignIn, (own) =>
    own.caller.bySingleSignOn === true && own.account.organisations.length > 1
      ? Effect.fail(bound)
      : Effect.succeed(own)
  )

  return { ownAccount, ownProfile, ownSignIn }
})

const making = Effect.gen(function* () {
  const accounts = yield* Accounts
  const secrets = yield* Secrets
  const limits = yield* RateLimits
  const publicUrl = yield* PublicUrl
  const meOf = yield* answering
  const { forget, ...proving } = yield* proofs

  /** Makes the answer for a sign-in with a new secret, and sets the browser's cookies. */
  const goOn = Effect.fnUntraced(function* (secret: string, operatorId: string) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const hash = secretHash(secrets, "sign-in", secret)
    const found = hash === undefined ? undefined : yield* accounts.findSignIn(hash)
    if (found === undefined) return yield* refused
    yield* setSignIn(publicUrl, secret)
    yield* setDevice(publicUrl, secrets, operatorId, deviceOf(publicUrl, secrets, operatorId, request))
    return yield* meOf(found.principal)
  })

  /** Refuses a sign-in by password if the organisation requires single sign-on. */
  const passwordMay = Effect.fnUntraced(function* (who: {
    readonly operatorId: string
    readonly organisationId: string
  }) {
    const account = yield* accounts.byId(who.operatorId)
    const organisation = account?.organisations.find(({ id }) => id === who.organisationId)
    if (organisation !== undefined && needsSingleSignOn(organisation)) return yield* required
  })

  const begin = Effect.fn("SigningIn.begin")(function* (
    who: { readonly operatorId: string; readonly organisationId: string },
    proved: Pick<Proved, "factor" | "pair" | "isKnownDevice" | "failuresBefore"> | undefined,
    strength: Strength = proved?.factor === undefined ? "Password" : "SecondFactor",
    singleSignOn = false
  ) {
    if (!singleSignOn) yield* passwordMay(who)
    const request = yield* HttpServerRequest.HttpServerRequest
    const secret = newSecret(secrets)
    const signIn = {
      hash: secretHash(secrets, "sign-in", secret) ?? "",
      strength,
      singleSignOn,
      network: yield* limits.network,
      agent: agentOf(request)
    }
    const now = yield* Clock.currentTimeMillis
    yield* accounts
      .signIn(who, signIn, proved?.factor, proved?.failuresBefore ?? 0, now)
      .pipe(
        Effect.catchTag("Conflict", (conflict) =>
          Effect.fail(conflict.code === "second_factor_used" ? factorRefused : refused)
        )
      )
    // Only now: a right password without the second factor's code must not reset the count of failures.
    if (proved !== undefined) forget(proved)
    return yield* goOn(secret, who.operatorId)
  })

  /** Continues the calling sign-in under a new secret. */
  const renew = Effect.fn("SigningIn.renew")(function* (caller: Principal, change: Omit<SignInRenewal, "hash">) {
    const secret = newSecret(secrets)
    const now = yield* Clock.currentTimeMillis
    const hash = secretHash(secrets, "sign-in", secret) ?? ""
    yield* accounts.renewSignIn(signInOf(caller) ?? "", { hash, ...change }, { by: caller, now })
    return yield* goOn(secret, caller.operatorId ?? "")
  })

  return { ...proving, ...(yield* owning), begin, meOf, passwordMay, renew }
})

export class SigningIn extends Context.Service<SigningIn, Effect.Success<typeof making>>()(
  "voltlane/http/v2/SigningIn"
) {}

export const layer = Layer.effect(SigningIn, making)
