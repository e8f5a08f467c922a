/** The port `Subscriptions` over SQL: the owner of each subscription, its journal position, and whether its subscriber can be reached. */
import { Effect, Layer, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import { Subscriptions, type TimesAhead } from "../../domain/event/Subscriptions.ts"
import type { Circuit } from "../../domain/event/Settling.ts"
import { textArray, uuidArray } from "../kernel/Arrays.ts"
import { factOf, type Recording, type RecordingServices, recording } from "../kernel/Facts.ts"
import { Notifications } from "../kernel/Notifications.ts"
import { guarded, guardedWrite } from "../kernel/SqlErrors.ts"
import { outsideText } from "../../domain/values/OutsideText.ts"
import { allParkedAgain } from "./SubscriptionParked.ts"
import { queue } from "./SubscriptionQueue.ts"
import { activeRows, factRows, subscriptionColumns, subscriptionRows } from "./SubscriptionRows.ts"
import { views } from "./SubscriptionViews.ts"

/** If the clock was set back, stored times may be further ahead than any delay. Sets them back, so that nothing waits for them. */
const correctTimes = ({ sql, writable }: Recording) =>
  Effect.fn("Subscriptions.correctTimes")(function* (
    now: number,
    { leaseMillis, maxDelayMillis, maxRetryAfterMillis }: TimesAhead
  ) {
    const at = new Date(now)
    const leased = new Date(now + leaseMillis)
    const delayed = new Date(now + maxDelayMillis)
    const wished = new Date(now + maxRetryAfterMillis)
    const write = Effect.gen(function* () {
      yield* sql`
        UPDATE subscription SET opened_at = CASE WHEN opened_at > ${at} THEN ${at} ELSE opened_at END,
          probed_at = CASE WHEN probed_at > ${at} THEN ${at} ELSE probed_at END,
          not_before = CASE WHEN not_before > ${wished} THEN ${wished} ELSE not_before END
        WHERE opened_at > ${at} OR probed_at > ${at} OR not_before > ${wished}`
      yield* sql`
        UPDATE subscription_object SET claimed_until = CASE WHEN claimed_until > ${leased} THEN ${leased} ELSE claimed_until END,
          next_at = CASE WHEN next_at > ${delayed} THEN ${at} ELSE next_at END
        WHERE next_at IS NOT NULL AND (next_at > ${delayed} OR claimed_until > ${leased})`
    })
    yield* Effect.andThen(writable, guardedWrite(sql.withTransaction(write)))
  })

const active = (sql: SqlClient.SqlClient) =>
  Effect.fn("Subscriptions.active")((maxDue: number) =>
    guarded(
      activeRows(sql`
        SELECT ${subscriptionColumns(sql)}, EXISTS (
          SELECT 1 FROM subscription_object o
          WHERE o.subscription_id = s.id AND o.next_at IS NOT NULL AND o.kind NOT IN ('location', 'evse', 'tariff') OFFSET ${maxDue}) AS "isFull"
        FROM subscription s WHERE s.active ORDER BY s.id`)
    )
  )

const read = (sql: SqlClient.SqlClient) =>
  Effect.fn("Subscriptions.read")(function* (request: {
    readonly after: number
    readonly limit: number
    readonly organisationIds: ReadonlyArray<string>
    readonly types: ReadonlyArray<string>
  }) {
    const rows = yield* guarded(
      factRows(sql`
        WITH page AS MATERIALIZED (
          SELECT j.position, j.organisation_id, j.type FROM journal j WHERE j.position > ${request.after}::float8::bigint
          ORDER BY j.position LIMIT ${request.limit}
        )
        SELECT e.up_to AS "upTo", CASE WHEN f.position IS NOT NULL THEN json_build_object('position', f.position,
          'organisationId', f.organisation_id, 'type', f.type, 'subject', f.subject, 'at', extract(epoch FROM f.at) * 1000,
          'heardAt', extract(epoch FROM f.heard_at) * 1000, 'body', f.body) END AS fact
        FROM (SELECT max(p.position) AS up_to FROM page p HAVING max(p.position) IS NOT NULL) e
        LEFT JOIN (
          SELECT j.position, j.organisation_id, j.type, j.subject, j.at, j.heard_at, j.body
          FROM page p JOIN journal j ON j.position = p.position
          WHERE p.organisation_id = ANY (${uuidArray(request.organisationIds)}) AND p.type = ANY (${textArray(request.types)})
        ) f ON true
        ORDER BY f.position`)
    )
    return { upTo: rows[0]?.upTo, facts: rows.flatMap(({ fact }) => (fact === undefined ? [] : [fact])) }
  })

/** Finds the subscriptions with due objects, with the index of due objects only. */
const ready = (sql: SqlClient.SqlClient) =>
  Effect.fn("Subscriptions.ready")((now: number) => {
    const at = new Date(now)
    return Effect.map(
      guarded(sql<{ id: string }>`
        SELECT s.id FROM subscription s
        WHERE s.active AND s.opened_at IS NULL AND (s.not_before IS NULL OR s.not_before <= ${at}) AND EXISTS (
          SELECT 1 FROM subscription_object o WHERE o.subscription_id = s.id AND o.next_at <= ${at}
            AND (o.claimed_until IS NULL OR o.claimed_until <= ${at}))
        ORDER BY s.id`),
      (rows) => rows.map(({ id }) => id)
    )
  })

const isAnyWaiting = (sql: SqlClient.SqlClient) =>
  Effect.map(
    guarded(sql`
      SELECT 1 FROM subscription s
      WHERE s.active AND (s.opened_at IS NOT NULL
        OR EXISTS (SELECT 1 FROM subscription_object o WHERE o.subscription_id = s.id AND o.next_at IS NOT NULL))
      LIMIT 1`),
    (rows) => rows.length > 0
  )

const takeSilent = ({ sql, writable }: Recording) =>
  Effect.fn("Subscriptions.takeSilent")((now: number, everyMillis: number) =>
    Effect.andThen(
      writable,
      Effect.map(
        guardedWrite(sql<{ id: string }>`
          UPDATE subscription SET probed_at = ${new Date(now)}
          WHERE active AND opened_at IS NOT NULL AND greatest(opened_at, probed_at) <= ${new Date(now - everyMillis)} RETURNING id`),
        (rows) => rows.map(({ id }) => id)
      )
    )
  )

const dateOrNull = (millis: number | undefined) => (millis === undefined ? null : new Date(millis))

interface About {
  readonly now: number
  readonly error?: string | undefined
  readonly isReleased?: boolean
}

/** The maximum length of a stored message of a subscriber. */
const errorMax = 500

/** The fact that a partner went down or came back; none if the circuit's state has not changed. */
const healthFact = ({ secrets }: Recording, id: string, row: CircuitRow, isDown: boolean, about: About) => {
  if (row.kind !== "partner" || row.wasDown === isDown) return []
  const by = { organisationId: row.organisationId, actor: "platform" }
  const fact = factOf("PartnerHealthChanged", `partner:${id}`, secrets.uuid(about.now), { by, now: about.now })
  const problem = isDown && about.error !== undefined ? outsideText(about.error, errorMax) : null
  return [{ ...fact, body: { name: row.name ?? "", isDown, problem } }]
}

interface CircuitRow {
  readonly organisationId: string
  readonly kind: string
  readonly wasDown: boolean
  readonly name: string | null
}

const circuit = (records: Recording) =>
  Effect.fn("Subscriptions.circuit")(function* (id: string, { failures, notBefore, openedAt }: Circuit, about: About) {
    const { journaled, sql } = records
    const error = about.error === undefined ? null : outsideText(about.error, errorMax)
    const at = new Date(about.now)
    const write = Effect.gen(function* () {
      const rows = yield* sql<CircuitRow>`
        UPDATE subscription s SET failures = ${failures}, opened_at = ${dateOrNull(openedAt)}, not_before = ${dateOrNull(notBefore)},
          error = coalesce(${error}::text, s.error), error_at = CASE WHEN ${error}::text IS NULL THEN s.error_at ELSE ${at} END
        FROM (SELECT o.id, o.opened_at FROM subscription o WHERE o.id = ${id} FOR UPDATE) was
        WHERE s.id = was.id
        RETURNING s.organisation_id AS "organisationId", s.kind, was.opened_at IS NOT NULL AS "wasDown",
          (SELECT p.name FROM partner p WHERE p.id = s.id) AS name`
      if (about.isReleased === true) {
        yield* sql`
          UPDATE subscription_object SET next_at = ${at}
          WHERE subscription_id = ${id} AND next_at > ${at} AND refusals = 0`
        yield* allParkedAgain(sql, id, at)
      }
      return {
        result: undefined,
        facts: rows.flatMap((row) => healthFact(records, id, row, openedAt !== undefined, about))
      }
    })
    yield* journaled(write)
  })

const deactivate = ({ sql, writable }: Recording) =>
  Effect.fn("Subscriptions.deactivate")((id: string, now: number, reason: string) =>
    Effect.andThen(
      writable,
      Effect.asVoid(
        guardedWrite(sql`
          UPDATE subscription SET active = false, error = ${outsideText(reason, errorMax)}, error_at = ${new Date(now)} WHERE id = ${id}`)
      )
    )
  )

export const layer: Layer.Layer<Subscriptions, never, RecordingServices | Notifications> = Layer.effect(
  Subscriptions,
  Effect.gen(function* () {
    const records = yield* recording
    const notifications = yield* Notifications
    const { sql } = records
    return Subscriptions.of({
      committed: Stream.map(notifications.listen("voltlane_journal"), () => undefined),
      active: active(sql),
      find: Effect.fn("Subscriptions.find")((id: string) =>
        Effect.map(
          guarded(
            subscriptionRows(
              sql`SELECT ${subscriptionColumns(sql)} FROM subscription s WHERE s.id = ${id} AND s.active`
            )
          ),
          (rows) => rows[0]
        )
      ),
      read: read(sql),
      isAnyWaiting: isAnyWaiting(sql),
      ready: ready(sql),
      correctTimes: correctTimes(records),
      takeSilent: takeSilent(records),
      circuit: circuit(records),
      deactivate: deactivate(records),
      ...queue(records),
      ...views(records)
    })
  })
)
