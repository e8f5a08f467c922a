/**
 * The first start. If the database is empty, this creates the first organisation, its operator with every permission, a
 * v2 key and a v1 pair, with the values from the settings where given. Unless a password is given, it also creates a
 * link by which the operator sets an email and a password. What was generated is shown once to the person who started
 * the service: on the terminal, or in a file if there is none.
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

/** Writes the generated keys to where they can be read later. It runs before they are stored in the database. */
export type KeepKeys = (made: MadeKeys) => Effect.Effect<KeptKeys, KeysNotKept>

export interface BootstrapSettings {
  /** Undefined if the keys are shown on a terminal. */
  readonly keep?: KeepKeys | undefined
  /** The base URL of the set-up link; without it no link is created. */
  readonly publicUrl?: string | undefined
  readonly operatorEmail: string | undefined
  readonly operatorPassword: Redacted.Redacted | undefined
  readonly apiKey: Redacted.Redacted | undefined
  readonly v1ClientId: string | undefined
  readonly v1Code: Redacted.Redacted | undefined
  readonly countryCode: string | undefined
  readonly partyId: string | undefined
}

/** What the first start generated, which cannot be read again. Values that were given are not included. */
export interface FirstStart extends MadeKeys {
  /** The file that holds them; undefined if they are to be shown on the terminal. */
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

    const operatorEmail = settings.operatorEmail ?? "operator@localhost"
    const storing = access.createOrganisation(
      {
        name: unnamedOrganisation,
        countryCode: settings.countryCode ?? "NL",
        partyId: settings.partyId ?? "VLT",
        operatorEmail,
        operatorMustBeNew: true,
        operatorPasswordHash:
          password === undefined ? undefined : yield* secrets.hashPassword(Redacted.value(password), operatorEmail),
        operatorPermissions: permissions,
        key: { name: "first start", publicId, prefix, verifier, permissions: undefined },
        v1: { clientId, codeVerifier: v1CodeVerifier(secrets, code) }
      },
      now
    )
    // After any other failure it is unknown whether the organisation was stored. The kept keys may then be the only way
    // into the service.
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
 * Returns undefined if the database has an organisation already, or if another process has just created it: of two
 * processes that start at once on an empty database, one creates the organisation and the other uses it.
 */
export const bootstrap = (settings: BootstrapSettings, now: number) =>
  Effect.catchTag(first(settings, now), "Conflict", () => Effect.undefined)
