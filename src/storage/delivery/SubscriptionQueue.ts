/**
 * The queue of objects that are due to subscribers, a part of the port `Subscriptions`. Objects become due in the same statement that moves
 * the cursor past their facts. They are claimed with a lease, and settled with the outcome. Works for all organisations at once.
 */
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Claim, Move } from "../../domain/event/Subscriptions.ts"
import type { Settled, Settlement } from "../../domain/event/Settling.ts"
import {
  deliveredKinds,
  type Due,
  type DueItem,
  type ObjectRef,
  type Subscription
} from "../../domain/event/Subscription.ts"
import {
  boolArray,
  byteaArray,
  float8Array,
  int4Array,
  textArray,
  timestamptzArray,
  uuidArray
} from "../kernel/Arrays.ts"
import { factOf, type Recording } from "../kernel/Facts.ts"
import { optional, rowsOf } from "../kernel/Rows.ts"
import { guardedWrite } from "../kernel/SqlErrors.ts"
import { outsideText } from "../../domain/values/OutsideText.ts"
import { allParkedAgain } from "./SubscriptionParked.ts"

/** The maximum length of a stored problem. */
const problemMax = 500

interface Wanted extends Due {
  readonly since: number
}

/** Combines the facts of each object: from the position of the first one to that of the last one. */
const coalesced = (due: ReadonlyArray<Due>): ReadonlyArray<Wanted> => {
  const byObject = new Map<string, Wanted>()
  for (const one of due) {
    const key = JSON.stringify([one.subscriptionId, one.kind, one.id])
    const since = Math.min(byObject.get(key)?.since ?? one.position, one.position)
    const position = Math.max(byObject.get(key)?.position ?? one.position, one.position)
    byObject.set(key, { ...one, since, position })
  }
  return [...byObject.values()]
}

/** How many objects one statement makes due. There are rarely more, except when everything of an organisation has changed. */
const dueAtOnce = 5_000

/** `from` selects `id` and `organisation_id` of the subscriptions. */
const putDue = (records: Recording, all: ReadonlyArray<Wanted>, now: number, from: Statement.Fragment) => {
  const parts = Array.from({ length: Math.ceil(all.length / dueAtOnce) }, (_, n) =>
    all.slice(n * dueAtOnce, (n + 1) * dueAtOnce)
  )
  return Effect.forEach(parts, (wanted) => putPart(records, wanted, now, from), { discard: true })
}

const ofIds = ({ sql }: Recording, ids: ReadonlyArray<string>) =>
  sql`SELECT s.id, s.organisation_id FROM subscription s WHERE s.id = ANY (${uuidArray(ids)})`

const putPart = (
  { secrets, sql }: Recording,
  wanted: ReadonlyArray<Wanted>,
  now: number,
  from: Statement.Fragment
) => sql`
    WITH s AS (${from})
    INSERT INTO subscription_object AS o
      (subscription_id, organisation_id, kind, object_id, lane, item_id, position, since, due_at, next_at)
    SELECT s.id, s.organisation_id, x.kind, x.object_id, x.lane, x.item_id, x.position::bigint, x.since::bigint,
      ${new Date(now)}, ${new Date(now)}
    FROM unnest(${uuidArray(wanted.map((one) => one.subscriptionId))}, ${textArray(wanted.map((one) => one.kind))},
      ${textArray(wanted.map((one) => one.id))}, ${textArray(wanted.map((one) => one.lane))},
      ${uuidArray(wanted.map(() => secrets.uuid(now)))}, ${float8Array(wanted.map((one) => one.position))},
      ${float8Array(wanted.map((one) => one.since))})
      AS x(subscription_id, kind, object_id, lane, item_id, position, since)
    JOIN s ON s.id = x.subscription_id
    ORDER BY s.id, x.kind, x.object_id
    ON CONFLICT (subscription_id, kind, object_id) DO UPDATE SET lane = excluded.lane,
      position = greatest(o.position, excluded.position),
      since = CASE WHEN o.next_at IS NULL THEN excluded.since ELSE o.since END,
      item_id = CASE WHEN o.next_at IS NULL THEN excluded.item_id ELSE o.item_id END,
      due_at = CASE WHEN o.next_at IS NULL THEN excluded.due_at ELSE o.due_at END,
      tries = CASE WHEN o.next_at IS NULL THEN 0 ELSE o.tries END,
      refusals = CASE WHEN o.next_at IS NULL THEN 0 ELSE o.refusals END,
      problem = CASE WHEN o.next_at IS NULL THEN NULL ELSE o.problem END,
      next_at = coalesce(o.next_at, excluded.next_at), parked_at = NULL`

