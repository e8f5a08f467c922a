/**
 * Passkeys (WebAuthn level 3): a person signs in with a key that their device stores and unlocks with a fingerprint, face or PIN. That proves two
 * factors at once: possession of the device, and what unlocks it. A challenge carries its own proof, so that only answered ones are stored: however
 * many are requested, none becomes void.
 */
import { Context, type Effect, Option, Schema } from "effect"
import type { Conflict, FactorStale, NotFound, StorageUnavailable } from "../Errors.ts"
import type { AuditContext } from "../values/AuditContext.ts"
import { toHex } from "../values/KeyFormat.ts"
import type { Secrets } from "../values/Secrets.ts"

/** The most passkeys that one person may have. */
export const passkeysMost = 10

/** A challenge that is not answered within this time is void. */
export const challengeMillis = 5 * 60_000

export interface Passkey {
  /** The credential's id in base64url, as chosen by the device. */
  readonly id: string
  readonly operatorId: string
  readonly name: string
  /** In COSE_Key format. */
  readonly publicKey: Uint8Array
  /** Signatures so far, as the device counts them; 0 for devices that do not count. */
  readonly counter: number
  readonly transports: ReadonlyArray<string>
  readonly createdAt: number
  readonly usedAt: number | undefined
}

export type NewPasskey = Pick<Passkey, "id" | "name" | "publicKey" | "counter" | "transports">

const toBase64Url = Schema.encodeSync(Schema.Uint8ArrayFromBase64Url)
const fromBase64Url = Schema.decodeUnknownOption(Schema.Uint8ArrayFromBase64Url)

/** A challenge consists of random bytes, the time at which it expires, and a keyed hash of both. */
const randomLength = 16
const headLength = randomLength + 8
const challengePattern = /^[\w-]{75}$/

const purpose = "passkey-challenge"

/** The hash also covers the person: a challenge for one cannot be answered for another, nor at a sign-in. */
const covered = (head: Uint8Array, operatorId: string | undefined): string => `${operatorId ?? ""} ${toHex(head)}`

/** A challenge in base64url: for this person, or with `operatorId` undefined for any person who signs in. */
export const newChallenge = (
  secrets: Pick<Secrets["Service"], "randomBytes" | "verifier">,
  operatorId: string | undefined,
  now: number
): string => {
  const head = new Uint8Array(headLength)
  head.set(secrets.randomBytes(randomLength))
  new DataView(head.buffer).setFloat64(randomLength, now + challengeMillis)
  return toBase64Url(Uint8Array.from([...head, ...secrets.verifier(purpose, covered(head, operatorId))]))
}

/** A challenge of this service that has not expired. */
export interface Challenge {
  readonly text: string
  /** By which its use is stored. */
  readonly hash: string
  readonly expiresAt: number
}

/** The challenge; undefined for any text that is not a valid challenge for this `operatorId` (or the same undefined). */
export const readChallenge = (
  secrets: Pick<Secrets["Service"], "verifier" | "verify">,
  text: string,
  operatorId: string | undefined,
  now: number
): Challenge | undefined => {
  const bytes = challengePattern.test(text) ? Option.getOrUndefined(fromBase64Url(text)) : undefined
  if (bytes === undefined) return undefined
  const head = bytes.slice(0, headLength)
  if (!secrets.verify(purpose, covered(head, operatorId), bytes.slice(headLength))) return undefined
  const expiresAt = new DataView(head.buffer).getFloat64(randomLength)
  return expiresAt > now ? { text, hash: toHex(secrets.verifier(purpose, text)), expiresAt } : undefined
}

export class Passkeys extends Context.Service<
  Passkeys,
  {
    /** Stores the use of a challenge whose answer was valid. False if it was used before. */
    readonly answered: (
      challenge: Pick<Challenge, "hash" | "expiresAt">,
      now: number
    ) => Effect.Effect<boolean, StorageUnavailable>
    /** A person's passkeys, oldest first. */
    readonly list: (operatorId: string) => Effect.Effect<ReadonlyArray<Passkey>, StorageUnavailable>
    readonly find: (id: string) => Effect.Effect<Passkey | undefined, StorageUnavailable>
    /**
     * `Conflict` `passkey_exists`, or `too_many_passkeys`; `FactorStale` for a person with a second factor that this sign-in did not prove
     * recently, also if the person set it up at the same moment. `isFirst`: it is the person's first second factor.
     */
    readonly add: (
      passkey: NewPasskey,
      audit: AuditContext
    ) => Effect.Effect<
      { readonly passkey: Passkey; readonly isFirst: boolean },
      Conflict | FactorStale | StorageUnavailable
    >
    readonly rename: (
      id: string,
      name: string,
      audit: AuditContext
    ) => Effect.Effect<Passkey, NotFound | StorageUnavailable>
    readonly remove: (id: string, audit: AuditContext) => Effect.Effect<void, NotFound | StorageUnavailable>
    /** Records a use. False if the counter did not increase, which indicates a copied device. */
    readonly used: (id: string, counter: number, now: number) => Effect.Effect<boolean, StorageUnavailable>
  }
>()("voltlane/Passkeys") {}
