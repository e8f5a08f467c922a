/**
 * A partner: another platform with which data is exchanged after both sides have exchanged credentials (OCPI 2.2.1 `credentials`). A partner is
 * invited with a registration token and registers itself, or we register with it. It may register again after it has lost its token.
 */
import type { PartnerParty, PartyRole } from "./Party.ts"
import { type PartyId, sameParty } from "../values/PartyId.ts"
import { shownAddresses } from "../values/SecretAddresses.ts"

export const partnerStatuses = [
  /** It has a registration token that it has not used yet. */
  "Invited",
  /** Both sides have each other's credentials. */
  "Registered",
  /** An operator has suspended it: its calls are refused, and nothing is sent to it. */
  "Suspended",
  /** It has withdrawn its credentials: neither side can call the other. */
  "Unregistered"
] as const
export type PartnerStatus = (typeof partnerStatuses)[number]

/** One module of a partner. */
export interface PartnerEndpoint {
  /** OCPI's ModuleID, in lower case. */
  readonly module: string
  /** Undefined in 2.1.1, where modules have no role. */
  readonly role: "SENDER" | "RECEIVER" | undefined
  readonly url: string
}

/** What a partner has reported about itself, including what we need to call it. */
export interface Connection {
  /** OCPI's version number. `src/ocpi` defines which ones exist. */
  readonly version: string
  readonly versionsUrl: string
  /** The form of the credentials token that it accepted last: plain or in Base64. */
  readonly tokenForm: "Raw" | "Base64"
  readonly parties: ReadonlyArray<PartnerParty>
  readonly endpoints: ReadonlyArray<PartnerEndpoint>
  readonly registeredAt: number
}

/** A partner's deviations from the standard. */
export interface PartnerSwitches {
  /** The form of the token in our calls: plain or in Base64; undefined: as the OCPI version defines it. */
  readonly tokenForm?: "Raw" | "Base64" | undefined
  /** Send semantic errors as HTTP 400 instead of 200 with a status code. */
  readonly semanticErrorsAs400?: boolean | undefined
  /** Answer the PUT of a new token with 201 in OCPI 2.2 and later. */
  readonly createdAs201?: boolean | undefined
  /** List the credentials module only once in the version details, as RECEIVER: the partner fails on two entries with one name. */
  readonly credentialsOnce?: boolean | undefined
  /** It accepts no credit records. */
  readonly noCreditCdrs?: boolean | undefined
  /** Ask the partner about unknown tokens. Only by agreement, because it then learns of every unknown token at a charger. */
  readonly askUnknownTokens?: boolean | undefined
}

/** The connection as it may be shown and journaled: some partners put a token into the query of their URLs, which our calls need. */
export const shownConnection = ({ endpoints, parties, versionsUrl, ...connection }: Connection): Connection => ({
  ...connection,
  versionsUrl: shownAddresses(versionsUrl),
  parties: parties.map(({ businessDetails: { website, ...details }, ...party }) => ({
    ...party,
    businessDetails: website === undefined ? details : { ...details, website: shownAddresses(website) }
  })),
  endpoints: endpoints.map((endpoint) => ({ ...endpoint, url: shownAddresses(endpoint.url) }))
})

/** Changes to switches. Missing ones stay unchanged; null removes one. */
export type SwitchesChange = { readonly [Name in keyof PartnerSwitches]?: PartnerSwitches[Name] | null }

/** Switches with changes applied. */
export const switchedBy = (switches: PartnerSwitches, change: SwitchesChange): PartnerSwitches =>
  Object.fromEntries(
    Object.entries({ ...switches, ...change }).filter(([, value]) => value !== null && value !== undefined)
  )

/** The party that our operator has invited. What the partner reports about itself is in its connection. */
export interface ExpectedParty extends PartyId {
  readonly roles: ReadonlyArray<PartyRole>
}

export interface Partner {
  readonly id: string
  readonly organisationId: string
  readonly name: string
  readonly status: PartnerStatus
  /** Undefined for partners that were stored before this field existed. */
  readonly expected?: ExpectedParty | undefined
  /** Undefined if it is not registered. */
  readonly connection: Connection | undefined
  readonly switches: PartnerSwitches
  readonly createdAt: number
  readonly updatedAt: number
}

/**
 * Why credentials with these parties do not belong to the invited party; undefined if they do. An invitation may fall into other hands. A partner
 * that was registered as another party before this check existed may continue.
 */
export const strangerTo = ({ connection, expected }: Partner, parties: ReadonlyArray<PartyId>): string | undefined => {
  if (expected === undefined) return undefined
  const names = (all: ReadonlyArray<PartyId>) => all.some((one) => sameParty(one, expected))
  if (names(parties) || (connection !== undefined && !names(connection.parties))) return undefined
  const given = parties.slice(0, 3).map(({ countryCode, partyId }) => `${countryCode}*${partyId}`)
  return `${expected.countryCode}*${expected.partyId} is invited here, but these credentials belong to ${given.join(", ")}.`
}

/** Since when a partner is registered, given its new credentials. A renewal keeps the earlier time, unless the URL or the version changes. */
export const registeredSince = (
  { connection }: Partner,
  { version, versionsUrl }: Pick<Connection, "version" | "versionsUrl">,
  now: number
): number => (connection?.version === version && connection.versionsUrl === versionsUrl ? connection.registeredAt : now)

/** Whether it acts for parties behind it. Only our operator's invitation can allow that; the partner's own claim to be a hub cannot. */
export const isHub = ({ expected }: Pick<Partner, "expected">): boolean => expected?.roles.includes("HUB") === true

/** True for registered partners, also while they are suspended. */
export const isRegistered = ({ connection, status }: Partner): boolean =>
  connection !== undefined && (status === "Registered" || status === "Suspended")

/** How many days a registration token is valid. */
export const registrationTokenDays = 7

/** How many hours the old token is accepted after a rotation, unless the new one is used sooner. */
export const retiringTokenHours = 24

/**
 * The most tokens that a partner may have got in renewals from our side whose result we never learned. Each comes from a renewal that an operator
 * starts by hand, and expires. A partner with more of them cannot be renewed anyway.
 */
export const expectedTokensMax = 10

/** What a token of ours allows its bearer to do. */
export const tokenUses = [
  /** Ask for versions and register. */
  "Registration",
  /** Read versions, with the token that we send while we register with the partner or renew. For a registered partner it counts as `Access`. */
  "Expected",
  "Access",
  /** Access with the token from before a rotation, until the new one is used for the first time. */
  "Retiring"
] as const
export type TokenUse = (typeof tokenUses)[number]