/**
 * Moves cursors and makes the objects due that were found behind them, in one statement. With a transaction of several statements, this and
 * settling would wait for each other. Several are used only if there are too many objects for one statement.
 */
const advance = (records: Recording) =>
  Effect.fn("Subscriptions.advance")(function* (moves: ReadonlyArray<Move>, due: ReadonlyArray<Due>, now: number) {
    const { sql, writable } = records
    const moved = sql<{ id: string }>`
      UPDATE subscription s SET position = m.to_position::bigint
      FROM unnest(${uuidArray(moves.map((move) => move.subscriptionId))}, ${float8Array(moves.map((move) => move.from))},
        ${float8Array(moves.map((move) => move.to))}) AS m(id, from_position, to_position)
      WHERE s.id = m.id AND s.position = m.from_position::bigint AND s.active
      RETURNING s.id, s.organisation_id`
    const all = coalesced(due)
    const stepwise = Effect.gen(function* () {
      const ids = (yield* moved).map(({ id }) => id)
      const theirs = all.filter(({ subscriptionId }) => ids.includes(subscriptionId))
      yield* putDue(records, theirs, now, ofIds(records, ids))
    })
    const write =
      all.length === 0
        ? Effect.asVoid(moved)
        : all.length <= dueAtOnce
          ? putDue(records, all, now, moved)
          : sql.withTransaction(stepwise)
    yield* Effect.andThen(writable, guardedWrite(write))
  })

const fill = (records: Recording) =>
  Effect.fn("Subscriptions.fill")(function* (
    { id, position }: Subscription,
    objects: ReadonlyArray<ObjectRef>,
    now: number
  ) {
    const { sql, writable } = records
    const write = Effect.gen(function* () {
      const rows = yield* sql<{ id: string }>`
        UPDATE subscription SET needs_all = false WHERE id = ${id} AND needs_all AND position = ${position}::float8::bigint RETURNING id`
      if (rows.length === 0) return
      yield* allParkedAgain(sql, id, new Date(now))
      if (objects.length === 0) return
      const due = objects.map((object) => ({ ...object, subscriptionId: id, position }))
      yield* putDue(records, coalesced(due), now, ofIds(records, [id]))
    })
    yield* Effect.andThen(writable, guardedWrite(sql.withTransaction(write)))
  })

/** Not decoded with a Schema: thousands are taken per second, and only this code writes the table. */
interface Taken extends Omit<DueItem, "hash" | "reference" | "isInDoubt"> {
  readonly since: number
  readonly isInDoubt: boolean
  readonly hash: Uint8Array | null
  readonly reference: string | null
}

const itemOf = ({ hash, reference, since: _, ...item }: Taken): DueItem => ({
  ...item,
  hash: hash ?? undefined,
  reference: reference ?? undefined
})

/**
 * How many failed tries of a session its record waits for, half a minute in all. The record is what a partner owes, so it must not wait for
 * days for a session that is only for information.
 */
const sessionTries = 6

/**
 * The order within a lane. A record comes after its session of the same position, and a session never waits for its record, which may be
 * refused for days.
 */
const turnOf = (sql: SqlClient.SqlClient, row: "b" | "o") => {
  const of = (column: string) => sql(`${row}.${column}`)
  return sql`(${of("since")}, ${of("kind")} = 'cdr', ${of("kind")}, ${of("object_id")})`
}

const claim = ({ sql, writable }: Recording) =>
  Effect.fn("Subscriptions.claim")(function* (
    subscriptionIds: ReadonlyArray<string>,
    { leaseMillis, limit, now }: Claim
  ) {
    const at = new Date(now)
    const rows = yield* Effect.andThen(
      writable,
      guardedWrite(
        sql<Taken>`
          WITH picked AS (
            SELECT d.subscription_id, d.kind, d.object_id, d.was_taken FROM subscription s
            CROSS JOIN LATERAL (
              SELECT o.subscription_id, o.kind, o.object_id, o.claimed_until IS NOT NULL AS was_taken FROM subscription_object o
              WHERE o.subscription_id = s.id AND o.next_at <= ${at} AND (o.claimed_until IS NULL OR o.claimed_until <= ${at})
                AND NOT EXISTS (
                  SELECT 1 FROM subscription_object b
                  WHERE b.subscription_id = o.subscription_id AND b.lane = o.lane AND b.next_at IS NOT NULL
                    AND (b.kind <> 'cdr' OR o.kind = 'cdr')
                    AND NOT (b.kind = 'session' AND o.kind = 'cdr' AND b.tries >= ${sessionTries}::int)
                    AND (${turnOf(sql, "b")} < ${turnOf(sql, "o")} OR b.claimed_until > ${at}))
              ORDER BY o.since LIMIT ${limit} FOR UPDATE OF o SKIP LOCKED
            ) d
            WHERE s.id = ANY (${uuidArray(subscriptionIds)}) AND s.active AND s.opened_at IS NULL
              AND (s.not_before IS NULL OR s.not_before <= ${at})
          )
          UPDATE subscription_object o SET claimed_until = ${new Date(now + leaseMillis)} FROM picked p
          WHERE o.subscription_id = p.subscription_id AND o.kind = p.kind AND o.object_id = p.object_id
          RETURNING o.subscription_id AS "subscriptionId", o.organisation_id AS "organisationId", o.kind, o.object_id AS id, o.lane,
            o.item_id AS "itemId", o.position::float8 AS position, o.since::float8 AS since,
            (extract(epoch FROM o.due_at) * 1000)::float8 AS "dueAt", o.tries, o.refusals, o.hash, o.reference,
            p.was_taken AS "isInDoubt"`
      )
    )
    return rows.toSorted((one, other) => one.since - other.since).map(itemOf)
  })

