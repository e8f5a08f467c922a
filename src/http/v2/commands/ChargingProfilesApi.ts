/** Smart charging in REST v2: the profiles that are in force at a charger, and the schedule that results. Commands set and clear them. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { compositeSecondsMax } from "../../../domain/command/Composite.ts"
import { ChargerId, Time, wholeInQuery } from "../../Fields.ts"
import { ChargingProfile, ChargingSchedule } from "./ChargingProfileSchema.ts"
import { NotFound404 } from "../requests/Failures.ts"
import { operation } from "../requests/Middleware.ts"
import { listOf } from "../requests/Paging.ts"

/** Seconds that are computed if `duration` is left out. */
export const defaultDuration = 86_400

/** OCPP 1.6 numbers connectors from 1; no charger has nearly as many. */
const connectorIdMax = 1000

export const InstalledProfile = Schema.Struct({
  connectorId: Schema.Int.annotate({ description: "OCPP 1.6's connectorId: 0 is the whole charger" }),
  evseId: Schema.Int,
  setAt: Time,
  chargingProfile: ChargingProfile
}).annotate({ identifier: "StandingProfile" })

const Difference = Schema.Struct({
  from: Time,
  to: Time,
  computed: Schema.NullOr(Schema.Finite),
  reported: Schema.NullOr(Schema.Finite)
}).annotate({
  identifier: "ScheduleDifference",
  description: "The unit of the limits, taken from the charger's answer"
})

export const CompositeSchedule = Schema.Struct({
  connectorId: Schema.Int,
  computed: ChargingSchedule.annotate({
    description: "The schedule that results from the profiles in force, from now on"
  }),
  reported: Schema.NullOr(Schema.Struct({ at: Time, answer: Schema.Record(Schema.String, Schema.Unknown) })).annotate({
    description: "The charger's last answer to GetCompositeSchedule; null if it was not asked"
  }),
  differences: Schema.NullOr(Schema.Array(Difference)).annotate({
    description:
      "Where the charger's answer differs from the computed schedule for the same time; null if there is nothing to compare"
  })
}).annotate({ identifier: "CompositeSchedule" })

const params = { chargerId: ChargerId }

export class ChargingProfilesApi extends HttpApiGroup.make("charging-profiles").add(
  HttpApiEndpoint.get("standing", "/v2/chargers/:chargerId/charging-profiles", {
    params,
    success: listOf(InstalledProfile),
    error: NotFound404
  }).annotateMerge(
    operation("List the charging profiles that the charger has accepted and that are in force", "chargers:read")
  ),
  HttpApiEndpoint.get("composite", "/v2/chargers/:chargerId/composite-schedule", {
    params,
    query: {
      connectorId: Schema.optionalKey(wholeInQuery(0, connectorIdMax, "Default 0, the whole charger")),
      duration: Schema.optionalKey(wholeInQuery(1, compositeSecondsMax, `Seconds; default ${defaultDuration}`)),
      chargingRateUnit: Schema.optionalKey(Schema.Literals(["A", "W"]).annotate({ description: "Default A" }))
    },
    success: CompositeSchedule,
    error: NotFound404
  }).annotateMerge(
    operation(
      "Read the schedule that results from the profiles in force, and whether the charger's own agrees",
      "chargers:read"
    )
  )
) {}
