/**
 * Passkeys (WebAuthn level 3): a person signs in with a key that their device stores and unlocks with a fingerprint, face or PIN. That proves two
 * factors at once: possession of the device, and what unlocks it. Challenges work once and are stored as hashes.
 */
import { Context, type Effect, Schema } from "effect"
import type { Conflict, NotFound, StorageUnavailable } from "../Errors.ts"
import type { AuditContext } from "../values/AuditContext.ts"
import { toHex } from "../values/KeyFormat.ts"
import type { Secrets } from "../values/Secrets.ts"

/** The most passkeys that one person may have. */
export const passkeysMost = 10

/** A challenge that is not answered within this time is void. */
export const challengeMillis = 5 * 60_000

/** The most unanswered challenges. When there are more, the oldest become void. */
export const challengesMost = 10_000

const challengeBytes = 32

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

/** A challenge in base64url. */
export const newChallenge = (secrets: Pick<Secrets["Service"], "randomBytes">): string =>
  toBase64Url(secrets.randomBytes(challengeBytes))

/** The hash by which a challenge is found; undefined for text that cannot be a challenge of this service. */
export const challengeHash = (secrets: Pick<Secrets["Service"], "verifier">, challenge: string): string | undefined =>
  /^[\w-]{43}$/.test(challenge) ? toHex(secrets.verifier("passkey-challenge", challenge)) : undefined

export class Passkeys extends Context.Service<
  Passkeys,
  {
    /** Stores a challenge: for this person, or with `operatorId` undefined for any person who signs in. */
    readonly challenge: (
      hash: string,
      operatorId: string | undefined,
      now: number
    ) => Effect.Effect<void, StorageUnavailable>
    /** Removes the challenge. Returns true if it was still waiting, for the same `operatorId` (or the same undefined). */
    readonly answered: (
      hash: string,
      operatorId: string | undefined,
      now: number
    ) => Effect.Effect<boolean, StorageUnavailable>
    /** A person's passkeys, oldest first. */
    readonly list: (operatorId: string) => Effect.Effect<ReadonlyArray<Passkey>, StorageUnavailable>
    readonly find: (id: string) => Effect.Effect<Passkey | undefined, StorageUnavailable>
    /** `Conflict` `passkey_exists`, or `too_many_passkeys`. */
    readonly add: (passkey: NewPasskey, audit: AuditContext) => Effect.Effect<Passkey, Conflict | StorageUnavailable>
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
