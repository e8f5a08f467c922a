/**
 * Deliveries to a partner, in REST v2: how far behind it is (a part of its health), and the items that it finally refused, to be sent again
 * or discarded.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Time, Uuid } from "../../Fields.ts"
import { NotFound404 } from "../requests/Failures.ts"
import { operation } from "../requests/Middleware.ts"
import { IdempotencyHeader, listOf, PageQuery } from "../requests/Paging.ts"
import { subscriptionStates } from "../../../domain/event/Subscriptions.ts"
import { pushedKinds } from "../../../domain/event/Subscription.ts"

const moment = Schema.NullOr(Time)

export const DeliveryHealth = Schema.Struct({
  state: Schema.Literals(subscriptionStates).annotate({
    description:
      "`Inactive` while the partner is not registered or suspended, `Parked` if everything was accepted except parked objects, `Waiting` for the time that the partner asked for, `Down` until the partner answers again: it is tried once a minute"
  }),
  cursor: Schema.Int.annotate({
    description: "The position in the journal up to which changes were read for this partner"
  }),
  behind: Schema.Int.annotate({ description: "Number of later entries in the journal that are not read yet" }),
  due: Schema.Int.annotate({ description: "Number of objects waiting to be sent" }),
  dueSince: moment,
  parked: Schema.Int.annotate({ description: "Number of objects that were finally refused, or failed for three days" }),
  downSince: moment,
  waitsUntil: moment,
  lastDeliveredAt: moment,
  lastError: Schema.NullOr(Schema.Struct({ at: Time, message: Schema.String }))
}).annotate({ identifier: "PartnerDeliveries" })

export const ParkedItem = Schema.Struct({
  id: Schema.String,
  kind: Schema.Literals(pushedKinds),
  objectId: Schema.String.annotate({ description: "For an evse, its location's id and its own: `location/evse`" }),
  problem: Schema.String.annotate({ description: "The partner's last answer" }),
  tries: Schema.Int,
  dueAt: Time,
  parkedAt: Time
}).annotate({ identifier: "ParkedDelivery" })

export const Replayed = Schema.Struct({ id: Schema.String, status: Schema.Literal("Due") }).annotate({
  identifier: "ReplayedDelivery"
})

export const AllReplayed = Schema.Struct({
  replayed: Schema.Int.annotate({ description: "Number of objects that are due again: all parked ones, at most 5000" })
}).annotate({ identifier: "ReplayedDeliveries" })

const item = { partnerId: Uuid, deliveryId: Uuid }

export class DeliveriesApi extends HttpApiGroup.make("deliveries").add(
  HttpApiEndpoint.get("parked", "/v2/partners/:partnerId/parked", {
    params: { partnerId: Uuid },
    query: PageQuery,
    success: listOf(ParkedItem),
    error: NotFound404
  }).annotateMerge(operation("List objects that a partner finally refused, newest first", "partners:read")),
  HttpApiEndpoint.post("replay", "/v2/partners/:partnerId/parked/:deliveryId/replay", {
    params: item,
    headers: IdempotencyHeader,
    success: Replayed.pipe(HttpApiSchema.status(201)),
    error: NotFound404
  }).annotateMerge(operation("Send a parked object again, in its present state", "partners:write")),
  HttpApiEndpoint.post("replayAll", "/v2/partners/:partnerId/parked/replay", {
    params: { partnerId: Uuid },
    headers: IdempotencyHeader,
    success: AllReplayed.pipe(HttpApiSchema.status(201)),
    error: NotFound404
  }).annotateMerge(operation("Send all parked objects again, in their present state", "partners:write")),
  HttpApiEndpoint.delete("discard", "/v2/partners/:partnerId/parked/:deliveryId", {
    params: item,
    success: HttpApiSchema.NoContent,
    error: NotFound404
  }).annotateMerge(operation("Drop a parked object; its next change is sent again", "partners:write"))
) {}
