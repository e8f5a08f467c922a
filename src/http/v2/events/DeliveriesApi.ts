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
      "`Inactive` while it is not registered or suspended, `Parked` where all was taken but what was parked, `Waiting` for as long as it has asked, `Down` until it answers again: it is asked once a minute"
  }),
  cursor: Schema.Int.annotate({ description: "How far what has happened was read for it" }),
  behind: Schema.Int.annotate({ description: "What has happened since, and was not looked at yet" }),
  due: Schema.Int.annotate({ description: "Objects that wait to be sent" }),
  dueSince: moment,
  parked: Schema.Int.annotate({ description: "Objects that were refused for good, or failed for three days" }),
  downSince: moment,
  waitsUntil: moment,
  lastDeliveredAt: moment,
  lastError: Schema.NullOr(Schema.Struct({ at: Time, message: Schema.String }))
}).annotate({ identifier: "PartnerDeliveries" })

export const ParkedItem = Schema.Struct({
  id: Schema.String,
  kind: Schema.Literals(pushedKinds),
  objectId: Schema.String.annotate({ description: "Of an evse, its location's id and its own: `location/evse`" }),
  problem: Schema.String.annotate({ description: "What the partner said last" }),
  tries: Schema.Int,
  dueAt: Time,
  parkedAt: Time
}).annotate({ identifier: "ParkedDelivery" })

export const Replayed = Schema.Struct({ id: Schema.String, status: Schema.Literal("Due") }).annotate({
  identifier: "ReplayedDelivery"
})

export const AllReplayed = Schema.Struct({
  replayed: Schema.Int.annotate({ description: "Objects that are due again: all that were parked, 5000 at most" })
}).annotate({ identifier: "ReplayedDeliveries" })

const item = { partnerId: Uuid, deliveryId: Uuid }

export class DeliveriesApi extends HttpApiGroup.make("deliveries").add(
  HttpApiEndpoint.get("parked", "/v2/partners/:partnerId/parked", {
    params: { partnerId: Uuid },
    query: PageQuery,
    success: listOf(ParkedItem),
    error: NotFound404
  }).annotateMerge(operation("What a partner refused for good, newest first", "partners:read")),
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
  }).annotateMerge(operation("Send all parked objects again, as they stand now", "partners:write")),
  HttpApiEndpoint.delete("discard", "/v2/partners/:partnerId/parked/:deliveryId", {
    params: item,
    success: HttpApiSchema.NoContent,
    error: NotFound404
  }).annotateMerge(operation("Forget a parked object; the next change of it is sent again", "partners:write"))
) {}
