/**
 * Roaming data of a session: which partner's driver charges, and under which contract. It is part of the session's authorisation from its first fact,
 * because it decides to which partner the session and its CDR go (OCPI 2.2.1 §9.4.8 CdrToken).
 */

/** A driver's contract with a partner's party, as its token states it. Codes are in upper case; ids have the partner's spelling. */
export interface RoamingContract {
  readonly partnerId: string
  readonly countryCode: string
  readonly partyId: string
  readonly uid: string
  /** OCPI's TokenType, an open enumeration, since newer versions have more values. */
  readonly type: string
  readonly contractId: string
}

/** How the partner authorised it: OCPI 2.2.1 §10.4.1 AuthMethod. */
export const authMethods = ["AUTH_REQUEST", "COMMAND", "WHITELIST"] as const
export type RoamingAuthMethod = (typeof authMethods)[number]

export interface SessionRoaming extends RoamingContract {
  readonly authMethod: RoamingAuthMethod
  /** The partner's reference for the authorisation, repeated in the session and the CDR; at most 36 characters. */
  readonly authorizationReference?: string | undefined
}
