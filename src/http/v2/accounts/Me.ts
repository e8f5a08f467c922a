/** The endpoints about the caller's own account: profile, password, organisation and second factor. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Conflict, InvalidInput } from "../../../domain/Errors.ts"
import { Accounts, type Factor } from "../../../domain/operator/Accounts.ts"
import { signInPurposes, type Strength } from "../../../domain/operator/SignIn.ts"
import { newRecoveryCodes, newTotpSecret, recoveryHash, totpUri } from "../../../domain/operator/Totp.ts"
import type { Principal } from "../../../domain/values/AuditContext.ts"
import { Secrets } from "../../../domain/values/Secrets.ts"
import { Api } from "../Api.ts"
import { askFactor, audit } from "../requests/Caller.ts"
import { Unauthorized } from "../requests/Failures.ts"
import { Caller } from "../requests/Middleware.ts"
import type { FactorProof } from "./MeApi.ts"
import { passkeyProofs, passkeyRefused } from "./PasskeyProofs.ts"
import { factorRefused } from "./Proofs.ts"
import { SigningIn } from "./SigningIn.ts"

const alreadyOn = new Conflict({
  code: "second_factor_on",
  message: "The second factor is already on: switch it off first."
})

const isOff = new Conflict({ code: "second_factor_off", message: "This account has no second factor." })

/** Continues the calling sign-in under a new secret. */
const goingOn = Effect.gen(function* () {
  const signing = yield* SigningIn
  const { ownerOf } = yield* passkeyProofs

  /** Continues it in the same organisation. If the caller no longer works there, the sign-in has ended. */
  const goOn = (caller: Principal, change: { readonly strength?: Strength; readonly factor?: Factor }) =>
    Effect.catchTag(signing.renew(caller, change), "NotFound", () =>
      Effect.fail(new Unauthorized({ detail: "This sign-in has ended. Sign in again." }))
    )

  /** Checks a second factor that is shown again: a code, or a passkey's answer. */
  const showFactor = Effect.fnUntraced(function* ({ code, credential }: typeof FactorProof.Type) {
    const { account, caller } = yield* signing.ownAccount
    if ((code === undefined) === (credential === undefined)) {
      return yield* new InvalidInput({ pointer: "/code", detail: "Is required, or credential instead" })
    }
    if (credential !== undefined) {
      if ((yield* ownerOf(credential)).operatorId !== account.operatorId) return yield* passkeyRefused
      return yield* goOn(caller, { strength: "SecondFactor" })
    }
    if (account.totpSecret === undefined) return yield* isOff
    const factor = yield* signing.proveFactor(account, code ?? "")
    return yield* Effect.catchTag(goOn(caller, { strength: "SecondFactor", factor }), "Conflict", () =>
      Effect.fail(factorRefused)
    )
  })

  return { goOn, showFactor }
})

export const layer = HttpApiBuilder.group(
  Api,
  "me",
  Effect.fn(function* (handlers) {
    const accounts = yield* Accounts
    const secrets = yield* Secrets
    const signing = yield* SigningIn

    const newCodes = () => {
      const codes = newRecoveryCodes(secrets)
      return { codes, hashes: codes.flatMap((code) => recoveryHash(secrets, code) ?? []) }
    }

    const { goOn, showFactor } = yield* goingOn

    return handlers.handleAll({
      get: Effect.fn("v2.me.get")(function* () {
        return yield* signing.meOf(yield* Caller)
      }),
      update: Effect.fn("v2.me.update")(function* ({ payload }) {
        const { caller } = yield* signing.ownProfile
        yield* accounts.changeProfile(payload, yield* audit)
        return yield* signing.meOf(caller)
      }),
      changePassword: Effect.fn("v2.me.changePassword")(function* ({ payload }) {
        const { account, caller, signInId } = yield* signing.ownAccount
        yield* signing.provePassword(account, signInId, payload.currentPassword)
        const { email, name } = account
        const passwordHash = yield* signing.newHash("/newPassword", payload.newPassword, email, [name])
        yield* accounts.changePassword(passwordHash, yield* audit)
        return yield* goOn(caller, {})
      }),
      changeOrganisation: Effect.fn("v2.me.changeOrganisation")(function* ({ payload }) {
        const { account, caller } = yield* signing.ownAccount
        yield* signing.passwordMay({ operatorId: account.operatorId, organisationId: payload.organisationId })
        return yield* signing.renew(caller, payload)
      }),
      beginTotp: Effect.fn("v2.me.beginTotp")(function* ({ payload }) {
        const { account, signInId } = yield* signing.ownAccount
        if (account.totpSecret !== undefined) return yield* alreadyOn
        yield* signing.provePassword(account, signInId, payload.password)
        const secret = newTotpSecret(secrets)
        yield* accounts.beginTotp(secrets.seal(signInPurposes.totp, secret), yield* audit)
        return { secret, uri: totpUri(secret, account.email) }
      }),
      changeTotp: Effect.fn("v2.me.changeTotp")(function* ({ payload }) {
        const { account, caller } = yield* signing.ownAccount
        if (!payload.enabled) {
          if (account.totpSecret === undefined) return yield* isOff
          const factor = yield* signing.proveFactor(account, payload.code)
          yield* accounts.removeTotp(factor, yield* audit)
          return { enabled: false, recoveryCodes: null }
        }
        yield* askFactor
        if (account.totpSecret !== undefined) return yield* alreadyOn
        const step = yield* signing.provePending(account, payload.code)
        const { codes, hashes } = newCodes()
        const { isFirst } = yield* accounts.confirmTotp(step, hashes, yield* audit)
        // A further factor proves nothing: the person may have proved the first one long ago.
        if (isFirst) yield* goOn(caller, { strength: "SecondFactor" })
        return { enabled: true, recoveryCodes: codes }
      }),
      proveFactor: Effect.fn("v2.me.proveFactor")(function* ({ payload }) {
        return yield* showFactor(payload)
      }),
      createRecoveryCodes: Effect.fn("v2.me.createRecoveryCodes")(function* ({ payload }) {
        const { account } = yield* signing.ownAccount
        if (account.totpSecret === undefined) return yield* isOff
        const factor = yield* signing.proveFactor(account, payload.code)
        const { codes, hashes } = newCodes()
        yield* accounts.replaceRecoveryCodes(factor, hashes, yield* audit)
        return { codes }
      })
    })
  })
)
