/**
 * Chargers that tried to connect with an unregistered id, in REST v2. They belong to no organisation. If there are several organisations,
 * only the platform's own operator sees them.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { ifShared } from "../../../domain/operator/Permission.ts"
import { ChargerId, Time } from "../../Fields.ts"
import { NotFound404, PermissionDenied403 } from "../requests/Failures.ts"
import { sharedOperation } from "../requests/Middleware.ts"
import { listOf, PageQuery } from "../requests/Paging.ts"

export const UnknownCharger = Schema.Struct({
  chargerId: Schema.String.annotate({ description: "As in the charger's URL" }),
  firstSeenAt: Time,
  lastSeenAt: Time,
  attempts: Schema.Int.annotate({
    description: "Refused connections, without those that a rate limit refused"
  }),
  remoteAddress: Schema.String.annotate({ description: "IP address of the last attempt" }),
  subprotocols: Schema.Array(Schema.String).annotate({
    description: "OCPP versions that it offered at its last attempt"
  }),
  advice: Schema.NullOr(Schema.String).annotate({
    description: "What to change at the charger so that it can connect; null if its id only has to be registered"
  })
}).annotate({ identifier: "UnknownCharger" })

const whose = `also needs ${ifShared.join(", ")} if the service holds several organisations`

export class UnknownChargersApi extends HttpApiGroup.make("unknown-chargers").add(
  HttpApiEndpoint.get("list", "/v2/unknown-chargers", {
    query: PageQuery,
    success: listOf(UnknownCharger),
    error: PermissionDenied403
  }).annotateMerge(
    sharedOperation(`List chargers that tried to connect and are not registered; ${whose}`, "chargers:read")
  ),
  HttpApiEndpoint.delete("forget", "/v2/unknown-chargers/:chargerId", {
    params: { chargerId: ChargerId },
    success: HttpApiSchema.NoContent,
    error: [NotFound404, PermissionDenied403]
  }).annotateMerge(
    sharedOperation(`Remove an unknown charger from the list until its next attempt; ${whose}`, "chargers:write")
  )
) {}
