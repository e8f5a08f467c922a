/** The endpoint of the work queues over the domain's port. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { UnknownChargerAttempts } from "../../../domain/charger/UnknownChargerAttempts.ts"
import { queuesFor, Work } from "../../../domain/work/Work.ts"
import { Api } from "../Api.ts"
import { Caller } from "../requests/Middleware.ts"

const unread = {
  heldSessions: null,
  corrections: null,
  parkedDeliveries: null,
  parkedEvents: null,
  tokenConflicts: null,
  unknownChargers: null,
  configurationDrifts: null
}

export const layer = HttpApiBuilder.group(
  Api,
  "work",
  Effect.fn(function* (handlers) {
    const work = yield* Work
    const attempts = yield* UnknownChargerAttempts
    return handlers.handleAll({
      get: Effect.fn("v2.work.get")(function* () {
        const { organisationId, permissions } = yield* Caller
        const isOnly = yield* attempts.concernOnly(organisationId)
        const counts = yield* work.counts(organisationId, queuesFor(permissions, { isOnly }))
        return { ...unread, ...counts }
      })
    })
  })
)
