/** Tariffs in REST v2: made, changed, assigned, and previewed with an example session. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { connectorStatuses } from "../../../domain/site/Connector.ts"
import { standbyW } from "../../../domain/tariff/Evidence.ts"
import { ChargerId, rule, Time, TimeZone, Uuid, whole } from "../../Fields.ts"
import { Conflict409, NotFound404 } from "../requests/Failures.ts"
import { operation } from "../requests/Middleware.ts"
import { mayBeNull } from "../requests/Given.ts"
import { createdAt, IdempotencyHeader, listOf, PageQuery } from "../requests/Paging.ts"
import { ChargerTariffs, PlacedAssignment } from "./PlacedSchema.ts"
import { PriceLine } from "./PriceSchema.ts"
import { TariffChange, WholeTariff } from "./TariffInput.ts"
import {
  Assignment,
  AssignmentQuery,
  Assignments,
  Period,
  Price,
  prices,
  Running,
  Tariff,
  Warning,
  Week
} from "./TariffSchema.ts"

/** Most readings of an example: a week, one a minute. */
const readingsMax = 10_080

/** Longest example in days: each day's local times are evaluated. */
const daysMax = 366
const dayMillis = 86_400_000

/** Most energy of an example, Wh: more than any vehicle or depot takes in one session. */
const energyMax = 100_000_000

const Reading = Schema.Struct({
  at: Time,
  energyWh: Schema.Finite.check(
    rule((n: number) => n >= 0 && n <= energyMax, `Must be from 0 to ${energyMax}`, { minimum: 0, maximum: energyMax })
  ).annotate({ description: "Wh since the session began" }),
  powerW: mayBeNull(whole(0, energyMax)),
  currentA: mayBeNull(whole(0, 1_000_000)).annotate({ description: "Summed over all phases" })
})

/** Most status changes in an example. */
const statusesMax = 1_000

const StatusChange = Schema.Struct({
  at: Time,
  status: Schema.Literals(connectorStatuses)
}).annotate({
  description:
    "The connector's status from then on. It takes precedence over readings in distinguishing charging from parking"
})

const ExampleSession = Schema.Struct({
  startedAt: Time,
  endedAt: Time,
  timeZone: mayBeNull(TimeZone.annotate({ description: "The site's time zone; default UTC" })),
  readings: Schema.Array(Reading).check(Schema.isMaxLength(readingsMax)),
  statuses: mayBeNull(Schema.Array(StatusChange).check(Schema.isMaxLength(statusesMax))),
  standbyPowerW: mayBeNull(
    whole(standbyW.least, standbyW.most).annotate({
      description: `W; a vehicle that takes less counts as parked. Default ${standbyW.usual}, regardless of your organisation's setting`
    })
  ),
  running: mayBeNull(
    Schema.Boolean.annotate({
      description: "True: priced as a running session, before quantities are rounded up to steps"
    })
  )
})
  .check(
    Schema.makeFilter(({ endedAt, startedAt }: { readonly startedAt: number; readonly endedAt: number }) =>
      endedAt < startedAt
        ? { path: ["endedAt"], issue: "Must not be before startedAt" }
        : endedAt - startedAt > daysMax * dayMillis
          ? { path: ["endedAt"], issue: `Must be within ${daysMax} days of startedAt` }
          : undefined
    )
  )
  .annotate({ identifier: "ExampleSession" })

const Reservation = Schema.Struct({
  startedAt: Time,
  endedAt: Time,
  expired: Schema.Boolean.annotate({ description: "Whether it expired unused" })
})
  .check(
    Schema.makeFilter(({ endedAt, startedAt }: { readonly startedAt: number; readonly endedAt: number }) =>
      endedAt < startedAt || endedAt - startedAt > daysMax * dayMillis
        ? { path: ["endedAt"], issue: `Must be within ${daysMax} days after startedAt` }
        : undefined
    )
  )
  .annotate({ identifier: "ExampleReservation" })

/** The tariff has the same form as one that would be stored. */
export const NewPreview = Schema.Struct({
  tariff: WholeTariff,
  session: ExampleSession,
  reservation: mayBeNull(Reservation)
}).annotate({ identifier: "NewTariffPreview" })

export const Preview = Schema.Struct({
  cost: Schema.Struct({ currency: Schema.String, ...prices }),
  costs: Schema.Struct({ fixed: Price, energy: Price, time: Price, parking: Price, reservation: Price }),
  lines: Schema.Array(PriceLine),
  periods: Schema.Array(Period),
  warnings: Schema.Array(Warning).annotate({ description: "Probable mistakes in the tariff" })
}).annotate({ identifier: "TariffPreview" })

