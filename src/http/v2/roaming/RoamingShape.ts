/** The roaming partner and contract of the driver of a session or record, in REST v2. */
import { Schema } from "effect"
import { type SessionRoaming, authMethods } from "../../../domain/roaming/Roaming.ts"

export const Roaming = Schema.Struct({
  partnerId: Schema.String,
  countryCode: Schema.String,
  partyId: Schema.String,
  tokenUid: Schema.String.annotate({ description: "In the partner's spelling" }),
  tokenType: Schema.String,
  contractId: Schema.String,
  authMethod: Schema.Literals(authMethods).annotate({
    description: "How the partner authorised the session"
  }),
  authorizationReference: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Roaming", description: "The contract with a roaming partner" })

export const toRoaming = (roaming: SessionRoaming): typeof Roaming.Type => ({
  partnerId: roaming.partnerId,
  countryCode: roaming.countryCode,
  partyId: roaming.partyId,
  tokenUid: roaming.uid,
  tokenType: roaming.type,
  contractId: roaming.contractId,
  authMethod: roaming.authMethod,
  authorizationReference: roaming.authorizationReference ?? null
})

/** The same for a record. */
export const RoamingOfCdr = Schema.Struct({
  ...Roaming.fields,
  withheld: Schema.Boolean.annotate({
    description:
      "True: the partner does not accept credit records, and gets neither this one nor the record that replaces a credited one; settle with the partner manually"
  }),
  tariffLeftOut: Schema.Boolean.annotate({
    description:
      "True: the partner's version of OCPI cannot express an element or a limit of the tariff that this was priced by; the partner gets the total without the tariff"
  })
}).annotate({ identifier: "RoamingOfCdr" })
