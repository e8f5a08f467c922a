/**
 * The port `Webhooks` over SQL. A webhook is a row and a subscription with the same id, which are created, switched and removed together.
 * Its secrets are sealed.
 */
import { Effect, Layer } from "effect"
import { sealPurposes } from "../../domain/values/SealPurpose.ts"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import { type WebhookInput, type WebhookPatch, Webhooks } from "../../domain/event/Webhooks.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import {
  maxWebhooks,
  overlapMillis,
  previousIfGood,
  secretBytes,
  type Webhook,
  writtenSecret
} from "../../domain/event/Webhook.ts"
import { textArray, uuidArray } from "../kernel/Arrays.ts"
import { pagedList, UuidKey } from "../kernel/Cursor.ts"
import { factOf, recording, type Recording, type RecordingServices } from "../kernel/Facts.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { refusingValues, storable } from "../kernel/Storable.ts"
import { delivered, deliveries } from "./WebhookDeliveries.ts"
import { recordOf, targetRows, webhookColumns, webhookOf, webhookRows } from "./WebhookRows.ts"

/** The purpose under which the secrets are sealed. */
const purpose = sealPurposes.webhookSecret

const pages = pagedList("webhooks", UuidKey, (webhook: Webhook) => webhook.id)

const find = ({ sql }: Recording, own: Scoped, id: string) =>
  Effect.gen(function* () {
    const [row] = isUuid(id)
      ? yield* webhookRows(
          own`SELECT ${webhookColumns(sql)} FROM webhook w JOIN subscription s ON s.id = w.id WHERE ${own.rowsOf("w")} AND w.id = ${id}`
        )
      : []
    return row === undefined ? yield* new NotFound({ kind: "webhook", id }) : webhookOf(row)
  })

/** Fails unless all of the sites are the caller's own. */
const ownSites = (own: Scoped, siteIds: ReadonlyArray<string> | null | undefined) =>
  Effect.gen(function* () {
    const ids = [...new Set(siteIds ?? [])]
    const odd = ids.find((id) => !isUuid(id))
    if (odd !== undefined) return yield* new NotFound({ kind: "site", id: odd })
    if (ids.length === 0) return
    const found = yield* own<{ id: string }>`
      SELECT t.id FROM site t WHERE ${own.rowsOf("t")} AND t.id = ANY (${uuidArray(ids)})`
    const missing = ids.find((id) => !found.some((site) => site.id === id.toLowerCase()))
    if (missing !== undefined) return yield* new NotFound({ kind: "site", id: missing })
  })

const typesOf = (types: ReadonlyArray<string> | null | undefined) => (types ? textArray(types) : null)
const idsOf = (ids: ReadonlyArray<string> | null | undefined) => (ids ? uuidArray(ids) : null)

const newSecret = ({ secrets }: Recording) => writtenSecret(secrets.randomBytes(secretBytes))

const create = (records: Recording) =>
  Effect.fn("Webhooks.create")(function* (input: WebhookInput, audit: AuditContext) {
    const { journaled, secrets, sql } = records
    yield* storable({ url: input.url })
    const { by, now } = audit
    const own = scopedTo(sql, by.organisationId)
    const id = secrets.uuid(now)
    const secret = newSecret(records)
    const at = new Date(now)
    const write = Effect.gen(function* () {
      const current = yield* own`SELECT 1 FROM webhook w WHERE ${own.rowsOf("w")} LIMIT ${maxWebhooks}`
      if (current.length >= maxWebhooks) {
        const message = `An organisation can have at most ${maxWebhooks} webhooks. Remove one first.`
        return yield* new Conflict({ code: "too_many_webhooks", message })
      }
      yield* ownSites(own, input.siteIds)
      yield* own`
        INSERT INTO subscription (id, organisation_id, kind, active, position)
        VALUES (${id}, ${own.id}, 'webhook', ${input.active}, (SELECT coalesce(max(j.position), 0) FROM journal j))`
      yield* own`
        INSERT INTO webhook (id, organisation_id, url, types, site_ids, secret, url_by, secret_by, created_at, updated_at)
        VALUES (${id}, ${own.id}, ${input.url}, ${typesOf(input.types)}, ${idsOf(input.siteIds)}, ${secrets.seal(purpose, secret)},
          ${by.operatorId ?? null}::uuid, ${by.operatorId ?? null}::uuid, ${at}, ${at})`
      const webhook = yield* find(records, own, id)
      const fact = factOf("WebhookCreated", `webhook:${id}`, id, audit)
      return {
        result: { webhook, secret },
        facts: [{ ...fact, body: { by: by.actor, after: recordOf(webhook) } }]
      }
    })
    return yield* journaled(refusingValues(write))
  })

