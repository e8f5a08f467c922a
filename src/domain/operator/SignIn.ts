/**
 * Sign-ins of people: how long one lasts, what it may do, and what its cookie and links are stored as. The secret of a cookie or link is 256 random bits;
 * what is stored is its keyed hash, by which it is found.
 */
import type { Principal } from "../values/AuditContext.ts"
import { builtInRoles, type BuiltInRole } from "./Role.ts"
import { toBase62, toHex } from "../values/KeyFormat.ts"
import type { Secrets } from "../values/Secrets.ts"

/** A sign-in without requests for so long has ended. */
export const idleMillis = 12 * 3_600_000

/** No sign-in lasts longer, however busy it is. */
export const wholeMillis = 7 * 24 * 3_600_000

/** Links of invitations and resets work for so long. */
export const linkMillis = 72 * 3_600_000

/** Sign-ins of one operator at a time; of more the one longest silent ends. */
export const signInsMost = 20

/** What a sign-in was proved by. */
export const strengths = ["Password", "SecondFactor"] as const
export type Strength = (typeof strengths)[number]

export const signInPurposes = {
  cookie: "sign-in",
  link: "account-link",
  device: "known-device",
  recoveryCode: "recovery-code",
  totp: "totp-secret",
  clientSecret: "single-sign-on-secret",
  flow: "single-sign-on-flow",
  state: "single-sign-on-state"
} as const

type Hashing = Pick<Secrets["Service"], "verifier">

/** A new secret of a cookie or link: shown once. */
export const newSecret = (secrets: Pick<Secrets["Service"], "randomBytes">): string =>
  toBase62(secrets.randomBytes(32), 43)

/** What a cookie or link is found by; undefined for text that cannot be one of ours, so that it costs nothing. */
export const secretHash = (secrets: Hashing, purpose: "sign-in" | "account-link", secret: string): string | undefined =>
  /^[0-9A-Za-z]{43}$/.test(secret) ? toHex(secrets.verifier(purpose, secret)) : undefined

/** What a sign-in is begun with. */
export interface NewSignIn {
  readonly hash: string
  readonly strength: Strength
  /** By an organisation's identity provider. */
  readonly singleSignOn?: boolean
  /** The network that it came from, and the browser's own words about itself. */
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

/** Whether a sign-in that nothing ended is over by time. */
export const isOver = ({ createdAt, seenAt }: Pick<SignIn, "createdAt" | "seenAt">, now: number): boolean =>
  now - seenAt >= idleMillis || now - createdAt >= wholeMillis

/** What does much harm in wrong hands asks for the second factor again when it was proved longer ago. */
export const factorHoldsMillis = 15 * 60_000

/** Whether a caller has a second factor, and has not proved it for a while. */
export const isFactorStale = ({ factorAt }: Pick<Principal, "factorAt">, now: number): boolean =>
  factorAt !== undefined && now - factorAt >= factorHoldsMillis

const prefix = "sign-in:"

/** The `Principal.keyId` of a sign-in. */
export const signInKey = (id: string): string => `${prefix}${id}`

/** The sign-in that calls; undefined where a key does. */
export const signInOf = ({ keyId }: Principal): string | undefined =>
  keyId.startsWith(prefix) ? keyId.slice(prefix.length) : undefined

/** Whether a person may do nothing by password in an organisation. */
export const needsSingleSignOn = (member: {
  readonly role: BuiltInRole | undefined
  readonly passwordForOwnersOnly: boolean
}): boolean => member.passwordForOwnersOnly && member.role !== "Owner"

/**
 * What a sign-in may do: nothing while its organisation requires a second factor that it lacks, so that all that is left is to set one up; and nothing by
 * password where the organisation requires single sign-on. What the platform's own operator may do beside an owner no provider gives.
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
