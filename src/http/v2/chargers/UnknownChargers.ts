/** The endpoints of unknown chargers over the domain's port. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PermissionDenied } from "../../../domain/Errors.ts"
import { ifShared, missing } from "../../../domain/operator/Permission.ts"
import { UnknownChargerAttempts } from "../../../domain/charger/UnknownChargerAttempts.ts"
import { Api } from "../Api.ts"
import { audit } from "../requests/Caller.ts"
import { Caller } from "../requests/Middleware.ts"
import { listed, pageRequest, PublicUrl } from "../requests/Paging.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "unknown-chargers",
  Effect.fn(function* (handlers) {
    const attempts = yield* UnknownChargerAttempts
    const publicUrl = yield* PublicUrl

    /**
     * An unregistered id may belong to any organisation. If there are several, an organisation may not see the attempts of others'
     * chargers.
     */
    const allowed = Effect.gen(function* () {
      const { organisationId, permissions } = yield* Caller
      if (missing(permissions, ifShared).length === 0 || (yield* attempts.concernOnly(organisationId))) return
      return yield* new PermissionDenied({ requiredPermissions: ifShared })
    })

    return handlers.handleAll({
      list: Effect.fn("v2.unknown-chargers.list")(function* ({ query, request }) {
        yield* allowed
        const page = yield* attempts.list(pageRequest(query))
        return yield* listed(publicUrl, request.url, page, (one) => one)
      }),
      forget: Effect.fn("v2.unknown-chargers.forget")(function* ({ params }) {
        yield* allowed
        yield* attempts.forget(params.chargerId, yield* audit)
      })
    })
  })
)
