/** Organisations in REST v2: the platform creates them, and each reads and changes its own settings. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { closeSilentHours } from "../../../domain/session/Closing.ts"
import { standbyW } from "../../../domain/tariff/Evidence.ts"
import { CountryAlpha2, Email, Name, rule, Time, TimeZone, whole } from "../../Fields.ts"
import { Conflict409 } from "../requests/Failures.ts"
import { graveOperation, graveOperationIf, operation } from "../requests/Middleware.ts"
import { IdempotencyHeader, listOf, PageQuery } from "../requests/Paging.ts"

const UnknownTokens = Schema.Literals(["Refuse", "Accept"]).annotate({
  description: "How unknown tokens are treated"
})

const ConcurrentTransactions = Schema.Literals(["Refuse", "Allow"]).annotate({
  description: "Whether a token may have several sessions at once"
})

const LocalLists = Schema.Literals(["Manual", "Managed"]).annotate({
  description: "Managed: the service keeps the chargers' local authorisation lists up to date with the tokens"
})

/** Seconds. A shorter interval floods the service, and one longer than a day is no sign of life. */
const HeartbeatInterval = whole(10, 86_400)

const CloseSilent = whole(closeSilentHours.least, closeSilentHours.most).annotate({
  description: "Hours without news after which a session is closed and held, if nothing shows that it continues"
})

const StandbyPower = whole(standbyW.least, standbyW.most).annotate({
  description: "W; a vehicle that takes less counts as parked if the charger does not report its state"
})

const PartyId = Schema.String.check(
  rule((id: string) => /^[A-Z0-9]{3}$/.test(id), "Must have three upper-case letters or digits", {
    pattern: "^[A-Z0-9]{3}$"
  })
)

export const NewOrganisation = Schema.Struct({
  name: Name,
  countryCode: CountryAlpha2,
  partyId: PartyId,
  operatorEmail: Schema.optionalKey(
    Email.annotate({ description: "The first operator's email address; default: a generated one" })
  )
}).annotate({ identifier: "NewOrganisation" })

export const OrganisationChange = Schema.Struct({
  name: Schema.optionalKey(Name),
  timeZone: Schema.optionalKey(TimeZone),
  unknownTokens: Schema.optionalKey(UnknownTokens),
  concurrentTransactions: Schema.optionalKey(ConcurrentTransactions),
  heartbeatIntervalSeconds: Schema.optionalKey(HeartbeatInterval),
  localLists: Schema.optionalKey(LocalLists),
  closeSilentSessionsAfterHours: Schema.optionalKey(CloseSilent),
  standbyPowerW: Schema.optionalKey(StandbyPower),
  requireSecondFactor: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "OrganisationChange" })

const fields = {
  id: Schema.String,
  name: Schema.String,
  countryCode: Schema.String,
  partyId: Schema.String,
  timeZone: Schema.String.annotate({ description: "IANA time zone name; the default for sites" }),
  unknownTokens: UnknownTokens,
  concurrentTransactions: ConcurrentTransactions,
  heartbeatIntervalSeconds: Schema.Int,
  localLists: LocalLists,
  closeSilentSessionsAfterHours: Schema.Int,
  standbyPowerW: Schema.Int,
  requireSecondFactor: Schema.Boolean,
  createdAt: Time
}

export const Organisation = Schema.Struct(fields).annotate({ identifier: "Organisation" })

const OrganisationOnce = Schema.Struct({
  ...fields,
  apiKey: Schema.String.annotate({ description: "A first v2 key; shown only once" }),
  clientId: Schema.String.annotate({ description: "For REST v1, together with `code`" }),
  code: Schema.String.annotate({ description: "For REST v1; shown only once" })
}).annotate({ identifier: "OrganisationWithKeys" })

export class OrganisationsApi extends HttpApiGroup.make("organisations").add(
  HttpApiEndpoint.post("create", "/v2/organisations", {
    headers: IdempotencyHeader,
    payload: NewOrganisation,
    success: OrganisationOnce.pipe(HttpApiSchema.status(201)),
    error: Conflict409
  }).annotateMerge(graveOperation("Create an organisation (platform only)", "platform:admin")),
  HttpApiEndpoint.get("list", "/v2/organisations", { query: PageQuery, success: listOf(Organisation) }).annotateMerge(
    operation("List all organisations of this service (platform only)", "platform:admin")
  ),
  HttpApiEndpoint.get("get", "/v2/organisation", { success: Organisation }).annotateMerge(
    operation("Read your own organisation", "organisation:read")
  ),
  HttpApiEndpoint.patch("update", "/v2/organisation", {
    payload: OrganisationChange,
    success: Organisation
  }).annotateMerge(
    graveOperationIf("if `requireSecondFactor` is false", "Change your organisation's settings", "organisation:write")
  )
) {}