/**
 * When a webhook is switched on again, objects that were due when it was switched off (by its operator or by 410 Gone) are parked: they are
 * not sent automatically, but are shown and may be replayed.
 */
const parkWaiting = (own: Scoped, id: string, now: number) => own`
  UPDATE subscription_object o SET next_at = NULL, claimed_until = NULL, parked_at = ${new Date(now)},
    problem = coalesce(o.problem, 'the webhook was switched off')
  WHERE ${own.rowsOf("o")} AND o.subscription_id = ${id} AND o.next_at IS NOT NULL`

/** Changes a webhook within a write. */
export const changeWebhook = (records: Recording, own: Scoped, id: string, patch: WebhookPatch, audit: AuditContext) =>
  Effect.gen(function* () {
    const { secrets } = records
    const { by, now } = audit
    const before = yield* find(records, own, id)
    yield* ownSites(own, patch.siteIds)
    const { active = before.active, url = before.url } = patch
    const types = patch.types === undefined ? before.types : patch.types
    const siteIds = patch.siteIds === undefined ? before.siteIds : patch.siteIds
    yield* own`
      UPDATE webhook w SET url = ${url}, types = ${typesOf(types)}, site_ids = ${idsOf(siteIds)}, updated_at = ${new Date(now)},
        url_by = CASE WHEN w.url = ${url} THEN w.url_by ELSE ${by.operatorId ?? null}::uuid END
      WHERE ${own.rowsOf("w")} AND w.id = ${id}`
    if (active && !before.active) yield* parkWaiting(own, id, now)
    // After a change the webhook is tried at once. If it was switched off, it continues from the current position and not from that of
    // the time when it was switched off.
    yield* own`
      UPDATE subscription s SET active = ${active}, failures = 0, opened_at = NULL, not_before = NULL,
        position = CASE WHEN ${active} AND NOT s.active THEN (SELECT coalesce(max(j.position), 0) FROM journal j) ELSE s.position END
      WHERE ${own.rowsOf("s")} AND s.id = ${id}`
    const after = yield* find(records, own, id)
    const fact = factOf("WebhookChanged", `webhook:${id}`, secrets.uuid(now), audit)
    const body = { by: by.actor, before: recordOf(before), after: recordOf(after) }
    const isChanged = JSON.stringify(body.before) !== JSON.stringify(body.after)
    return { result: after, facts: isChanged ? [{ ...fact, body }] : [] }
  })

const update = (records: Recording) =>
  Effect.fn("Webhooks.update")(function* (id: string, patch: WebhookPatch, audit: AuditContext) {
    yield* storable({ url: patch.url ?? "" })
    const own = scopedTo(records.sql, audit.by.organisationId)
    return yield* records.journaled(refusingValues(changeWebhook(records, own, id, patch, audit)))
  })

