/** The id of a company in roaming (OCPI 2.2.1 §3.1). */

/** Codes are compared case-insensitively, and stored and shown in upper case. */
export interface PartyId {
  /** ISO 3166-1 alpha-2. */
  readonly countryCode: string
  /** Three letters or digits (ISO 15118). */
  readonly partyId: string
}

export const sameParty = (one: PartyId, other: PartyId): boolean =>
  one.countryCode.toUpperCase() === other.countryCode.toUpperCase() &&
  one.partyId.toUpperCase() === other.partyId.toUpperCase()
