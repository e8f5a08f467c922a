/** The four operations of REST v1 over the domain's ports. */
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Chargers } from "../../domain/charger/Chargers.ts"
import { Presence } from "../../domain/charger/Presence.ts"
import { Sites } from "../../domain/site/Sites.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import { isChargerId } from "../../domain/values/ChargerId.ts"
import { chargerStatus } from "../ChargerStatus.ts"
import { V1Api } from "./Api.ts"
import { Refused } from "./Errors.ts"
import { V1Caller } from "./Middleware.ts"

const organisationId = Effect.map(V1Caller, (caller) => caller.organisationId)

const audit: Effect.Effect<AuditContext, never, V1Caller> = Effect.flatMap(V1Caller, (by) =>
  Effect.map(Clock.currentTimeMillis, (now) => ({ by, now }))
)

const invalidChargerId = new Refused({
  code: "invalid_charger_id",
  message:
    "A chargerId must have 1 to 48 characters of A-Z a-z 0-9 - _ . ~ : * and be neither . nor .., because it is part of a URL path."
})

export const groups = HttpApiBuilder.group(
  V1Api,
  "group",
  Effect.fn(function* (handlers) {
    const sites = yield* Sites
    return handlers.handleAll({
      add: Effect.fn("v1.group.add")(function* ({ payload }) {
        const site = yield* sites.create({ name: payload.name }, yield* audit)
        return { id: site.groupId, name: site.name }
      })
    })
  })
)

export const chargers = HttpApiBuilder.group(
  V1Api,
  "charger",
  Effect.fn(function* (handlers) {
    const registry = yield* Chargers
    const sites = yield* Sites
    const presence = yield* Presence
    return handlers.handleAll({
      add: Effect.fn("v1.charger.add")(function* ({ params, payload }) {
        const { chargerId, groupId } = params
        if (!isChargerId(chargerId)) return yield* invalidChargerId
        const refused = new Refused({
          code: "group_not_found",
          message: `There is no group ${groupId}, or you have no access to it.`
        })
        const site = yield* Effect.catchTag(sites.byGroupId(yield* organisationId, groupId), "NotFound", () =>
          Effect.fail(refused)
        )
        yield* registry.register(
          {
            chargerId,
            name: payload.chargerName,
            siteId: site.id,
            // REST v1 cannot set credentials: as product.md says, such a charger may connect at once.
            securityProfile: 0,
            passwordVerifier: undefined
          },
          yield* audit
        )
        return { chargerId }
      }),
      get: Effect.fn("v1.charger.get")(function* ({ params }) {
        const organisation = yield* organisationId
        const charger = yield* registry.get(organisation, params.chargerId)
        const site = yield* Effect.catchTag(sites.get(organisation, charger.siteId), "NotFound", () => Effect.undefined)
        return chargerStatus(charger, site, presence.peek(charger.chargerId))
      })
    })
  })
)

export const statistics = HttpApiBuilder.group(
  V1Api,
  "statistics",
  Effect.fn(function* (handlers) {
    const registry = yield* Chargers
    return handlers.handleAll({
      get: Effect.fn("v1.statistics.get")(function* () {
        return yield* registry.statistics(yield* organisationId, yield* Clock.currentTimeMillis)
      })
    })
  })
)
