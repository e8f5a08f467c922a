/** Rows of webhooks and of their deliveries, decoded into the domain's. */
import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { WebhookRecord } from "../../domain/event/RecordFact.ts"
import { knownTypes, type Webhook } from "../../domain/event/Webhook.ts"
import { Millis, optional, rowsOf, Whole } from "../kernel/Rows.ts"
import { webhookDeliveryStatuses } from "../../domain/event/Webhooks.ts"

const WebhookRow = Schema.Struct({
  id: Schema.String,
  organisationId: Schema.String,
  url: Schema.String,
  types: optional(Schema.Array(Schema.String)),
  siteIds: optional(Schema.Array(Schema.String)),
  active: Schema.Boolean,
  error: optional(Schema.String),
  errorAt: optional(Millis),
  previousSecretUntil: optional(Millis),
  createdAt: Millis,
  updatedAt: Millis
})
export const webhookRows = rowsOf(WebhookRow)

/** The columns of `webhook w JOIN subscription s`. */
export const webhookColumns = (sql: SqlClient.SqlClient) => sql`
  w.id, w.organisation_id AS "organisationId", w.url, w.types, w.site_ids::text[] AS "siteIds", s.active, s.error, s.error_at AS "errorAt",
  w.previous_until AS "previousSecretUntil", w.created_at AS "createdAt", w.updated_at AS "updatedAt"`

export const webhookOf = ({ error, errorAt, types, ...row }: typeof WebhookRow.Type): Webhook => ({
  ...row,
  types: knownTypes(types),
  problem: error === undefined || errorAt === undefined ? undefined : { at: errorAt, message: error }
})

/** A webhook's part in the journal, without its secrets. */
export const recordOf = ({ active, id, siteIds, types, url }: Webhook): WebhookRecord => ({
  id,
  url,
  ...(types === undefined ? {} : { types }),
  ...(siteIds === undefined ? {} : { siteIds }),
  active
})

export const targetRows = rowsOf(
  Schema.Struct({
    url: Schema.String,
    secret: Schema.String,
    previous: optional(Schema.String),
    previousUntil: optional(Millis),
    changedAt: Millis
  })
)

export const DeliveryRow = Schema.Struct({
  id: Schema.String,
  eventId: Schema.String,
  position: Whole,
  status: Schema.Literals(webhookDeliveryStatuses),
  tries: Schema.Int,
  dueAt: Millis,
  nextTryAt: optional(Millis),
  deliveredAt: optional(Millis),
  parkedAt: optional(Millis),
  httpStatus: optional(Schema.Int),
  problem: optional(Schema.String)
})
export const deliveryRows = rowsOf(DeliveryRow)
