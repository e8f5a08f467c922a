/** Chargers in REST v2 as small rows, for tables and live views of thousands of chargers, and the number of chargers in each state. */
import { Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { type OverallState, overallStates } from "../../../domain/charger/ChargerRow.ts"
import { maxSummaries } from "../../../domain/charger/Chargers.ts"
import { StateCounts } from "../../ChargerStatus.ts"
import { flag, rule, text, Time, Uuid, wholeInQuery } from "../../Fields.ts"
import { operation } from "../requests/Middleware.ts"
import { defaultLimit, listOf, PageQuery } from "../requests/Paging.ts"

const RowConnector = Schema.Struct({
  evseId: Schema.Int,
  connectorId: Schema.Int,
  status: Schema.String,
  errorCode: Schema.optionalKey(Schema.String),
  info: Schema.optionalKey(Schema.String),
  since: Time,
  powerW: Schema.optionalKey(Schema.Int),
  sessionId: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "ChargerRowConnector" })

const nullableText = Schema.NullOr(Schema.String)

export const Row = Schema.Struct({
  id: Schema.String,
  chargerId: Schema.String,
  name: Schema.String,
  siteId: nullableText,
  siteName: nullableText,
  connected: Schema.Boolean,
  everConnected: Schema.Boolean,
  lastSeenAt: Schema.NullOr(Time),
  state: Schema.Literals(overallStates),
  vendor: nullableText,
  model: nullableText,
  firmwareVersion: nullableText,
  protocol: nullableText,
  connectors: Schema.Array(RowConnector),
  powerW: Schema.Int,
  activeSessions: Schema.Int
}).annotate({ identifier: "ChargerRow" })

const ChargerCounts = Schema.Struct({
  total: Schema.Int,
  byState: StateCounts,
  needAttention: Schema.Int,
  connected: Schema.Int,
  powerW: Schema.Int
}).annotate({ identifier: "ChargerCounts" })

const isState = (state: string): state is OverallState => (overallStates as ReadonlyArray<string>).includes(state)

const stateList = `One of ${overallStates.join(", ")}`

/** States, separated by commas. */
const States = text(200)
  .check(rule((states: string) => states.split(",").every(isState), `${stateList}; several separated by commas`))
  .annotate({ description: "Only chargers in these states, separated by commas" })

/** The states in a query; undefined if it names none. */
export const statesOf = (states: string | undefined): ReadonlyArray<OverallState> | undefined =>
  states?.split(",").filter(isState)

const fleetFilters = {
  q: Schema.optionalKey(
    text(100).annotate({
      description:
        "Text that occurs in the chargerId, the name, the site's name or `vendor model`; case does not matter"
    })
  ),
  siteId: Schema.optionalKey(Uuid)
}

export const rows = HttpApiEndpoint.get("rows", "/v2/charger-rows", {
  query: {
    limit: Schema.optionalKey(
      wholeInQuery(1, maxSummaries, `Maximum number of rows in a page, 1 to ${maxSummaries}; default ${defaultLimit}`)
    ),
    cursor: PageQuery.cursor,
    ...fleetFilters,
    state: Schema.optionalKey(States),
    connected: Schema.optionalKey(flag("true: only chargers that are connected; false: only those that are not")),
    firmware: Schema.optionalKey(text(255).annotate({ description: "As the charger reports it" }))
  },
  success: listOf(Row)
}).annotateMerge(operation("List chargers as small rows, by chargerId", "chargers:read"))

export const counts = HttpApiEndpoint.get("counts", "/v2/charger-rows/counts", {
  query: fleetFilters,
  success: ChargerCounts
}).annotateMerge(operation("Count chargers by state", "chargers:read"))
