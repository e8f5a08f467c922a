/**
 * Parties: companies with a role in roaming, identified by a country code and three characters (OCPI 2.2.1 §3.1). An organisation is one or more CPO
 * parties; a partner has parties of its own.
 */
import type { PartyId } from "../values/PartyId.ts"

/** OCPI 2.2.1 §16.5 BusinessDetails, as far as we show it. */
export interface BusinessDetails {
  readonly name: string
  readonly website?: string | undefined
}

/** OCPI 2.2.1 §16.12 Role; partners of newer versions may have others. */
export const partyRoles = ["CPO", "EMSP", "HUB", "NAP", "NSP", "SCSP", "OTHER"] as const
export type PartyRole = (typeof partyRoles)[number]

export interface PartnerParty extends PartyId {
  readonly role: PartyRole
  readonly businessDetails: BusinessDetails
}

/** A CPO party of an organisation. Sites without a party belong to the default one. */
export interface CpoParty extends PartyId {
  readonly id: string
  readonly organisationId: string
  readonly businessDetails: BusinessDetails
  readonly isDefault: boolean
  readonly createdAt: number
}

/** The most parties of one organisation: all of them are in its credentials, which partners store. */
export const partiesMax = 50
