/** The endpoint of local authorisation lists over the domain's port. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { LocalLists } from "../../../domain/command/LocalLists.ts"
import { Api } from "../Api.ts"
import { organisationId } from "../requests/Caller.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "local-lists",
  Effect.fn(function* (handlers) {
    const lists = yield* LocalLists
    return handlers.handleAll({
      get: Effect.fn("v2.local-lists.get")(function* ({ params }) {
        const { inStep, reason, state, updatedAt, version } = yield* lists.status(
          yield* organisationId,
          params.chargerId
        )
        return { version: version ?? null, inStep, state, reason: reason ?? null, updatedAt: updatedAt ?? null }
      })
    })
  })
)