interface Row {
  readonly item: DueItem
  readonly tag: Settlement["_tag"]
  readonly next: number | null
  /** An object that may have been sent stays in doubt if it is only put off. */
  readonly isInDoubt: boolean
  readonly refusals: number
  readonly problem: string | null
  readonly hash: Uint8Array | null
  readonly reference: string | null
  readonly named: string | null
}

/** The stored form; null leaves the column unchanged. */
const namedText = (named: ReadonlyArray<string> | undefined): string | null =>
  named === undefined ? null : JSON.stringify(named)

const rowOf = ({ item, settlement }: Settled): Row => ({
  item,
  tag: settlement._tag,
  next: settlement._tag === "Again" || settlement._tag === "Untried" ? settlement.at : null,
  isInDoubt: settlement._tag === "Untried" && item.isInDoubt === true,
  refusals: settlement._tag === "Again" ? settlement.refusals : 0,
  problem: "problem" in settlement ? outsideText(settlement.problem, problemMax) : null,
  hash: settlement._tag === "Done" ? (settlement.hash ?? null) : null,
  reference: settlement._tag === "Done" ? (settlement.reference ?? null) : null,
  named: settlement._tag === "Done" ? namedText(settlement.named) : null
})

const keyOf = ({ item: { id, kind, subscriptionId } }: Row): string => [subscriptionId, kind, id].join(" ")

const ParkedRow = Schema.Struct({
  id: Schema.String,
  organisationId: Schema.String,
  itemId: Schema.String,
  kind: Schema.Literals(deliveredKinds),
  objectId: Schema.String,
  problem: optional(Schema.String),
  isParked: Schema.Boolean
})
const parkedRows = rowsOf(ParkedRow)

const parkedFact = ({ secrets }: Recording, row: typeof ParkedRow.Type, now: number) => {
  const { id, isParked, itemId, kind, objectId, organisationId, problem = "" } = row
  if (!isParked) return []
  const subscriber = kind === "event" ? ("webhook" as const) : ("partner" as const)
  const by = { organisationId, actor: "platform" }
  const fact = factOf("DeliveryParked", `${subscriber}:${id}`, secrets.uuid(now), { by, now })
  return [{ ...fact, body: { subscriber, itemId, kind, objectId, problem } }]
}

/**
 * Settles claimed objects with one statement. An object that has changed since it was claimed is due again, from its first try. A delivered
 * object without a stored hash is deleted. The time of a delivery is stored at most once a second, since it is only for people.
 */
