/** Passkey challenges and the check of their answers: for signing in, and when a second factor must be shown again. */
import { Clock, Effect } from "effect"
import { Accounts } from "../../../domain/operator/Accounts.ts"
import { type Challenge, newChallenge, Passkeys, readChallenge } from "../../../domain/operator/Passkeys.ts"
import { Secrets } from "../../../domain/values/Secrets.ts"
import { Unauthorized } from "../requests/Failures.ts"
import { PublicUrl } from "../requests/Paging.ts"
import { RateLimits } from "../requests/RateLimits.ts"
import { asserted, type Assertion, challengeOf, relyingPartyOf } from "./WebAuthn.ts"

/** One error for every cause: an unknown passkey, a used challenge, another site's answer. */
export const passkeyRefused = new Unauthorized({
  code: "passkey_refused",
  detail: "This passkey cannot be used to sign in here. Sign in another way."
})

/** Issues challenges and checks the answers to them. */
export const passkeyProofs = Effect.gen(function* () {
  const accounts = yield* Accounts
  const passkeys = yield* Passkeys
  const secrets = yield* Secrets
  const limits = yield* RateLimits
  const party = relyingPartyOf(yield* PublicUrl)

  const challenged = (operatorId: string | undefined) =>
    Effect.map(Clock.currentTimeMillis, (now) => newChallenge(secrets, operatorId, now))

  /** The challenge that a device claims to have answered, if it is one for this person (undefined at a sign-in) and has not expired. */
  const claimed = (clientDataJSON: string, operatorId: string | undefined) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const text = challengeOf(clientDataJSON)
      return text === undefined ? undefined : readChallenge(secrets, text, operatorId, now)
    })

  /** Uses up the challenge of a valid answer. False if it was used before. */
  const useUp = (challenge: Challenge) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => passkeys.answered(challenge, now))

  /** The account whose passkey signed a sign-in challenge, which is for no particular account. */
  const ownerOf = (credential: typeof Assertion.Type) =>
    Effect.gen(function* () {
      const challenge = yield* claimed(credential.response.clientDataJSON, undefined)
      const passkey = challenge === undefined ? undefined : yield* passkeys.find(credential.id)
      if (challenge === undefined || passkey === undefined) return yield* passkeyRefused
      const counter = yield* asserted(credential, challenge.text, party, passkey)
      // Only after the signature: without a passkey, no one makes the service store anything.
      if (counter === undefined || !(yield* useUp(challenge))) return yield* passkeyRefused
      if (!(yield* passkeys.used(passkey.id, counter, yield* Clock.currentTimeMillis))) return yield* passkeyRefused
      return (yield* accounts.byId(passkey.operatorId)) ?? (yield* passkeyRefused)
    }).pipe(Effect.tapErrorTag("Unauthorized", () => limits.wrongKey))

  return { challenged, claimed, ownerOf, party, useUp }
})
