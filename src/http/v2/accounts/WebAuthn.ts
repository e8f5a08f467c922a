/**
 * Verifies a device's answer to a challenge with the library @simplewebauthn/server. The library is loaded at the first answer, since most
 * processes never need it.
 */
import { Effect, Option, Schema } from "effect"
import type { NewPasskey, Passkey } from "../../../domain/operator/Passkeys.ts"

/** The site for which a device signs: its hostname and its origin. */
export interface RelyingParty {
  readonly id: string
  readonly origin: string
}

export const relyingPartyOf = (publicUrl: string): RelyingParty => {
  const { hostname, origin } = new URL(publicUrl)
  return { id: hostname, origin }
}

/** Answers have some kilobytes. With a long certificate chain, which is not requested, they would have tens of them. */
const Base64Url = Schema.String.check(Schema.isPattern(/^[\w-]{1,16384}$/))

export const Attestation = Schema.Struct({
  clientDataJSON: Base64Url,
  attestationObject: Base64Url,
  transports: Schema.optionalKey(
    Schema.Array(Schema.String.check(Schema.isMaxLength(32))).check(Schema.isMaxLength(10))
  )
}).annotate({ identifier: "PasskeyAttestation" })

export const Assertion = Schema.Struct({
  id: Base64Url,
  response: Schema.Struct({
    clientDataJSON: Base64Url,
    authenticatorData: Base64Url,
    signature: Base64Url,
    userHandle: Schema.optionalKey(Schema.NullOr(Base64Url))
  })
}).annotate({ identifier: "PasskeyAssertion" })

const decodeClient = Schema.decodeUnknownOption(
  Schema.StringFromBase64Url.pipe(Schema.decodeTo(Schema.fromJsonString(Schema.Struct({ challenge: Schema.String }))))
)

/** The challenge that a device claims to have answered; undefined if its answer cannot be parsed. */
export const challengeOf = (clientDataJSON: string): string | undefined =>
  Option.getOrUndefined(Option.map(decodeClient(clientDataJSON), ({ challenge }) => challenge))

const library = Effect.promise(() => import("@simplewebauthn/server"))

/** The new passkey, if the answer is valid; undefined otherwise, for any reason. */
export const attested = (
  credentialId: string,
  { attestationObject, clientDataJSON, transports }: typeof Attestation.Type,
  challenge: string,
  { id, origin }: RelyingParty
) =>
  Effect.flatMap(library, ({ verifyRegistrationResponse }) =>
    Effect.tryPromise(() =>
      verifyRegistrationResponse({
        response: {
          id: credentialId,
          rawId: credentialId,
          type: "public-key",
          clientExtensionResults: {},
          response: { clientDataJSON, attestationObject }
        },
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: id,
        requireUserVerification: true
      })
    )
  ).pipe(
    Effect.map((verified): Omit<NewPasskey, "name"> | undefined => {
      if (!verified.verified) return undefined
      const { counter, id: madeId, publicKey } = verified.registrationInfo.credential
      return madeId === credentialId ? { id: madeId, publicKey, counter, transports: transports ?? [] } : undefined
    }),
    Effect.catch(() => Effect.undefined)
  )

/** The device's new signature counter, if this passkey signed the answer; undefined otherwise, also if the counter went back. */
export const asserted = (
  answer: typeof Assertion.Type,
  challenge: string,
  { id, origin }: RelyingParty,
  passkey: Pick<Passkey, "id" | "publicKey" | "counter">
) =>
  Effect.flatMap(library, ({ verifyAuthenticationResponse }) =>
    Effect.tryPromise(() =>
      verifyAuthenticationResponse({
        response: {
          id: answer.id,
          rawId: answer.id,
          type: "public-key",
          clientExtensionResults: {},
          response: {
            clientDataJSON: answer.response.clientDataJSON,
            authenticatorData: answer.response.authenticatorData,
            signature: answer.response.signature
          }
        },
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: id,
        credential: { id: passkey.id, publicKey: Uint8Array.from(passkey.publicKey), counter: passkey.counter },
        requireUserVerification: true
      })
    )
  ).pipe(
    Effect.map(({ authenticationInfo, verified }) => (verified ? authenticationInfo.newCounter : undefined)),
    Effect.catch(() => Effect.undefined)
  )