const settle = (records: Recording) =>
  Effect.fn("Subscriptions.settle")(function* (settled: ReadonlyArray<Settled>, now: number) {
    if (settled.length === 0) return
    const { sql, writable } = records
    const at = new Date(now)
    // Locks rows in the same order as other writers.
    const x = settled.map(rowOf).toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
    const sent = settled.flatMap(({ item, settlement }) =>
      settlement._tag === "Done" && settlement.isSilent !== true ? [item.subscriptionId] : []
    )
    const write = sql`
      WITH x AS MATERIALIZED (
        SELECT * FROM unnest(${uuidArray(x.map(({ item }) => item.subscriptionId))}, ${textArray(x.map(({ item }) => item.kind))},
          ${textArray(x.map(({ item }) => item.id))}, ${uuidArray(x.map(({ item }) => item.itemId))},
          ${float8Array(x.map(({ item }) => item.position))}, ${textArray(x.map(({ tag }) => tag))},
          ${timestamptzArray(x.map(({ next }) => next))}, ${int4Array(x.map(({ refusals }) => refusals))},
          ${textArray(x.map(({ problem }) => problem))}, ${byteaArray(x.map(({ hash }) => hash))},
          ${textArray(x.map(({ reference }) => reference))}, ${textArray(x.map(({ named }) => named))},
          ${boolArray(x.map(({ isInDoubt }) => isInDoubt))})
          AS x(subscription_id, kind, object_id, item_id, position, tag, next_at, refusals, problem, hash, reference, named, in_doubt)
      ), gone AS (
        DELETE FROM subscription_object o USING x
        WHERE o.subscription_id = x.subscription_id AND o.kind = x.kind AND o.object_id = x.object_id AND o.item_id = x.item_id
          AND x.tag = 'Done' AND x.hash IS NULL AND o.position <= x.position
      ), reported AS (
        UPDATE subscription s SET delivered_at = ${at}
        WHERE s.id = ANY (${uuidArray([...new Set(sent)])})
          AND (s.delivered_at IS NULL OR s.delivered_at < ${new Date(now - 1_000)})
      )
      UPDATE subscription_object o SET claimed_until = CASE WHEN x.in_doubt THEN 'epoch'::timestamptz END,
        next_at = CASE WHEN x.tag NOT IN ('Again', 'Untried') AND o.position > x.position THEN ${at} ELSE x.next_at END,
        since = CASE WHEN x.tag NOT IN ('Again', 'Untried') AND o.position > x.position THEN o.position ELSE o.since END,
        due_at = CASE WHEN x.tag NOT IN ('Again', 'Untried') AND o.position > x.position THEN ${at} ELSE o.due_at END,
        parked_at = CASE WHEN x.tag = 'Parked' AND o.position <= x.position THEN ${at}::timestamptz END,
        tries = CASE WHEN x.tag = 'Done' OR (x.tag = 'Parked' AND o.position > x.position) THEN 0
          WHEN x.tag = 'Untried' THEN o.tries ELSE o.tries + 1 END,
        refusals = CASE WHEN x.tag = 'Untried' THEN o.refusals ELSE x.refusals END,
        problem = CASE WHEN x.tag = 'Untried' THEN o.problem ELSE x.problem END, hash = coalesce(x.hash, o.hash), reference = coalesce(x.reference, o.reference),
        named = coalesce(x.named::jsonb, o.named)
      FROM x
      WHERE o.subscription_id = x.subscription_id AND o.kind = x.kind AND o.object_id = x.object_id AND o.item_id = x.item_id
        AND NOT (x.tag = 'Done' AND x.hash IS NULL AND o.position <= x.position)`
    const isAnyParked = settled.some(({ settlement }) => settlement._tag === "Parked")
    const also = settled.flatMap(({ item: { subscriptionId }, settlement }) =>
      settlement._tag === "Done" ? (settlement.also ?? []).map((given) => ({ subscriptionId, ...given })) : []
    )
    // Updates existing rows only: nothing is stored for an object that was never due.
    const others = sql`
      UPDATE subscription_object o SET hash = x.hash, reference = coalesce(x.reference, o.reference),
        named = coalesce(x.named::jsonb, o.named)
      FROM unnest(${uuidArray(also.map((one) => one.subscriptionId))}, ${textArray(also.map((one) => one.kind))},
        ${textArray(also.map((one) => one.id))}, ${byteaArray(also.map((one) => one.hash))},
        ${textArray(also.map((one) => one.reference ?? null))}, ${textArray(also.map((one) => namedText(one.named)))})
        AS x(subscription_id, kind, object_id, hash, reference, named)
      WHERE o.subscription_id = x.subscription_id AND o.kind = x.kind AND o.object_id = x.object_id`
    // Other objects come first: nothing compares with them while the lane is claimed. Only parked objects are published. That needs the
    // journal's lock, for which all other writers wait.
    if (isAnyParked) {
      const parked = parkedRows(sql`${write} RETURNING o.subscription_id AS id, o.organisation_id AS "organisationId",
        o.item_id AS "itemId", o.kind, o.object_id AS "objectId", o.problem, o.parked_at IS NOT NULL AS "isParked"`)
      const published = Effect.map(also.length === 0 ? parked : Effect.andThen(others, parked), (rows) => ({
        result: undefined,
        facts: rows.flatMap((row) => parkedFact(records, row, now))
      }))
      return yield* records.journaled(published)
    }
    const both = also.length === 0 ? write : sql.withTransaction(Effect.andThen(others, write))
    yield* Effect.andThen(writable, guardedWrite(both))
  })

export const queue = (records: Recording) => ({
  advance: advance(records),
  fill: fill(records),
  claim: claim(records),
  settle: settle(records)
})