/** YYYY-MM-DD: an existing day, in the years in which tariffs are valid. */
const LocalDay = Schema.String.check(
  rule(
    (day: string) =>
      /^20\d{2}-\d{2}-\d{2}$/.test(day) && Date.parse(day) > 0 && new Date(day).toISOString().startsWith(day),
    "Must be a date, such as 2026-11-23",
    { format: "date" }
  )
)

const NewWeek = Schema.Struct({
  tariff: WholeTariff,
  startDate: LocalDay,
  powerW: mayBeNull(whole(0, energyMax)),
  currentA: mayBeNull(whole(0, 1_000_000))
}).annotate({ identifier: "NewTariffWeek" })

const params = { tariffId: Uuid }

export class TariffsApi extends HttpApiGroup.make("tariffs").add(
  HttpApiEndpoint.post("create", "/v2/tariffs", {
    headers: IdempotencyHeader,
    payload: WholeTariff,
    success: createdAt(Tariff.pipe(HttpApiSchema.status(201)))
  }).annotateMerge(operation("Create a tariff", "tariffs:write")),
  HttpApiEndpoint.get("list", "/v2/tariffs", { query: PageQuery, success: listOf(Tariff) }).annotateMerge(
    operation("List tariffs, newest first", "tariffs:read")
  ),
  HttpApiEndpoint.get("get", "/v2/tariffs/:tariffId", { params, success: Tariff, error: NotFound404 }).annotateMerge(
    operation("Read a tariff", "tariffs:read")
  ),
  HttpApiEndpoint.patch("update", "/v2/tariffs/:tariffId", {
    params,
    payload: TariffChange,
    success: Tariff,
    error: NotFound404
  }).annotateMerge(operation("Change a tariff for future sessions; null clears a field", "tariffs:write")),
  HttpApiEndpoint.delete("remove", "/v2/tariffs/:tariffId", {
    params,
    success: HttpApiSchema.NoContent,
    error: [NotFound404, Conflict409]
  }).annotateMerge(operation("Delete a tariff that is not assigned", "tariffs:write")),
  HttpApiEndpoint.get("runningSessions", "/v2/tariffs/:tariffId/running-sessions", {
    params,
    success: Running,
    error: NotFound404
  }).annotateMerge(
    operation("Count the running sessions under each version of a tariff", "tariffs:read", "sessions:read")
  ),
  HttpApiEndpoint.get("assignments", "/v2/tariffs/:tariffId/assignments", {
    params,
    success: Assignments,
    error: NotFound404
  }).annotateMerge(operation("List the assignments of a tariff", "tariffs:read")),
  HttpApiEndpoint.put("assign", "/v2/tariffs/:tariffId/assignments", {
    params,
    payload: Assignment,
    success: Assignments,
    error: NotFound404
  }).annotateMerge(
    operation(
      "Assign a tariff: it applies to sessions that start from now on. A connector's tariff takes precedence over that of its charger, the site's and the default",
      "tariffs:write"
    )
  ),
  HttpApiEndpoint.delete("unassign", "/v2/tariffs/:tariffId/assignments", {
    params,
    query: AssignmentQuery,
    success: HttpApiSchema.NoContent,
    error: NotFound404
  }).annotateMerge(operation("Remove an assignment", "tariffs:write")),
  HttpApiEndpoint.get("listAssignments", "/v2/tariff-assignments", {
    query: { ...PageQuery, tariffId: Schema.optionalKey(Uuid) },
    success: listOf(PlacedAssignment)
  }).annotateMerge(operation("List all assignments of tariffs, from wide to narrow", "tariffs:read")),
  HttpApiEndpoint.get("ofCharger", "/v2/chargers/:chargerId/tariffs", {
    params: { chargerId: ChargerId },
    query: { at: Schema.optionalKey(Time) },
    success: ChargerTariffs,
    error: NotFound404
  }).annotateMerge(
    operation(
      "Read which tariff a session at each connector of a charger gets, and why",
      "tariffs:read",
      "chargers:read"
    )
  ),
  HttpApiEndpoint.post("preview", "/v2/tariffs/preview", {
    headers: IdempotencyHeader,
    payload: NewPreview,
    success: Preview
  }).annotateMerge(operation("Price an example session; nothing is stored", "tariffs:read")),
  HttpApiEndpoint.post("week", "/v2/tariffs/preview/week", {
    headers: IdempotencyHeader,
    payload: NewWeek,
    success: Week
  }).annotateMerge(operation("Read the prices over a week, by the time at which a session starts", "tariffs:read"))
) {}
