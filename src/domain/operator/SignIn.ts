/**
 * Sign-ins of people: how long one lasts, what it may do, and how its cookie and links are stored. The secret of a cookie or link is 256 random bits.
 * Its keyed hash is stored, and the secret is found by it.
 */
import type { Principal } from "../values/AuditContext.ts"
import { builtInRoles, type BuiltInRole } from "./Role.ts"
import { toBase62, toHex } from "../values/KeyFormat.ts"
import { sealPurposes } from "../values/SealPurpose.ts"
import type { Secrets } from "../values/Secrets.ts"

/** A sign-in ends after this long without requests. */
export const idleMillis = 12 * 3_600_000

/** The longest that a sign-in lasts, even if it is in use. */
export const wholeMillis = 7 * 24 * 3_600_000

/** How long links of invitations and resets work. */
export const linkMillis = 72 * 3_600_000

/** The most sign-ins of one operator at a time. When there are more, the one idle longest ends. */
export const signInsMost = 20

/** How strongly a sign-in was proved. */
export const strengths = ["Password", "SecondFactor"] as const
export type Strength = (typeof strengths)[number]

export const signInPurposes = {
  cookie: "sign-in",
  link: "account-link",
  device: "known-device",
  devicePlace: "known-device-place",
  recoveryCode: "recovery-code",
  totp: sealPurposes.totp,
  clientSecret: sealPurposes.singleSignOnSecret,
  flow: "single-sign-on-flow",
  state: "single-sign-on-state"
} as const

type Hashing = Pick<Secrets["Service"], "verifier">

/** A new secret for a cookie or link. It is shown once. */
export const newSecret = (secrets: Pick<Secrets["Service"], "randomBytes">): string =>
  toBase62(secrets.randomBytes(32), 43)

/** The hash by which a cookie or link is found; undefined for text that cannot be a cookie or link of this service, so that it costs no query. */
export const secretHash = (secrets: Hashing, purpose: "sign-in" | "account-link", secret: string): string | undefined =>
  /^[0-9A-Za-z]{43}$/.test(secret) ? toHex(secrets.verifier(purpose, secret)) : undefined

/** The data of a new sign-in. */
export interface NewSignIn {
  readonly hash: string
  readonly strength: Strength
  /** True if it was made through an organisation's identity provider. */
  readonly singleSignOn?: boolean
  /** The network from which it came, and the browser's User-Agent. */
  readonly network: string
  readonly agent: string
}

export interface SignIn {
  readonly id: string
  readonly operatorId: string
  readonly organisationId: string
  readonly createdAt: number
  readonly seenAt: number
  readonly strength: Strength
  readonly singleSignOn: boolean
  readonly network: string
  readonly agent: string
}

/** Whether a sign-in that was not ended explicitly has expired. */
export const isOver = ({ createdAt, seenAt }: Pick<SignIn, "createdAt" | "seenAt">, now: number): boolean =>
  now - seenAt >= idleMillis || now - createdAt >= wholeMillis

/** Sensitive actions ask for the second factor again when it was proved longer ago than this. */
export const factorHoldsMillis = 15 * 60_000

/** Whether a caller has a second factor and has not proved it recently. */
export const isFactorStale = ({ factorAt }: Pick<Principal, "factorAt">, now: number): boolean =>
  factorAt !== undefined && now - factorAt >= factorHoldsMillis

/**
 * Whether a sign-in may add a second factor to its person, as things are at that moment: the first one, for which the password suffices; a further
 * one, if one of the others was proved recently; or none.
 */
export const enrolment = (
  person: { readonly hasFactor: boolean; readonly factorAt: number | undefined },
  now: number
): "First" | "Further" | "Stale" => {
  if (!person.hasFactor) return "First"
  return isFactorStale({ factorAt: person.factorAt ?? 0 }, now) ? "Stale" : "Further"
}

const prefix = "sign-in:"

/** The `Principal.keyId` of a sign-in. */
export const signInKey = (id: string): string => `${prefix}${id}`

/** The id of the calling sign-in; undefined if the caller is a key. */
export const signInOf = ({ keyId }: Principal): string | undefined =>
  keyId.startsWith(prefix) ? keyId.slice(prefix.length) : undefined

/** Whether a person must use single sign-on in an organisation, so that a password sign-in gives no permissions there. */
export const needsSingleSignOn = (member: {
  readonly role: BuiltInRole | undefined
  readonly passwordForOwnersOnly: boolean
}): boolean => member.passwordForOwnersOnly && member.role !== "Owner"

/**
 * The permissions of a sign-in. It has none while its organisation requires a second factor that it lacks, so that the person can only set one up. A
 * password sign-in has none where the organisation requires single sign-on. A sign-in through an identity provider never has the platform's own
 * permissions.
 */
export const signInPermissions = (signIn: {
  readonly active: boolean
  readonly strength: Strength
  readonly requiresSecondFactor: boolean
  readonly singleSignOn: boolean
  readonly passwordForOwnersOnly: boolean
  readonly role: BuiltInRole | undefined
  readonly permissions: ReadonlyArray<string>
}): ReadonlyArray<string> => {
  if (!signIn.active || (signIn.requiresSecondFactor && signIn.strength !== "SecondFactor")) return []
  if (!signIn.singleSignOn) return needsSingleSignOn(signIn) ? [] : signIn.permissions
  const most: ReadonlyArray<string> = builtInRoles.Owner
  return signIn.permissions.filter((permission) => most.includes(permission))
}
