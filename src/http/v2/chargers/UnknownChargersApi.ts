/**
 * Chargers that tried to connect with an unregistered id, in REST v2. They belong to no organisation. If there are several organisations,
 * only the platform's own operator sees them.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { ChargerId, Time } from "../../Fields.ts"
import { NotFound404, PermissionDenied403 } from "../requests/Failures.ts"
import { operation } from "../requests/Middleware.ts"
import { listOf, PageQuery } from "../requests/Paging.ts"

export const UnknownCharger = Schema.Struct({
  chargerId: Schema.String.annotate({ description: "As it stood in the charger's URL" }),
  firstSeenAt: Time,
  lastSeenAt: Time,
  attempts: Schema.Int.annotate({
    description: "Refused connections; those that a rate limit turned away do not count"
  }),
  remoteAddress: Schema.String.annotate({ description: "Where the last attempt came from" }),
  subprotocols: Schema.Array(Schema.String).annotate({ description: "OCPP versions that the last attempt offered" })
}).annotate({ identifier: "UnknownCharger" })

const whose = "needs platform:admin too once the service holds several organisations"

export class UnknownChargersApi extends HttpApiGroup.make("unknown-chargers").add(
  HttpApiEndpoint.get("list", "/v2/unknown-chargers", {
    query: PageQuery,
    success: listOf(UnknownCharger),
    error: PermissionDenied403
  }).annotateMerge(operation(`List chargers that knocked and are not registered; ${whose}`, "chargers:read")),
  HttpApiEndpoint.delete("forget", "/v2/unknown-chargers/:chargerId", {
    params: { chargerId: ChargerId },
    success: HttpApiSchema.NoContent,
    error: [NotFound404, PermissionDenied403]
  }).annotateMerge(operation(`Forget one until its next attempt; ${whose}`, "chargers:write"))
) {}
