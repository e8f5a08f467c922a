/**
 * Keyed hashing and randomness, as a port because the domain has neither. Secrets that are random (API keys, chargers' passwords, tokens) are
 * verified with HMAC-SHA-256 under the service's secret key. That takes microseconds, so that a storm of reconnects costs little. Only passwords that
 * people choose are hashed slowly.
 */
import { Context, type Effect } from "effect"
import type { TooMany } from "../Errors.ts"

export class Secrets extends Context.Service<
  Secrets,
  {
    /** HMAC-SHA-256 of `secret`, separated by `purpose` (`api-key`, `charger-password`, `v1-code`). */
    readonly verifier: (purpose: string, secret: Uint8Array | string) => Uint8Array
    /** Constant-time comparison with a stored verifier. */
    readonly verify: (purpose: string, secret: Uint8Array | string, verifier: Uint8Array) => boolean
    /**
     * Encrypts text that must be read again (stored answers for `Idempotency-Key` that contain a secret). It is authenticated and separated by
     * `purpose`; the result is printable. Sealing the same text twice gives different results.
     */
    readonly seal: (purpose: string, text: string) => string
    /** The text that was sealed; undefined if it was sealed under another key or purpose, or was changed. */
    readonly open: (purpose: string, sealed: string) => string | undefined
    readonly randomBytes: (length: number) => Uint8Array
    /** A new UUIDv7. */
    readonly uuid: (now: number) => string
    /** Four 32-bit numbers for `transactionIdOf`. */
    readonly transactionIdKeys: ReadonlyArray<number>
    /** HMAC-SHA-1, only for one-time passwords (RFC 4226). */
    readonly hmacSha1: (key: Uint8Array, data: Uint8Array) => Uint8Array
    /**
     * A slow salted hash of a password that a person chose. Accounts with the same email address have the same salt, so that one computation checks
     * a password against all of them. Only a few are computed at a time and only a few may wait; beyond that, `TooMany` `passwords_at_once`.
     */
    readonly hashPassword: (password: string, email: string) => Effect.Effect<string, TooMany>
    /** Without a hash the result is false, after the same time. */
    readonly verifyPassword: (password: string, hash: string | undefined) => Effect.Effect<boolean, TooMany>
    /** The index of the first of these hashes that the password has; undefined if none. Takes the same time without hashes. */
    readonly matchPassword: (
      password: string,
      hashes: ReadonlyArray<string>
    ) => Effect.Effect<number | undefined, TooMany>
  }
>()("voltlane/Secrets") {}
