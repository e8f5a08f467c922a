/** Webhooks in REST v2: where events are posted, signed as Standard Webhooks describes, and the outcome of each delivery. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { eventTypes } from "../../../domain/event/Event.ts"
import { maxSiteIds } from "../../../domain/event/Webhook.ts"
import { rule, Time, Uuid } from "../../Fields.ts"
import { Conflict409, InvalidInput400, NotFound404 } from "../requests/Failures.ts"
import { graveOperation, graveOperationIf, operation, Reported, Staged } from "../requests/Middleware.ts"
import { createdAt, IdempotencyHeader, listOf, PageQuery } from "../requests/Paging.ts"
import { webhookDeliveryStatuses } from "../../../domain/event/Webhooks.ts"

/** Longest URL that is called. */
const urlMax = 2048

const Url = Schema.String.check(
  rule((text: string) => URL.canParse(text) && text.length <= urlMax, "Must be an absolute URL", { format: "uri" })
).annotate({ description: "https, of a public host" })

const Types = Schema.Array(Schema.Literals(eventTypes))
const SiteIds = Schema.Array(Schema.String)

const typesGiven = Types.check(Schema.isMinLength(1), Schema.isMaxLength(eventTypes.length))
const siteIdsGiven = Schema.Array(Uuid).check(Schema.isMinLength(1), Schema.isMaxLength(maxSiteIds))

const fields = {
  id: Schema.String,
  url: Schema.String,
  types: Schema.NullOr(Types).annotate({ description: "Null: all, including those that later versions add" }),
  siteIds: Schema.NullOr(SiteIds).annotate({
    description: "Only events at these sites; null: all events, including those that belong to no site"
  }),
  active: Schema.Boolean.annotate({ description: "Also false after its address has answered 410 Gone" }),
  previousSecretUntil: Schema.NullOr(Time).annotate({
    description: "Until when messages also carry a signature by the previous secret"
  }),
  lastProblem: Schema.NullOr(Schema.Struct({ at: Time, message: Schema.String })),
  createdAt: Time,
  updatedAt: Time
}

export const Webhook = Schema.Struct(fields).annotate({ identifier: "Webhook" })

export const RevealedWebhook = Schema.Struct({
  ...fields,
  secret: Schema.String.annotate({ description: "`whsec_…`, for verifying signatures; shown only once" })
}).annotate({ identifier: "WebhookWithSecret" })

export const NewWebhook = Schema.Struct({
  url: Url,
  types: Schema.optionalKey(typesGiven),
  siteIds: Schema.optionalKey(siteIdsGiven),
  active: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "NewWebhook" })

export const WebhookChange = Schema.Struct({
  url: Schema.optionalKey(Url),
  types: Schema.optionalKey(Schema.NullOr(typesGiven)),
  siteIds: Schema.optionalKey(Schema.NullOr(siteIdsGiven)),
  active: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "A webhook that is switched on gets the events from then on" })
  )
}).annotate({ identifier: "WebhookChange" })

export const Delivery = Schema.Struct({
  id: Schema.String,
  eventId: Schema.String,
  type: Schema.NullOr(Schema.Literals(eventTypes)),
  status: Schema.Literals(webhookDeliveryStatuses).annotate({
    description: "Parked: given up after three days; it can be replayed"
  }),
  tries: Schema.Int,
  dueAt: Time,
  nextTryAt: Schema.NullOr(Time),
  deliveredAt: Schema.NullOr(Time),
  parkedAt: Schema.NullOr(Time),
  httpStatus: Schema.NullOr(Schema.Int).annotate({ description: "HTTP status of the answer that accepted it" }),
  problem: Schema.NullOr(Schema.String).annotate({ description: "The error of the last failed attempt" })
}).annotate({ identifier: "WebhookDelivery" })

export const Ping = Schema.Struct({
  delivered: Schema.Boolean,
  httpStatus: Schema.NullOr(Schema.Int),
  durationMs: Schema.Int,
  problem: Schema.NullOr(Schema.String)
}).annotate({ identifier: "WebhookPing" })

const params = { webhookId: Uuid }
const one = "/v2/webhooks/:webhookId"

export class WebhooksApi extends HttpApiGroup.make("webhooks").add(
  HttpApiEndpoint.post("create", "/v2/webhooks", {
    headers: IdempotencyHeader,
    payload: NewWebhook,
    success: createdAt(RevealedWebhook.pipe(HttpApiSchema.status(201))),
    error: [NotFound404, Conflict409, InvalidInput400]
  }).annotateMerge(graveOperation("Create a webhook: events from now on are posted to its address", "webhooks:write")),
  HttpApiEndpoint.get("list", "/v2/webhooks", { query: PageQuery, success: listOf(Webhook) }).annotateMerge(
    operation("List webhooks, newest first", "webhooks:read")
  ),
  HttpApiEndpoint.get("get", one, { params, success: Webhook, error: NotFound404 })
    .annotate(Reported, ["lastProblem"])
    .annotateMerge(operation("Read a webhook", "webhooks:read")),
  HttpApiEndpoint.patch("update", one, {
    params,
    payload: WebhookChange,
    success: Webhook,
    error: [NotFound404, InvalidInput400]
  }).annotateMerge(graveOperationIf("if `url` is given", "Change a webhook, or switch it off or on", "webhooks:write")),
  HttpApiEndpoint.delete("remove", one, {
    params,
    success: HttpApiSchema.NoContent,
    error: NotFound404
  }).annotateMerge(operation("Remove a webhook and its waiting deliveries", "webhooks:write")),
  HttpApiEndpoint.post("rotateSecret", `${one}/rotate-secret`, {
    params,
    headers: IdempotencyHeader,
    success: RevealedWebhook.pipe(HttpApiSchema.status(201)),
    error: NotFound404
  }).annotateMerge(
    graveOperation(
      "Create a new secret; for a day every message is also signed with the previous one",
      "webhooks:write"
    )
  ),
  HttpApiEndpoint.post("ping", `${one}/ping`, {
    params,
    headers: IdempotencyHeader,
    success: Ping.pipe(HttpApiSchema.status(201)),
    error: NotFound404
  })
    .annotateMerge(operation("Post a message of the type webhook.ping now, and report the outcome", "webhooks:write"))
    .annotate(Staged, true),
  HttpApiEndpoint.get("deliveries", `${one}/deliveries`, {
    params,
    query: { ...PageQuery, status: Schema.optionalKey(Schema.Literals(webhookDeliveryStatuses)) },
    success: listOf(Delivery),
    error: NotFound404
  }).annotateMerge(
    operation(
      "List deliveries, those of the newest event first; of successful deliveries only the last thousand",
      "webhooks:read"
    )
  ),
  HttpApiEndpoint.post("replay", `${one}/deliveries/:deliveryId/replay`, {
    params: { ...params, deliveryId: Uuid },
    headers: IdempotencyHeader,
    success: Schema.Struct({ id: Schema.String, status: Schema.Literal("Pending") }).pipe(HttpApiSchema.status(201)),
    error: NotFound404
  }).annotateMerge(operation("Try a parked delivery again, for another three days", "webhooks:write"))
) {}
