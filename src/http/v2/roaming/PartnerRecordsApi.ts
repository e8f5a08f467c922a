/** Diagnostics of a partner in REST v2: the log of its exchanges, the health of its modules, and the parties behind it if it is a hub. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { flag, text, Time, Uuid } from "../../Fields.ts"
import { DeliveryHealth } from "../events/DeliveriesApi.ts"
import { NotFound404 } from "../requests/Failures.ts"
import { operation } from "../requests/Middleware.ts"
import { listOf, PageQuery } from "../requests/Paging.ts"
import { clientStatuses } from "../../../domain/roaming/ClientInfo.ts"
import { partnerStatuses } from "../../../domain/roaming/Partner.ts"

const Direction = Schema.Literals(["in", "out"]).annotate({
  description: "`in`: a request from the partner, `out`: one from this service"
})

const optionalText = Schema.NullOr(Schema.String)

export const LoggedExchange = Schema.Struct({
  id: Schema.String,
  at: Time,
  direction: Direction,
  module: Schema.String.annotate({ description: "OCPI's ModuleID, `versions`, or empty for anything else" }),
  method: Schema.String,
  path: Schema.String.annotate({ description: "With the query; for our own requests also with the host" }),
  httpStatus: Schema.NullOr(Schema.Int).annotate({ description: "Null if there was no answer; `error` says why" }),
  ocpiStatus: Schema.NullOr(Schema.Int),
  durationMs: Schema.Int,
  requestId: Schema.String,
  correlationId: Schema.String,
  requestBody: optionalText.annotate({
    description: "With tokens and response_urls masked, cut after 8192 characters"
  }),
  responseBody: optionalText.annotate({
    description: "With tokens and response_urls masked, cut after 8192 characters"
  }),
  error: optionalText
}).annotate({ identifier: "PartnerExchange" })

const moment = Schema.NullOr(Time)

export const ModuleHealth = Schema.Struct({
  module: Schema.String,
  direction: Direction,
  lastSuccessAt: moment,
  lastFailureAt: moment,
  lastFailure: optionalText,
  successes: Schema.Int,
  failures: Schema.Int
}).annotate({ identifier: "PartnerModuleHealth" })

export const TokenFetch = Schema.Struct({
  pulledAt: moment.annotate({ description: "When the last successful fetch began" }),
  triedAt: moment,
  dueAt: Time,
  taken: Schema.Int.annotate({ description: "Number of tokens that it accepted" }),
  unreadable: Schema.Int.annotate({ description: "Number of entries that were not tokens of this partner" }),
  problem: optionalText.annotate({ description: "Why the last one failed, or which tokens it dropped" }),
  tokens: Schema.Int.annotate({ description: "Number of tokens of this partner in total, including pushed ones" })
}).annotate({ identifier: "TokenFetch" })

export const PartnerHealth = Schema.Struct({
  status: Schema.Literals(partnerStatuses),
  modules: Schema.Array(ModuleHealth),
  tokens: Schema.NullOr(TokenFetch).annotate({ description: "Null if it never had tokens to fetch" }),
  deliveries: Schema.NullOr(DeliveryHealth).annotate({ description: "Null if there was never anything to send" })
}).annotate({ identifier: "PartnerHealth" })

export const HubClient = Schema.Struct({
  countryCode: Schema.String,
  partyId: Schema.String,
  role: Schema.String,
  status: Schema.Literals(clientStatuses),
  lastUpdated: Time
}).annotate({ identifier: "HubClient" })

const params = { partnerId: Uuid }

export class PartnerRecordsApi extends HttpApiGroup.make("partner-records").add(
  HttpApiEndpoint.get("exchanges", "/v2/partners/:partnerId/exchanges", {
    params,
    query: {
      ...PageQuery,
      from: Schema.optionalKey(Time),
      to: Schema.optionalKey(Time),
      module: Schema.optionalKey(text(64)),
      direction: Schema.optionalKey(Direction),
      failed: Schema.optionalKey(flag("true: only exchanges that failed; false: only those that succeeded"))
    },
    success: listOf(LoggedExchange),
    error: NotFound404
  }).annotateMerge(operation("List requests exchanged with a partner, newest first", "partners:read")),
  HttpApiEndpoint.get("health", "/v2/partners/:partnerId/health", {
    params,
    success: PartnerHealth,
    error: NotFound404
  }).annotateMerge(operation("Read the health of each of a partner's modules", "partners:read")),
  HttpApiEndpoint.get("clients", "/v2/partners/:partnerId/clients", {
    params,
    query: PageQuery,
    success: listOf(HubClient),
    error: NotFound404
  }).annotateMerge(
    operation("List the parties behind a partner that is a hub, as the hub reports them", "partners:read")
  )
) {}
