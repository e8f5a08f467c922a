/** The organisation's own CPO parties in REST v2, under which it communicates with roaming partners. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { CountryAlpha2, rule, text, Time } from "../../Fields.ts"
import { Conflict409 } from "../requests/Failures.ts"
import { operation } from "../requests/Middleware.ts"
import { IdempotencyHeader, listOf, PageQuery } from "../requests/Paging.ts"
import { PartyCode } from "./PartnersApi.ts"

/** OCPI's own lengths (2.2.1 §16.5): longer texts could not be sent. */
const NewDetails = Schema.Struct({
  name: text(100),
  website: Schema.optionalKey(
    Schema.String.check(
      rule((url: string) => /^https?:/.test(url) && URL.canParse(url) && url.length <= 255, "Must be an http(s) URL", {
        format: "uri"
      })
    )
  )
}).annotate({ identifier: "NewBusinessDetails" })

export const Party = Schema.Struct({
  id: Schema.String,
  countryCode: Schema.String,
  partyId: Schema.String,
  businessDetails: Schema.Struct({ name: Schema.String, website: Schema.NullOr(Schema.String) }),
  default: Schema.Boolean.annotate({
    description: "Used for sites that name no party, for tariffs, and for partners on OCPI 2.1.1"
  }),
  createdAt: Time
}).annotate({ identifier: "Party" })

export const NewParty = Schema.Struct({
  countryCode: CountryAlpha2,
  partyId: PartyCode,
  businessDetails: NewDetails
}).annotate({ identifier: "NewParty" })

export class PartiesApi extends HttpApiGroup.make("parties").add(
  HttpApiEndpoint.post("create", "/v2/parties", {
    headers: IdempotencyHeader,
    payload: NewParty,
    success: Party.pipe(HttpApiSchema.status(201)),
    error: Conflict409
  }).annotateMerge(operation("Add a CPO party to the organisation", "partners:write")),
  HttpApiEndpoint.get("list", "/v2/parties", { query: PageQuery, success: listOf(Party) }).annotateMerge(
    operation("List the organisation's CPO parties, the default one first", "partners:read")
  )
) {}
