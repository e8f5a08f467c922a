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
  description: "`in` is a request of the partner's, `out` one of ours"
})

const optionalText = Schema.NullOr(Schema.String)

export const LoggedExchange = Schema.Struct({
  id: Schema.String,
  at: Time,
  direction: Direction,
  module: Schema.String.annotate({ description: "OCPI's ModuleID, `versions`, or empty for what is none" }),
  method: Schema.String,
  path: Schema.String.annotate({ description: "With its query; of our own requests with the host as well" }),
  httpStatus: Schema.NullOr(Schema.Int).annotate({ description: "Null where there was no answer; `error` says why" }),
  ocpiStatus: Schema.NullOr(Schema.Int),
  durationMs: Schema.Int,
  requestId: Schema.String,
  correlationId: Schema.String,
  requestBody: optionalText.annotate({ description: "Tokens and response_urls masked, cut after 8192 characters" }),
  responseBody: optionalText.annotate({ description: "Tokens and response_urls masked, cut after 8192 characters" }),
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
  pulledAt: moment.annotate({ description: "When the last fetch that ended well began" }),
  triedAt: moment,
  dueAt: Time,
  taken: Schema.Int.annotate({ description: "Tokens that it took" }),
  unreadable: Schema.Int.annotate({ description: "What was no token of this partner's" }),
  problem: optionalText.annotate({ description: "Why the last one failed" }),
  tokens: Schema.Int.annotate({ description: "How many there are of this partner by now, pushed ones too" })
}).annotate({ identifier: "TokenFetch" })

export const PartnerHealth = Schema.Struct({
  status: Schema.Literals(partnerStatuses),
  modules: Schema.Array(ModuleHealth),
  tokens: Schema.NullOr(TokenFetch).annotate({ description: "Null where it never had tokens to be fetched" }),
  deliveries: Schema.NullOr(DeliveryHealth).annotate({ description: "Null where nothing was ever to be sent" })
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
      failed: Schema.optionalKey(flag("true: what did not succeed alone; false: what did"))
    },
    success: listOf(LoggedExchange),
    error: NotFound404
  }).annotateMerge(operation("The log of what was exchanged with a partner, newest first", "partners:read")),
  HttpApiEndpoint.get("health", "/v2/partners/:partnerId/health", {
    params,
    success: PartnerHealth,
    error: NotFound404
  }).annotateMerge(operation("How each module of a partner does", "partners:read")),
  HttpApiEndpoint.get("clients", "/v2/partners/:partnerId/clients", {
    params,
    query: PageQuery,
    success: listOf(HubClient),
    error: NotFound404
  }).annotateMerge(operation("The parties behind a partner that is a hub, as it reports them", "partners:read"))
) {}
