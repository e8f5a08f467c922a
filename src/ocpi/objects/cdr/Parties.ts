/**
 * The parties in sessions and records: our party, and the driver's token as far as each version can express it (OCPI 2.2.1 §10.4.5
 * CdrToken).
 */
import type { Place } from "../../../domain/site/CdrLocation.ts"
import type { SessionRoaming } from "../../../domain/roaming/Roaming.ts"
import { notApplicable } from "./Figures.ts"
import { field } from "../Strict.ts"
import { tokenTypes } from "../../../domain/token/Token.ts"

/** Our party. A place without one was stored before there were partners, and is sent to none. */
export const ownerOf = (place: Place | undefined) => ({
  country_code: place?.party?.countryCode ?? notApplicable,
  party_id: place?.party?.partyId ?? notApplicable
})

/**
 * 2.1.1 cannot express that the partner's own command authorised the session. It counts as a real-time authorisation: in both cases the
 * partner agreed at that moment.
 */
export const driverV211 = ({ authMethod, contractId }: SessionRoaming) => ({
  auth_id: contractId,
  auth_method: authMethod === "COMMAND" ? "AUTH_REQUEST" : authMethod
})

const knownTypes: ReadonlySet<string> = new Set(tokenTypes)

const tokenOf = ({ contractId, type, uid }: SessionRoaming) => ({
  uid,
  // Types of later versions become OTHER.
  type: knownTypes.has(type.toUpperCase()) ? type.toUpperCase() : "OTHER",
  contract_id: contractId
})

const said = ({ authMethod, authorizationReference }: SessionRoaming) => ({
  auth_method: authMethod,
  ...field("authorization_reference", authorizationReference)
})

/** 2.2 does not name the party of the token. */
export const driverV22 = (roaming: SessionRoaming) => ({ cdr_token: tokenOf(roaming), ...said(roaming) })

export const driverV221 = (roaming: SessionRoaming) => ({
  cdr_token: { country_code: roaming.countryCode, party_id: roaming.partyId, ...tokenOf(roaming) },
  ...said(roaming)
})
