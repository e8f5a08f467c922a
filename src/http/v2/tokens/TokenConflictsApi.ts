/**
 * Token conflicts in REST v2: cards that several roaming partners vouch for. Chargers refuse them, since it is not clear which partner
 * pays.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Time } from "../../Fields.ts"
import { operation } from "../requests/Middleware.ts"
import { listOf, PageQuery } from "../requests/Paging.ts"

const PartnersToken = Schema.Struct({
  partnerId: Schema.String,
  countryCode: Schema.String,
  partyId: Schema.String,
  uid: Schema.String,
  contractId: Schema.String,
  issuer: Schema.String,
  visualNumber: Schema.NullOr(Schema.String),
  whitelist: Schema.String.annotate({ description: "OCPI's WhitelistType, as the partner sent it" }),
  lastUpdated: Time
}).annotate({ identifier: "PartnersToken" })

export const TokenConflict = Schema.Struct({
  uid: Schema.String,
  tokens: Schema.Array(PartnersToken).annotate({
    description: "The valid RFID tokens of registered partners; all partners but one must withdraw theirs"
  })
}).annotate({ identifier: "TokenConflict" })

export class TokenConflictsApi extends HttpApiGroup.make("token-conflicts").add(
  HttpApiEndpoint.get("list", "/v2/token-conflicts", {
    query: PageQuery,
    success: listOf(TokenConflict)
  }).annotateMerge(
    operation("List cards that several partners list as valid, and that are refused for that reason", "tokens:read")
  )
) {}
