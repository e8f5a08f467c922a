/** The endpoints of passkeys over the domain's port. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Conflict } from "../../../domain/Errors.ts"
import type { Account } from "../../../domain/operator/Accounts.ts"
import { challengeMillis, type Passkey as DomainPasskey, Passkeys } from "../../../domain/operator/Passkeys.ts"
import { needsSingleSignOn } from "../../../domain/operator/SignIn.ts"
import { Api } from "../Api.ts"
import { audit } from "../requests/Caller.ts"
import { Unauthorized } from "../requests/Failures.ts"
import { listed, pageRequest, PublicUrl } from "../requests/Paging.ts"
import { passkeyProofs } from "./PasskeyProofs.ts"
import type { Passkey, PasskeyOptions } from "./PasskeysApi.ts"
import { SigningIn } from "./SigningIn.ts"
import { attested } from "./WebAuthn.ts"
import { pageOfAll } from "./WholeList.ts"

const notMade = new Conflict({
  code: "passkey_void",
  message: "The device's answer does not match the challenge, or came too late: start again."
})

/** EdDSA, ES256 and RS256 (RFC 8152), in order of preference. */
const algorithms = [-8, -7, -257]

const shown = ({ createdAt, id, name, usedAt }: DomainPasskey): typeof Passkey.Type => ({
  id,
  name,
  createdAt,
  usedAt: usedAt ?? null
})

const base64Url = (text: string): string => Buffer.from(text).toString("base64url")

/** The options with which a device creates a passkey for this account. */
const optionsFor = (
  { email, name, operatorId }: Account,
  challenge: string,
  id: string,
  known: ReadonlyArray<DomainPasskey>
): typeof PasskeyOptions.Type => ({
  challenge,
  rp: { id, name: "Voltlane" },
  user: { id: base64Url(operatorId), name: email, displayName: name === "" ? email : name },
  pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key", alg })),
  timeout: challengeMillis,
  attestation: "none",
  authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
  excludeCredentials: known.map((one) => ({ type: "public-key", id: one.id }))
})

export const layer = HttpApiBuilder.group(
  Api,
  "passkeys",
  Effect.fn(function* (handlers) {
    const passkeys = yield* Passkeys
    const { challenged, claimed, ownerOf, party, useUp } = yield* passkeyProofs
    const signing = yield* SigningIn
    const publicUrl = yield* PublicUrl

    return handlers.handleAll({
      list: Effect.fn("v2.passkeys.list")(function* ({ query, request }) {
        const { account } = yield* signing.ownAccount
        const page = yield* pageOfAll(yield* passkeys.list(account.operatorId), pageRequest(query))
        return yield* listed(publicUrl, request.url, page, shown)
      }),
      begin: Effect.fn("v2.passkeys.begin")(function* ({ payload }) {
        const { account, signInId } = yield* signing.ownAccount
        yield* signing.provePassword(account, signInId, payload.password)
        const known = yield* passkeys.list(account.operatorId)
        return optionsFor(account, yield* challenged(account.operatorId), party.id, known)
      }),
      create: Effect.fn("v2.passkeys.create")(function* ({ params, payload }) {
        const { account, caller } = yield* signing.ownAccount
        const { name, response } = payload
        const challenge = yield* claimed(response.clientDataJSON, account.operatorId)
        if (challenge === undefined) return yield* notMade
        const made = yield* attested(params.passkeyId, response, challenge.text, party)
        if (made === undefined || !(yield* useUp(challenge))) return yield* notMade
        const { isFirst, passkey } = yield* passkeys.add({ ...made, name }, yield* audit)
        // The person has just unlocked the device, which proves the first factor. A further one proves nothing about the first.
        const proved = isFirst ? ({ strength: "SecondFactor" } as const) : {}
        yield* Effect.catchTag(signing.renew(caller, proved), "NotFound", () =>
          Effect.fail(new Unauthorized({ detail: "This sign-in has ended. Sign in again." }))
        )
        return shown(passkey)
      }),
      rename: Effect.fn("v2.passkeys.rename")(function* ({ params, payload }) {
        yield* signing.ownAccount
        return shown(yield* passkeys.rename(params.passkeyId, payload.name, yield* audit))
      }),
      remove: Effect.fn("v2.passkeys.remove")(function* ({ params }) {
        yield* signing.ownAccount
        yield* passkeys.remove(params.passkeyId, yield* audit)
      }),
      challenge: Effect.fn("v2.passkeys.challenge")(function* () {
        return {
          challenge: yield* challenged(undefined),
          rpId: party.id,
          timeout: challengeMillis,
          userVerification: "required" as const
        }
      }),
      signIn: Effect.fn("v2.passkeys.signIn")(function* ({ payload: { credential } }) {
        const { operatorId, organisations } = yield* ownerOf(credential)
        const organisation = organisations.find((one) => !needsSingleSignOn(one)) ?? organisations[0]
        const who = { operatorId, organisationId: organisation?.id ?? operatorId }
        return yield* signing.begin(who, undefined, "SecondFactor")
      })
    })
  })
)
