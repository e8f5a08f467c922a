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
  connectorId: Schema.Int.annotate({ description: "OCPP 1.6's: 0 is the whole charger" }),
  evseId: Schema.Int,
  setAt: Time,
  chargingProfile: ChargingProfile
}).annotate({ identifier: "StandingProfile" })

const Difference = Schema.Struct({
  from: Time,
  to: Time,
  computed: Schema.NullOr(Schema.Finite),
  reported: Schema.NullOr(Schema.Finite)
}).annotate({ identifier: "ScheduleDifference", description: "Limits in the unit of the charger's answer" })

export const CompositeSchedule = Schema.Struct({
  connectorId: Schema.Int,
  computed: ChargingSchedule.annotate({ description: "What the profiles that stand come to, from now on" }),
  reported: Schema.NullOr(Schema.Struct({ at: Time, answer: Schema.Record(Schema.String, Schema.Unknown) })).annotate({
    description: "What the charger last answered to GetCompositeSchedule; null where it was not asked"
  }),
  differences: Schema.NullOr(Schema.Array(Difference)).annotate({
    description:
      "Where the charger's answer is not what we compute for the same time; null where there is nothing to compare"
  })
}).annotate({ identifier: "CompositeSchedule" })

const params = { chargerId: ChargerId }

export class ChargingProfilesApi extends HttpApiGroup.make("charging-profiles").add(
  HttpApiEndpoint.get("standing", "/v2/chargers/:chargerId/charging-profiles", {
    params,
    success: listOf(InstalledProfile),
    error: NotFound404
  }).annotateMerge(operation("The charging profiles that the charger has accepted and that stand", "chargers:read")),
  HttpApiEndpoint.get("composite", "/v2/chargers/:chargerId/composite-schedule", {
    params,
    query: {
      connectorId: Schema.optionalKey(wholeInQuery(0, connectorIdMax, "0, the whole charger, without it")),
      duration: Schema.optionalKey(wholeInQuery(1, compositeSecondsMax, `Seconds; ${defaultDuration} without it`)),
      chargingRateUnit: Schema.optionalKey(Schema.Literals(["A", "W"]).annotate({ description: "A without it" }))
    },
    success: CompositeSchedule,
    error: NotFound404
  }).annotateMerge(
    operation("What the profiles in force come to, and whether the charger says the same", "chargers:read")
  )
) {}
