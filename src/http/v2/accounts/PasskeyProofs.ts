/** Passkey challenges and the check of their answers: for signing in, and when a second factor must be shown again. */
import { Clock, Effect } from "effect"
import { Accounts } from "../../../domain/operator/Accounts.ts"
import { challengeHash, newChallenge, Passkeys } from "../../../domain/operator/Passkeys.ts"
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

  const challenged = Effect.fnUntraced(function* (operatorId: string | undefined) {
    const challenge = newChallenge(secrets)
    const now = yield* Clock.currentTimeMillis
    yield* passkeys.challenge(challengeHash(secrets, challenge) ?? "", operatorId, now)
    return challenge
  })

  /** The challenge that was answered, if it was pending. It is then used up. */
  const answered = Effect.fnUntraced(function* (clientDataJSON: string, operatorId: string | undefined) {
    const challenge = challengeOf(clientDataJSON)
    const hash = challenge === undefined ? undefined : challengeHash(secrets, challenge)
    if (challenge === undefined || hash === undefined) return undefined
    return (yield* passkeys.answered(hash, operatorId, yield* Clock.currentTimeMillis)) ? challenge : undefined
  })

  /** The account whose passkey signed a pending sign-in challenge, which is for no particular account. */
  const ownerOf = (credential: typeof Assertion.Type) =>
    Effect.gen(function* () {
      const challenge = yield* answered(credential.response.clientDataJSON, undefined)
      const passkey = yield* passkeys.find(credential.id)
      if (challenge === undefined || passkey === undefined) return yield* passkeyRefused
      const counter = yield* asserted(credential, challenge, party, passkey)
      if (counter === undefined) return yield* passkeyRefused
      if (!(yield* passkeys.used(passkey.id, counter, yield* Clock.currentTimeMillis))) return yield* passkeyRefused
      return (yield* accounts.byId(passkey.operatorId)) ?? (yield* passkeyRefused)
    }).pipe(Effect.tapErrorTag("Unauthorized", () => limits.wrongKey))

  return { answered, challenged, ownerOf, party }
})
