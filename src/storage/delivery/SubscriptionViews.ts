/** Subscriptions as people see them, a part of the port `Subscriptions`: the health of each, and its parked objects. Scoped by organisation. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { NotFound } from "../../domain/Errors.ts"
import type { ParkedItem, SubscriptionHealth } from "../../domain/event/Subscriptions.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { pagedList, UuidKey } from "../kernel/Cursor.ts"
import { factOf, type Recording } from "../kernel/Facts.ts"
import { healthRows, parkedRows } from "./SubscriptionRows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { dueAnew } from "./SubscriptionParked.ts"

/** How many positions of the journal after a cursor are counted. A subscriber that is further behind is or was down, and is shown as such. */
const behindMax = 50_000

const missing = (kind: string, id: string) => new NotFound({ kind, id })

type HealthRow = Effect.Success<ReturnType<typeof healthRows>>[number]

const stateOf = (row: HealthRow, now: number): SubscriptionHealth["state"] => {
  const { active, behind, due, notBefore, openedAt, parked } = row
  if (!active) return "Inactive"
  if (openedAt !== undefined) return "Down"
  if (notBefore !== undefined && notBefore > now) return "Waiting"
  if (due > 0 || behind > 0) return "Delivering"
  return parked > 0 ? "Parked" : "UpToDate"
}

const health = (sql: SqlClient.SqlClient) =>
  Effect.fn("Subscriptions.health")(function* (organisationId: string, subscriptionId: string, now: number) {
    if (!isUuid(subscriptionId)) return yield* missing("subscription", subscriptionId)
    const own = scopedTo(sql, organisationId)
    const [row] = yield* guarded(
      healthRows(own`
        SELECT s.active, s.position AS cursor,
          CASE WHEN s.active THEN (SELECT count(*) FROM journal j
            WHERE ${own.rowsOf("j")} AND j.position > s.position AND j.position <= s.position + ${behindMax}::int) ELSE 0 END AS behind,
          (SELECT count(*) FROM subscription_object o WHERE o.subscription_id = s.id AND o.next_at IS NOT NULL) AS due,
          (SELECT min(o.due_at) FROM subscription_object o WHERE o.subscription_id = s.id AND o.next_at IS NOT NULL) AS "dueSince",
          (SELECT count(*) FROM subscription_object o
            WHERE o.organisation_id = s.organisation_id AND o.subscription_id = s.id AND o.parked_at IS NOT NULL) AS parked,
          s.opened_at AS "openedAt", s.not_before AS "notBefore", s.delivered_at AS "deliveredAt", s.error, s.error_at AS "errorAt"
        FROM subscription s WHERE ${own.rowsOf("s")} AND s.id = ${subscriptionId}`)
    )
    if (row === undefined) return yield* missing("subscription", subscriptionId)
    const { active: _, deliveredAt, error, errorAt, ...given } = row
    const result: SubscriptionHealth = {
      ...given,
      state: stateOf(row, now),
      lastDeliveredAt: deliveredAt,
      lastError: error === undefined || errorAt === undefined ? undefined : { at: errorAt, message: error }
    }
    return result
  })

const pages = pagedList("parked", UuidKey, (item: ParkedItem) => item.id)

const known = (own: Scoped, subscriptionId: string) =>
  Effect.gen(function* () {
    const rows = isUuid(subscriptionId)
      ? yield* own`SELECT 1 FROM subscription s WHERE ${own.rowsOf("s")} AND s.id = ${subscriptionId}`
      : []
    if (rows.length === 0) return yield* missing("subscription", subscriptionId)
  })

const parked = (sql: SqlClient.SqlClient) =>
  Effect.fn("Subscriptions.parked")(function* (organisationId: string, subscriptionId: string, request: PageRequest) {
    const own = scopedTo(sql, organisationId)
    yield* guarded(known(own, subscriptionId))
    const after = yield* pages.after(request)
    return yield* guarded(
      pages.read(sql, request, {
        statement: own`
        SELECT o.item_id AS id, o.kind, o.object_id AS "objectId", coalesce(o.problem, '') AS problem, o.tries, o.due_at AS "dueAt",
          o.parked_at AS "parkedAt"
        FROM subscription_object o
        WHERE ${own.rowsOf("o")} AND o.subscription_id = ${subscriptionId} AND o.parked_at IS NOT NULL
          ${after === undefined ? sql`` : sql`AND o.item_id < ${after}`}
        ORDER BY o.item_id DESC LIMIT ${pages.rows(request)}`,
        rows: parkedRows,
        item: (item) => item
      })
    )
  })

const decided =
  ({ journaled, secrets, sql }: Recording, type: "DeliveryReplayed" | "DeliveryDiscarded") =>
  (subscriptionId: string, itemId: string, audit: AuditContext) => {
    const { by, now } = audit
    const own = scopedTo(sql, by.organisationId)
    const at = new Date(now)
    const change =
      type === "DeliveryReplayed"
        ? dueAnew(sql, at)
        : sql`parked_at = NULL, problem = NULL, tries = 0, refusals = 0, named = NULL`
    const write = Effect.gen(function* () {
      const rows =
        isUuid(itemId) && isUuid(subscriptionId)
          ? yield* own<{ kind: string; objectId: string }>`
              UPDATE subscription_object o SET ${change}
              WHERE ${own.rowsOf("o")} AND o.subscription_id = ${subscriptionId} AND o.item_id = ${itemId} AND o.parked_at IS NOT NULL
              RETURNING o.kind, o.object_id AS "objectId"`
          : []
      const [row] = rows
      if (row === undefined) return yield* missing("parked item", itemId)
      const fact = factOf(type, `subscription:${subscriptionId}`, secrets.uuid(now), audit)
      return { result: undefined, facts: [{ ...fact, body: { by: by.actor, before: { itemId, ...row } } }] }
    })
    return journaled(write)
  }

/** How many objects are replayed at once. Each may be a call, and if a partner has refused more than these, there is a reason. */
const replayedAtOnce = 5_000

const replayAll = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Subscriptions.replayAll")((subscriptionId: string, audit: AuditContext) => {
    const { by, now } = audit
    const own = scopedTo(sql, by.organisationId)
    const write = Effect.gen(function* () {
      yield* known(own, subscriptionId)
      const rows = yield* own<{ id: string }>`
        UPDATE subscription_object o SET ${dueAnew(sql, new Date(now))}
        FROM (
          SELECT p.kind, p.object_id FROM subscription_object p
          WHERE ${own.rowsOf("p")} AND p.subscription_id = ${subscriptionId} AND p.parked_at IS NOT NULL
          ORDER BY p.item_id LIMIT ${replayedAtOnce}
        ) x
        WHERE ${own.rowsOf("o")} AND o.subscription_id = ${subscriptionId} AND o.kind = x.kind AND o.object_id = x.object_id
        RETURNING o.item_id AS id`
      if (rows.length === 0) return { result: 0, facts: [] }
      const fact = factOf("DeliveryReplayed", `subscription:${subscriptionId}`, secrets.uuid(now), audit)
      return { result: rows.length, facts: [{ ...fact, body: { by: by.actor, before: { items: rows.length } } }] }
    })
    return journaled(write)
  })

export const views = (records: Recording) => ({
  health: health(records.sql),
  parked: parked(records.sql),
  replay: Effect.fn("Subscriptions.replay")(decided(records, "DeliveryReplayed")),
  replayAll: replayAll(records),
  discard: Effect.fn("Subscriptions.discard")(decided(records, "DeliveryDiscarded"))
})
