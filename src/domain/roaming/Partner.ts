/**
 * A partner: another platform, with which data is exchanged after both have given each other their credentials (OCPI 2.2.1 `credentials`). It is
 * invited with a registration token, registers itself or is registered by us, and may register anew when it has lost its token.
 */
import type { PartnerParty, PartyRole } from "./Party.ts"
import { type PartyId, sameParty } from "../values/PartyId.ts"

export const partnerStatuses = [
  /** It has a registration token that it has not used yet. */
  "Invited",
  /** Both sides have each other's credentials. */
  "Registered",
  /** An operator has suspended it: its calls are refused, and nothing is sent to it. */
  "Suspended",
  /** It has withdrawn its credentials or was invited again: neither side can call the other. */
  "Unregistered"
] as const
export type PartnerStatus = (typeof partnerStatuses)[number]

/** One module of a partner's. */
export interface PartnerEndpoint {
  /** OCPI's ModuleID, in lower case. */
  readonly module: string
  /** Undefined in 2.1.1, where each side has one. */
  readonly role: "SENDER" | "RECEIVER" | undefined
  readonly url: string
}

/** What a partner has reported about itself, and what is needed to call it. */
export interface Connection {
  /** OCPI's version number; which there are, OCPI knows. */
  readonly version: string
  readonly versionsUrl: string
  /** The form of our token that it accepted last: plain, or in Base64. */
  readonly tokenForm: "Raw" | "Base64"
  readonly parties: ReadonlyArray<PartnerParty>
  readonly endpoints: ReadonlyArray<PartnerEndpoint>
  readonly registeredAt: number
}

/** A partner's deviations from the standard. */
export interface PartnerSwitches {
  /** Whether our calls carry the token as it is or in Base64; undefined is as the version has it. */
  readonly tokenForm?: "Raw" | "Base64" | undefined
  /** Semantic errors as HTTP 400 rather than 200 with a status code. */
  readonly semanticErrorsAs400?: boolean | undefined
  /** PUT of a new token is answered 201 in 2.2 and later. */
  readonly createdAs201?: boolean | undefined
  /** Version details name the credentials module once, as RECEIVER: it stumbles over two of one name. */
  readonly credentialsOnce?: boolean | undefined
  /** It accepts no credit records. */
  readonly noCreditCdrs?: boolean | undefined
  /** It is asked about unknown tokens. Only by agreement, since it then learns of every unknown token at a charger. */
  readonly askUnknownTokens?: boolean | undefined
}

/** Changes of switches: those that are named, where null takes one back. */
export type SwitchesChange = { readonly [Name in keyof PartnerSwitches]?: PartnerSwitches[Name] | null }

/** Switches with changes laid over them. */
export const switchedBy = (switches: PartnerSwitches, change: SwitchesChange): PartnerSwitches =>
  Object.fromEntries(
    Object.entries({ ...switches, ...change }).filter(([, value]) => value !== null && value !== undefined)
  )

/** Whom our operator has invited; what the partner says of itself is in its connection. */
export interface ExpectedParty extends PartyId {
  readonly roles: ReadonlyArray<PartyRole>
}

export interface Partner {
  readonly id: string
  readonly organisationId: string
  readonly name: string
  readonly status: PartnerStatus
  /** Undefined for partners that were stored before it was asked for. */
  readonly expected?: ExpectedParty | undefined
  /** Undefined if it is not registered. */
  readonly connection: Connection | undefined
  readonly switches: PartnerSwitches
  readonly createdAt: number
  readonly updatedAt: number
}

/**
 * Why credentials with these parties are not those of whom our operator has invited: an invitation may get into other hands. Who was registered
 * as another one before that was checked may go on so.
 */
export const strangerTo = ({ connection, expected }: Partner, parties: ReadonlyArray<PartyId>): string | undefined => {
  if (expected === undefined) return undefined
  const names = (all: ReadonlyArray<PartyId>) => all.some((one) => sameParty(one, expected))
  if (names(parties) || (connection !== undefined && !names(connection.parties))) return undefined
  const given = parties.slice(0, 3).map(({ countryCode, partyId }) => `${countryCode}*${partyId}`)
  return `${expected.countryCode}*${expected.partyId} is invited here, and these credentials are of ${given.join(", ")}.`
}

/** Since when a partner is registered, by its credentials at this moment: a renewal goes on with what was, unless it comes from elsewhere or in another version. */
export const registeredSince = (
  { connection }: Partner,
  { version, versionsUrl }: Pick<Connection, "version" | "versionsUrl">,
  now: number
): number => (connection?.version === version && connection.versionsUrl === versionsUrl ? connection.registeredAt : now)

/** Whether it acts for parties behind it. Only our operator's invitation can allow that, not the partner's own claim to be a hub. */
export const isHub = ({ expected }: Pick<Partner, "expected">): boolean => expected?.roles.includes("HUB") === true

/** Also while it is suspended. */
export const isRegistered = ({ connection, status }: Partner): boolean =>
  connection !== undefined && (status === "Registered" || status === "Suspended")

/** How many days a registration token is valid. */
export const registrationTokenDays = 7

/** How many hours the token before a rotation is accepted, unless the new one is used sooner. */
export const retiringTokenHours = 24

/**
 * Tokens that a partner may have been sent in renewals from this side whose end we never heard. Each is one renewal within a day, which is made by hand:
 * more are no partner that can be renewed.
 */
export const expectedTokensMax = 10

/** What a token of ours allows its bearer to do. */
export const tokenUses = [
  /** Ask for versions and register. */
  "Registration",
  /** Read versions, with the token that we send while we register with it or renew; for a registered partner it is `Access`. */
  "Expected",
  "Access",
  /** Access by the token before a rotation, until the new one is used for the first time. */
  "Retiring"
] as const
export type TokenUse = (typeof tokenUses)[number]
