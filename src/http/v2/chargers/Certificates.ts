/** The endpoints of chargers' certificates over the domain's ports. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Certificates } from "../../../domain/charger/Certificates.ts"
import { Chargers } from "../../../domain/charger/Chargers.ts"
import { Api } from "../Api.ts"
import { organisationId } from "../requests/Caller.ts"
import { listed, pageRequest, PublicUrl } from "../requests/Paging.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "certificates",
  Effect.fn(function* (handlers) {
    const certificates = yield* Certificates
    const chargers = yield* Chargers
    const publicUrl = yield* PublicUrl
    return handlers.handleAll({
      requests: Effect.fn("v2.certificates.requests")(function* ({ params: { chargerId }, query, request }) {
        const organisation = yield* organisationId
        yield* chargers.get(organisation, chargerId)
        const page = yield* certificates.requests(organisation, chargerId, pageRequest(query))
        return yield* listed(publicUrl, request.url, page, (one) => one)
      }),
      installed: Effect.fn("v2.certificates.installed")(function* ({ params: { chargerId } }) {
        const organisation = yield* organisationId
        yield* chargers.get(organisation, chargerId)
        const items = yield* certificates.installed(organisation, chargerId)
        return { askedAt: items.length === 0 ? null : Math.max(...items.map(({ askedAt }) => askedAt)), items }
      })
    })
  })
)
