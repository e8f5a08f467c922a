/** The endpoint of statistics over the domain's port. */
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Chargers } from "../../../domain/charger/Chargers.ts"
import { Api } from "../Api.ts"
import { organisationId } from "../requests/Caller.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "statistics",
  Effect.fn(function* (handlers) {
    const chargers = yield* Chargers
    return handlers.handleAll({
      get: Effect.fn("v2.statistics.get")(function* () {
        return yield* chargers.statistics(yield* organisationId, yield* Clock.currentTimeMillis)
      })
    })
  })
)
