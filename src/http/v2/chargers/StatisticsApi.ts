/** Statistics of one organisation in REST v2: current figures, and figures over time. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { maxSeriesPoints, seriesMetrics, type SeriesStep, seriesSteps } from "../../../domain/charger/Series.ts"
import { Statistics } from "../../ChargerStatus.ts"
import { ChargerId, Time, Uuid } from "../../Fields.ts"
import { operation } from "../requests/Middleware.ts"

const steps = Object.keys(seriesSteps) as ReadonlyArray<SeriesStep> as readonly [SeriesStep, ...Array<SeriesStep>]

const Series = Schema.Struct({
  metric: Schema.Literals(seriesMetrics),
  unit: Schema.Literals(["W", "Wh", "sessions", "percent"]),
  step: Schema.Literals(steps),
  from: Time,
  to: Time,
  points: Schema.Array(
    Schema.Struct({
      at: Time.annotate({ description: "Start of the step" }),
      value: Schema.NullOr(Schema.Finite)
    }).annotate({ identifier: "SeriesPoint" })
  ).annotate({ description: `At most ${maxSeriesPoints}, oldest first; none for the future` }),
  overall: Schema.NullOr(Schema.Finite)
}).annotate({ identifier: "Series" })

export class StatisticsApi extends HttpApiGroup.make("statistics")
  .add(
    HttpApiEndpoint.get("get", "/v2/statistics", { success: Statistics }).annotateMerge(
      operation("Count chargers, connectors, sessions and energy", "statistics:read")
    )
  )
  .add(
    HttpApiEndpoint.get("series", "/v2/statistics/series", {
      query: {
        metric: Schema.Literals(seriesMetrics),
        step: Schema.optionalKey(Schema.Literals(steps)),
        from: Schema.optionalKey(Time.annotate({ description: "At or after this time; default: a day before `to`" })),
        to: Schema.optionalKey(Time.annotate({ description: "Before this time; default: now" })),
        siteId: Schema.optionalKey(Uuid),
        chargerId: Schema.optionalKey(ChargerId)
      },
      success: Series
    }).annotateMerge(
      operation("Read power, energy, sessions or availability over time, at most 92 days back", "statistics:read")
    )
  ) {}
