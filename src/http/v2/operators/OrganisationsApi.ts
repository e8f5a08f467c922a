/** Organisations in REST v2: the platform creates them, and each reads and changes its own settings. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { closeSilentHours } from "../../../domain/session/Closing.ts"
import { standbyW } from "../../../domain/tariff/Evidence.ts"
import { CountryAlpha2, Email, Name, rule, Time, TimeZone, whole } from "../../Fields.ts"
import { Conflict409 } from "../requests/Failures.ts"
import { operation } from "../requests/Middleware.ts"
import { IdempotencyHeader, listOf, PageQuery } from "../requests/Paging.ts"

const UnknownTokens = Schema.Literals(["Refuse", "Accept"]).annotate({
  description: "What becomes of an unknown token"
})

const ConcurrentTransactions = Schema.Literals(["Refuse", "Allow"]).annotate({
  description: "Whether one token may have two sessions at once"
})

const LocalLists = Schema.Literals(["Manual", "Managed"]).annotate({
  description: "Managed: the local authorisation lists of chargers are kept in step with the tokens"
})

/** Seconds. A shorter interval floods the service, and one longer than a day is no sign of life. */
const HeartbeatInterval = whole(10, 86_400)

const CloseSilent = whole(closeSilentHours.least, closeSilentHours.most).annotate({
  description:
    "Hours after which a session that is heard of no more is closed and held, if nothing shows that it goes on"
})

const StandbyPower = whole(standbyW.least, standbyW.most).annotate({
  description: "W; a vehicle that takes less is parked, where the charger does not say what the vehicle does"
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
  operatorEmail: Schema.optionalKey(Email.annotate({ description: "The first operator's; without it one is made up" }))
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
  timeZone: Schema.String.annotate({ description: "IANA name; sites that name none have it" }),
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
  apiKey: Schema.String.annotate({ description: "A first v2 key: shown now and never again" }),
  clientId: Schema.String.annotate({ description: "For REST v1, with code" }),
  code: Schema.String.annotate({ description: "For REST v1: shown now and never again" })
}).annotate({ identifier: "OrganisationWithKeys" })

export class OrganisationsApi extends HttpApiGroup.make("organisations").add(
  HttpApiEndpoint.post("create", "/v2/organisations", {
    headers: IdempotencyHeader,
    payload: NewOrganisation,
    success: OrganisationOnce.pipe(HttpApiSchema.status(201)),
    error: Conflict409
  }).annotateMerge(operation("Create an organisation (platform only)", "platform:admin")),
  HttpApiEndpoint.get("list", "/v2/organisations", { query: PageQuery, success: listOf(Organisation) }).annotateMerge(
    operation("List all organisations of this service (platform only)", "platform:admin")
  ),
  HttpApiEndpoint.get("get", "/v2/organisation", { success: Organisation }).annotateMerge(
    operation("Read one's own organisation", "organisation:read")
  ),
  HttpApiEndpoint.patch("update", "/v2/organisation", {
    payload: OrganisationChange,
    success: Organisation
  }).annotateMerge(operation("Change one's own settings", "organisation:write"))
) {}
