/** Which partner a driver belongs to, in rows and stored JSON; shared by cards, grants, sessions and records. */
import { Schema } from "effect"
import { authMethods } from "../../domain/roaming/Roaming.ts"

/** A partner's card, and the contract behind it. */
export const contractFields = {
  partnerId: Schema.String,
  countryCode: Schema.String,
  partyId: Schema.String,
  uid: Schema.String,
  type: Schema.String,
  contractId: Schema.String
}

/** A session's contract with a partner, in the form that is stored with the session and sealed in its record. */
export const RoamingRow = Schema.Struct({
  ...contractFields,
  authMethod: Schema.Literals(authMethods),
  authorizationReference: Schema.optionalKey(Schema.String)
})
