/** The roaming partner and contract of the driver of a session or record, in REST v2. */
import { Schema } from "effect"
import { type SessionRoaming, authMethods } from "../../../domain/roaming/Roaming.ts"

export const Roaming = Schema.Struct({
  partnerId: Schema.String,
  countryCode: Schema.String,
  partyId: Schema.String,
  tokenUid: Schema.String.annotate({ description: "As the partner spells it" }),
  tokenType: Schema.String,
  contractId: Schema.String,
  authMethod: Schema.Literals(authMethods).annotate({
    description: "How the partner agreed"
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
      "True: the partner takes no credit records, and gets neither this one nor what takes a record's place; settle with it by hand"
  }),
  tariffLeftOut: Schema.Boolean.annotate({
    description:
      "True: the partner's version of OCPI has no words for an element, or a limit, that this was priced by; it gets the total without the tariff"
  })
}).annotate({ identifier: "RoamingOfCdr" })