const remove = (records: Recording) =>
  Effect.fn("Webhooks.remove")(function* (id: string, audit: AuditContext) {
    const { journaled, secrets, sql } = records
    const own = scopedTo(sql, audit.by.organisationId)
    const write = Effect.gen(function* () {
      const before = yield* find(records, own, id)
      yield* own`DELETE FROM subscription s WHERE ${own.rowsOf("s")} AND s.id = ${id}`
      const fact = factOf("WebhookRemoved", `webhook:${id}`, secrets.uuid(audit.now), audit)
      return { result: undefined, facts: [{ ...fact, body: { by: audit.by.actor, before: recordOf(before) } }] }
    })
    yield* journaled(write)
  })

const rotate = (records: Recording) =>
  Effect.fn("Webhooks.rotate")(function* (id: string, audit: AuditContext) {
    const { journaled, secrets, sql } = records
    const { by, now } = audit
    const own = scopedTo(sql, by.organisationId)
    const secret = newSecret(records)
    const write = Effect.gen(function* () {
      const before = yield* find(records, own, id)
      yield* own`
        UPDATE webhook w SET previous_secret = w.secret, previous_until = ${new Date(now + overlapMillis)},
          secret = ${secrets.seal(purpose, secret)}, secret_by = ${by.operatorId ?? null}::uuid, updated_at = ${new Date(now)}
        WHERE ${own.rowsOf("w")} AND w.id = ${id}`
      const webhook = yield* find(records, own, id)
      const fact = factOf("WebhookSecretRotated", `webhook:${id}`, secrets.uuid(now), audit)
      const body = { by: by.actor, before: recordOf(before), after: recordOf(webhook) }
      return { result: { webhook, secret }, facts: [{ ...fact, body }] }
    })
    return yield* journaled(write)
  })

const list = ({ sql }: Recording) =>
  Effect.fn("Webhooks.list")(function* (organisationId: string, request: PageRequest) {
    const own = scopedTo(sql, organisationId)
    const after = yield* pages.after(request)
    return yield* guarded(
      pages.read(sql, request, {
        statement: own`
        SELECT ${webhookColumns(sql)} FROM webhook w JOIN subscription s ON s.id = w.id
        WHERE ${own.rowsOf("w")} ${after === undefined ? sql`` : sql`AND w.id < ${after}`}
        ORDER BY w.id DESC LIMIT ${pages.rows(request)}`,
        rows: (found) => Effect.map(webhookRows(found), (rows) => rows.map(webhookOf)),
        item: (webhook) => webhook
      })
    )
  })

const target = ({ secrets, sql }: Recording) =>
  Effect.fn("Webhooks.target")(function* (id: string, now: number) {
    const [row] = yield* guarded(
      targetRows(sql`
        SELECT w.url, w.secret, w.previous_secret AS previous, w.previous_until AS "previousUntil", w.updated_at AS "changedAt"
        FROM webhook w WHERE w.id = ${id}`)
    )
    if (row === undefined) return undefined
    const sealed = [row.secret, previousIfGood(row.previous, row.previousUntil, now)]
    const opened = sealed.flatMap((one) => (one === undefined ? [] : [secrets.open(purpose, one)]))
    return { url: row.url, secrets: opened.filter((one) => one !== undefined), changedAt: row.changedAt }
  })

export const layer: Layer.Layer<Webhooks, never, RecordingServices> = Layer.effect(
  Webhooks,
  Effect.map(recording, (records) => {
    const { sql } = records
    return Webhooks.of({
      create: create(records),
      get: Effect.fn("Webhooks.get")((organisationId, id) => guarded(find(records, scopedTo(sql, organisationId), id))),
      list: list(records),
      update: update(records),
      remove: remove(records),
      rotate: rotate(records),
      wanted: Effect.fn("Webhooks.wanted")((ids) =>
        Effect.map(
          guarded(
            webhookRows(sql`
              SELECT ${webhookColumns(sql)} FROM webhook w JOIN subscription s ON s.id = w.id AND s.active
              WHERE w.id = ANY (${uuidArray(ids)})`)
          ),
          (rows) => rows.map(webhookOf)
        )
      ),
      target: target(records),
      delivered: delivered(records),
      deliveries: deliveries(records)
    })
  })
)
