/** The outcomes of webhooks' deliveries, a part of the port `Webhooks`: those that are due or parked, and a ring buffer of successful ones. */
import { Effect, Schema } from "effect"
import { parseCursor } from "../../domain/event/Event.ts"
import { NotFound } from "../../domain/Errors.ts"
import type { DeliveredEvent, WebhookDeliveryStatus } from "../../domain/event/Webhooks.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { pagedList, TextKey } from "../kernel/Cursor.ts"
import type { Recording } from "../kernel/Facts.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { guarded, guardedWrite } from "../kernel/SqlErrors.ts"
import { type DeliveryRow, deliveryRows } from "./WebhookRows.ts"

/** How many successful deliveries are kept per webhook: as many as anyone looks back at, about 100 KiB. */
const ringSlots = 1_024

/** Two events of the same fact get neighbouring slots. */
const slotOf = ({ eventId, position }: DeliveredEvent): number =>
  (position + (parseCursor(eventId)?.index ?? 0)) % ringSlots

export const delivered = ({ sql, writable }: Recording) =>
  Effect.fn("Webhooks.delivered")((one: DeliveredEvent) =>
    Effect.andThen(
      writable,
      Effect.asVoid(
        guardedWrite(sql`
          INSERT INTO webhook_delivered (webhook_id, slot, organisation_id, item_id, event_id, type, position, tries, http_status, due_at,
            delivered_at)
          SELECT w.id, ${slotOf(one)}::int, w.organisation_id, ${one.itemId}::uuid, ${one.eventId}, ${one.type},
            ${one.position}::float8::bigint, ${one.tries}::int, ${one.httpStatus}::int, ${new Date(one.dueAt)}, ${new Date(one.now)}
          FROM webhook w WHERE w.id = ${one.webhookId} AND w.organisation_id = ${one.organisationId} AND w.url = ${one.url}
          ON CONFLICT (webhook_id, slot) DO UPDATE SET item_id = excluded.item_id, event_id = excluded.event_id, type = excluded.type,
            position = excluded.position, tries = excluded.tries, http_status = excluded.http_status, due_at = excluded.due_at,
            delivered_at = excluded.delivered_at`)
      )
    )
  )

const pages = pagedList(
  "webhook-deliveries",
  Schema.Struct({ position: Schema.Int, eventId: TextKey }),
  ({ eventId, position }: typeof DeliveryRow.Type) => ({ position, eventId })
)

export const deliveries = ({ sql }: Recording) =>
  Effect.fn("Webhooks.deliveries")(function* (
    organisationId: string,
    id: string,
    request: PageRequest & { readonly status?: WebhookDeliveryStatus | undefined }
  ) {
    const own = scopedTo(sql, organisationId)
    const known = isUuid(id)
      ? yield* guarded(own`SELECT 1 FROM webhook w WHERE ${own.rowsOf("w")} AND w.id = ${id}`)
      : []
    if (known.length === 0) return yield* new NotFound({ kind: "webhook", id })
    const after = yield* pages.after(request)
    const { status } = request
    const before = (position: string, eventId: string) =>
      after === undefined
        ? sql`true`
        : sql`(${sql(position)}, ${sql(eventId)}) < (${after.position}::float8::bigint, ${after.eventId})`
    const due =
      status === undefined
        ? sql`(o.next_at IS NOT NULL OR o.parked_at IS NOT NULL)`
        : status === "Pending"
          ? sql`o.next_at IS NOT NULL`
          : sql`o.parked_at IS NOT NULL AND ${status === "Parked"}::boolean`
    return yield* guarded(
      pages.read(sql, request, {
        statement: own`
        SELECT * FROM (
          (SELECT o.item_id AS id, o.object_id AS "eventId", o.position, CASE WHEN o.parked_at IS NULL THEN 'Pending' ELSE 'Parked' END AS status,
            o.tries, o.due_at AS "dueAt", CASE WHEN s.active THEN o.next_at END AS "nextTryAt", NULL::timestamptz AS "deliveredAt", o.parked_at AS "parkedAt",
            NULL::int AS "httpStatus", o.problem
          FROM subscription_object o JOIN subscription s ON s.id = o.subscription_id
          WHERE ${own.rowsOf("o")} AND o.subscription_id = ${id} AND ${due} AND ${before("o.position", "o.object_id")})
          UNION ALL
          (SELECT d.item_id, d.event_id, d.position, 'Delivered', d.tries, d.due_at, NULL, d.delivered_at, NULL, d.http_status, NULL
          FROM webhook_delivered d
          WHERE ${own.rowsOf("d")} AND d.webhook_id = ${id} AND ${status === undefined || status === "Delivered"}::boolean
            AND ${before("d.position", "d.event_id")})
        ) x ORDER BY x.position DESC, x."eventId" DESC LIMIT ${pages.rows(request)}`,
        rows: deliveryRows,
        item: ({ position: _, ...delivery }) => delivery
      })
    )
  })
