/** The endpoints of statistics over the domain's port. */
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ChargerHistory } from "../../../domain/charger/ChargerHistory.ts"
import { Chargers } from "../../../domain/charger/Chargers.ts"
import {
  figuresOf,
  maxSeriesMillis,
  maxSeriesPoints,
  type SeriesMetric,
  type SeriesRange,
  seriesSteps
} from "../../../domain/charger/Series.ts"
import { InvalidInput } from "../../../domain/Errors.ts"
import { Api } from "../Api.ts"
import { organisationId } from "../requests/Caller.ts"

const units = { power: "W", energy: "Wh", sessions: "sessions", availability: "percent" } as const satisfies Readonly<
  Record<SeriesMetric, string>
>

const refused = (pointer: string, detail: string) => Effect.fail(new InvalidInput({ pointer, detail }))

const checked = ({ from, stepMillis, to }: SeriesRange, now: number): Effect.Effect<void, InvalidInput> => {
  if (from >= to) return refused("/from", "must be before to")
  if (now - from > maxSeriesMillis) return refused("/from", "must be at most 92 days ago")
  if (to - from > maxSeriesPoints * stepMillis) {
    return refused("/step", `must be larger for this range: a series has at most ${maxSeriesPoints} points`)
  }
  return Effect.void
}

export const layer = HttpApiBuilder.group(
  Api,
  "statistics",
  Effect.fn(function* (handlers) {
    const chargers = yield* Chargers
    const history = yield* ChargerHistory
    return handlers.handleAll({
      get: Effect.fn("v2.statistics.get")(function* () {
        return yield* chargers.statistics(yield* organisationId, yield* Clock.currentTimeMillis)
      }),
      series: Effect.fn("v2.statistics.series")(function* ({ query }) {
        const now = yield* Clock.currentTimeMillis
        const { chargerId, metric, siteId, step = "PT15M", to = now } = query
        const range = { from: query.from ?? to - seriesSteps.P1D, to, stepMillis: seriesSteps[step] }
        yield* checked(range, now)
        const organisation = yield* organisationId
        const asked = { ...range, siteId, chargerId }
        const figures =
          metric === "availability"
            ? yield* history.availability(organisation, asked, now)
            : figuresOf(metric, range, yield* chargers.sessionWindows(organisation, asked), now)
        return { metric, unit: units[metric], step, from: range.from, to, ...figures }
      })
    })
  })
)
