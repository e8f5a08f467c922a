/**
 * Keyed hashing and random material, behind a port because the domain has neither. Everything that was random to begin with (API keys,
 * chargers' passwords, tokens) is verified by HMAC-SHA-256 under the service's secret key: microseconds, so that a storm of reconnects
 * costs nothing. Only passwords that people choose are hashed slowly.
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
     * Encrypts text that must be read again (answers kept for `Idempotency-Key` that hold a secret), authenticated and separated by
     * `purpose`; the result is printable text. No two seals of one text are alike.
     */
    readonly seal: (purpose: string, text: string) => string
    /** What `seal` was given; undefined for what was sealed under another key or purpose, or was changed since. */
    readonly open: (purpose: string, sealed: string) => string | undefined
    readonly randomBytes: (length: number) => Uint8Array
    /** A new UUIDv7. */
    readonly uuid: (now: number) => string
    /** Four 32-bit numbers for `transactionIdOf`. */
    readonly transactionIdKeys: ReadonlyArray<number>
    /** HMAC-SHA-1, for one-time passwords (RFC 4226) and nothing else. */
    readonly hmacSha1: (key: Uint8Array, data: Uint8Array) => Uint8Array
    /** Slow salted hash of a password that a person chose. Few are made at a time and few wait: beyond, `TooMany` `passwords_at_once`. */
    readonly hashPassword: (password: string) => Effect.Effect<string, TooMany>
    /** Without a hash it takes the same time, and is false. */
    readonly verifyPassword: (password: string, hash: string | undefined) => Effect.Effect<boolean, TooMany>
  }
>()("voltlane/Secrets") {}
