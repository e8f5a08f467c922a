/**
 * The first start: when the database is empty, the first organisation, its operator with every permission, a v2 key and a v1 pair are
 * made, of given values where the settings give them; and a link by which the operator gets an email and password, unless a password is given. What was generated is shown once, to the person who started the service: on the terminal, or in a
 * file where there is none.
 */
import { Effect, Redacted } from "effect"
import { newKey, newKeyFrom, newV1Pair, v1CodeVerifier } from "../domain/operator/Keys.ts"
import { Accounts } from "../domain/operator/Accounts.ts"
import { newSecret, secretHash } from "../domain/operator/SignIn.ts"
import { permissions } from "../domain/operator/Permission.ts"
import { unnamedOrganisation } from "../domain/operator/Unnamed.ts"
import { Access } from "../domain/operator/Access.ts"
import { Secrets } from "../domain/values/Secrets.ts"
import type { KeptKeys, KeysNotKept, MadeKeys } from "./FirstKeys.ts"

/** Keeps what is made where it can be read later, before it is stored. */
export type KeepKeys = (made: MadeKeys) => Effect.Effect<KeptKeys, KeysNotKept>

export interface BootstrapSettings {
  /** Undefined: a terminal shows it. */
  readonly keep?: KeepKeys | undefined
  /** Where the link of the set-up leads to; without it none is made. */
  readonly publicUrl?: string | undefined
  readonly operatorEmail: string | undefined
  readonly operatorPassword: Redacted.Redacted | undefined
  readonly apiKey: Redacted.Redacted | undefined
  readonly v1ClientId: string | undefined
  readonly v1Code: Redacted.Redacted | undefined
  readonly countryCode: string | undefined
  readonly partyId: string | undefined
}

/** What the first start made and what cannot be read again; only what was generated is here. */
export interface FirstStart extends MadeKeys {
  /** The file that holds them; undefined where they are to be shown. */
  readonly keptIn?: string | undefined
}

const first = (settings: BootstrapSettings, now: number) =>
  Effect.gen(function* () {
    const access = yield* Access
    const secrets = yield* Secrets
    if (!(yield* access.isEmpty)) return undefined

    const given = settings.apiKey === undefined ? undefined : newKeyFrom(secrets, Redacted.value(settings.apiKey))
    const generated = given === undefined ? newKey(secrets) : undefined
    const { prefix, publicId, verifier } = given ?? generated!
    const pair = newV1Pair(secrets)
    const givenCode = settings.v1Code === undefined ? undefined : Redacted.value(settings.v1Code)
    const code = givenCode ?? pair.code
    const clientId = settings.v1ClientId ?? pair.clientId
    const password = settings.operatorPassword
    const token = newSecret(secrets)
    const hasLink = password === undefined && settings.publicUrl !== undefined
    const made: MadeKeys = {
      apiKey: generated?.text,
      v1: givenCode === undefined ? { clientId, code } : undefined,
      ...(hasLink ? { setUp: `${settings.publicUrl.replace(/\/+$/, "")}/set-up#${token}` } : {})
    }
    const isSecret = made.apiKey !== undefined || made.v1 !== undefined || hasLink
    const kept = isSecret ? yield* settings.keep?.(made) ?? Effect.undefined : undefined

    const storing = access.createOrganisation(
      {
        name: unnamedOrganisation,
        countryCode: settings.countryCode ?? "NL",
        partyId: settings.partyId ?? "VLT",
        operatorEmail: settings.operatorEmail ?? "operator@localhost",
        operatorPasswordHash:
          password === undefined ? undefined : yield* secrets.hashPassword(Redacted.value(password)),
        operatorPermissions: permissions,
        key: { name: "first start", publicId, prefix, verifier, permissions: undefined },
        v1: { clientId, codeVerifier: v1CodeVerifier(secrets, code) }
      },
      now
    )
    // After any other failure it is not known whether it was stored: then what was kept may be all that opens the service.
    const stored = yield* Effect.tapErrorTag(storing, "Conflict", () => kept?.discard ?? Effect.void)
    if (hasLink) {
      const accounts = yield* Accounts
      const hash = secretHash(secrets, "account-link", token) ?? ""
      yield* accounts.createSetUp(stored.organisation.id, stored.operatorId, hash, now)
    }
    yield* kept?.confirm ?? Effect.void
    const firstStart: FirstStart = { ...made, keptIn: kept?.path }
    return firstStart
  })

/**
 * Answers undefined when the database has an organisation already, also one that another process has made meanwhile: of two that start at once on an
 * empty database one makes it, and the other takes what is there.
 */
export const bootstrap = (settings: BootstrapSettings, now: number) =>
  Effect.catchTag(first(settings, now), "Conflict", () => Effect.undefined)
