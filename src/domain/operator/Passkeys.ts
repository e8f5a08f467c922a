/**
 * Passkeys (WebAuthn level 3): a person signs in by a key that their device keeps and unlocks by a fingerprint, face or PIN. That is two factors at once: the
 * device, and what unlocks it. Challenges work once and are stored as hashes.
 */
import { Context, type Effect, Schema } from "effect"
import type { Conflict, NotFound, StorageUnavailable } from "../Errors.ts"
import type { AuditContext } from "../values/AuditContext.ts"
import { toHex } from "../values/KeyFormat.ts"
import type { Secrets } from "../values/Secrets.ts"

/** Of one person. */
export const passkeysMost = 10

/** A challenge that is not answered by then is void. */
export const challengeMillis = 5 * 60_000

/** Challenges that wait for an answer; of more the oldest are void. */
export const challengesMost = 10_000

const challengeBytes = 32

export interface Passkey {
  /** The credential's id in base64url, as the device has chosen it. */
  readonly id: string
  readonly operatorId: string
  readonly name: string
  /** COSE_Key. */
  readonly publicKey: Uint8Array
  /** Signatures so far, as the device counts them; 0 for devices that do not. */
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

/** What a challenge is found by; undefined for text that cannot be one of ours. */
export const challengeHash = (secrets: Pick<Secrets["Service"], "verifier">, challenge: string): string | undefined =>
  /^[\w-]{43}$/.test(challenge) ? toHex(secrets.verifier("passkey-challenge", challenge)) : undefined

export class Passkeys extends Context.Service<
  Passkeys,
  {
    /** Begins to wait for the answer to a challenge: of this person, or of of any person who signs in, where none is named. */
    readonly challenge: (
      hash: string,
      operatorId: string | undefined,
      now: number
    ) => Effect.Effect<void, StorageUnavailable>
    /** Whether the challenge still waited, of this person or of none; it waits no more. */
    readonly answered: (
      hash: string,
      operatorId: string | undefined,
      now: number
    ) => Effect.Effect<boolean, StorageUnavailable>
    /** A person's, the oldest first. */
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
    /** Notes a use; false where its counter has been seen, as of a copied device. */
    readonly used: (id: string, counter: number, now: number) => Effect.Effect<boolean, StorageUnavailable>
  }
>()("voltlane/Passkeys") {}
