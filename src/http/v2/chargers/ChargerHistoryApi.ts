/**
 * The history of chargers in REST v2. Statuses and connections are two lists, because they share only a time, and half
 * of each item would be null in a common list.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { isMonth } from "../../../domain/values/Month.ts"
import { ChargerId, rule, Time, Uuid, wholeInQuery } from "../../Fields.ts"
import { NotFound404 } from "../requests/Failures.ts"
import { operation } from "../requests/Middleware.ts"
import { listOf, PageQuery } from "../requests/Paging.ts"

const params = { chargerId: ChargerId }

const Month = Schema.String.check(
  rule(isMonth, "Must be a month, such as 2026-11", { pattern: "^\\d{4}-(0[1-9]|1[0-2])$" })
)

const Place = wholeInQuery(0, 9999)

export const PastStatus = Schema.Struct({
  at: Time.annotate({ description: "By the charger's clock if it was plausible, and never after heardAt" }),
  heardAt: Time,
  evseId: Schema.Int.annotate({ description: "0 is the charger as a whole" }),
  connectorId: Schema.Int,
  status: Schema.String,
  errorCode: Schema.NullOr(Schema.String),
  info: Schema.NullOr(Schema.String),
  vendorId: Schema.NullOr(Schema.String),
  vendorErrorCode: Schema.NullOr(Schema.String)
}).annotate({ identifier: "PastStatus" })

export const PastConnection = Schema.Struct({
  connectedAt: Time,
  disconnectedAt: Schema.NullOr(Time).annotate({ description: "Null while it is open" }),
  reason: Schema.NullOr(Schema.String).annotate({ description: "Why it ended, as human-readable text" }),
  ocppVersion: Schema.String,
  securityProfile: Schema.Int,
  remoteAddress: Schema.String
}).annotate({ identifier: "PastConnection" })

export const CountedDay = Schema.Struct({
  day: Schema.String,
  transactions: Schema.Int,
  energyWh: Schema.Int,
  firstAt: Time,
  lastAt: Time
}).annotate({ identifier: "CountedDay" })

const Seconds = Schema.Int

export const ConnectorUptime = Schema.Struct({
  chargerId: Schema.String,
  siteId: Schema.String,
  evseId: Schema.Int,
  connectorId: Schema.Int,
  month: Schema.String,
  timeZone: Schema.String.annotate({ description: "The site's time zone, in which the month is counted" }),
  totalSeconds: Seconds.annotate({
    description: "Seconds of the month that have passed since the connector's first status: up + down + excluded"
  }),
  upSeconds: Seconds,
  downSeconds: Seconds.annotate({ description: "offline + faulted + unavailable" }),
  excludedSeconds: Seconds.annotate({
    description: "Not usable while an operator's own ChangeAvailability to Inoperative was in force"
  }),
  offlineSeconds: Seconds,
  faultedSeconds: Seconds,
  unavailableSeconds: Seconds,
  uptimePercent: Schema.NullOr(Schema.Finite).annotate({
    description: "(total - down) / total, truncated to three digits; null if nothing is counted"
  })
}).annotate({ identifier: "ConnectorUptime" })

export class ChargerHistoryApi extends HttpApiGroup.make("history").add(
  HttpApiEndpoint.get("connectors", "/v2/chargers/:chargerId/history/connectors", {
    params,
    query: {
      ...PageQuery,
      evseId: Schema.optionalKey(Place),
      connectorId: Schema.optionalKey(Place),
      from: Schema.optionalKey(Time.annotate({ description: "At or after" })),
      to: Schema.optionalKey(Time.annotate({ description: "Before" }))
    },
    success: listOf(PastStatus),
    error: NotFound404
  }).annotateMerge(operation("List the statuses of a charger's connectors, newest first", "chargers:read")),
  HttpApiEndpoint.get("connections", "/v2/chargers/:chargerId/history/connections", {
    params,
    query: {
      ...PageQuery,
      from: Schema.optionalKey(Time.annotate({ description: "Connected at or after" })),
      to: Schema.optionalKey(Time.annotate({ description: "Connected before" }))
    },
    success: listOf(PastConnection),
    error: NotFound404
  }).annotateMerge(operation("List the connections of a charger, newest first", "chargers:read")),
  HttpApiEndpoint.get("countedTransactions", "/v2/chargers/:chargerId/history/counted-transactions", {
    params,
    query: PageQuery,
    success: listOf(CountedDay),
    error: NotFound404
  }).annotateMerge(
    operation("List the days on which transactions of a charger were only counted, newest first", "chargers:read")
  ),
  HttpApiEndpoint.get("uptime", "/v2/statistics/uptime", {
    query: {
      ...PageQuery,
      month: Schema.optionalKey(Month.annotate({ description: "`YYYY-MM`; default: the current month so far" })),
      siteId: Schema.optionalKey(Uuid),
      chargerId: Schema.optionalKey(ChargerId)
    },
    success: listOf(ConnectorUptime)
  }).annotateMerge(operation("Read the uptime of each connector in a month", "statistics:read"))
) {}
