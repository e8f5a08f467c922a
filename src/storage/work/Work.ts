/**
 * The port `Work` over SQL. A queue is counted with the small index that its list also uses. Only conflicts of cards need a search of all
 * partners' cards, which is done only if cards have changed.
 */
import { Effect, Layer, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { countedMost, type PublishedCounts, publishedQueues, Work, type WorkQueue } from "../../domain/work/Work.ts"
import { differs, isHeld } from "../charging/SessionQueues.ts"
import { withReview } from "../charging/SessionRows.ts"
import { textArray } from "../kernel/Arrays.ts"
import { factOf, type Recording, type RecordingServices, recording } from "../kernel/Facts.ts"
import { optional, rowOf, rowsOf, Whole } from "../kernel/Rows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { guarded, guardedWrite } from "../kernel/SqlErrors.ts"
import { isVouching } from "../roaming/RoamingTokens.ts"

const countRow = rowOf(Schema.Struct({ items: Schema.Int }))

const parkedOf = (own: Scoped, kind: "partner" | "webhook") => own`
  SELECT 1 FROM subscription_object o JOIN subscription s ON s.id = o.subscription_id AND s.kind = ${kind}
  WHERE ${own.rowsOf("o")} AND o.parked_at IS NOT NULL`

/** The items of each queue, one row per item. */
const itemsOf: Readonly<Record<WorkQueue, (sql: SqlClient.SqlClient, own: Scoped) => Statement.Fragment>> = {
  heldSessions: (sql, own) =>
    own`SELECT 1 FROM session s ${withReview(sql)} WHERE ${own.rowsOf("s")} AND ${isHeld(sql, own, true)}`,
  corrections: (sql, own) => own`SELECT 1 FROM session s WHERE ${own.rowsOf("s")} AND ${differs(sql, own, true)}`,
  parkedDeliveries: (_, own) => parkedOf(own, "partner"),
  parkedEvents: (_, own) => parkedOf(own, "webhook"),
  tokenConflicts: (sql, own) => own`
    SELECT 1 FROM roaming_token t WHERE ${own.rowsOf("t")} AND ${isVouching(sql, own)} GROUP BY t.uid_key HAVING count(*) > 1`,
  unknownChargers: (sql) => sql`SELECT 1 FROM unknown_charger u`,
  configurationDrifts: (_, own) => own`SELECT 1 FROM configuration_drift d WHERE ${own.rowsOf("d")}`
}

const counts =
  (sql: SqlClient.SqlClient) =>
  <Q extends WorkQueue>(organisationId: string, queues: ReadonlyArray<Q>) => {
    const own = scopedTo(sql, organisationId)
    // One after the other, so that the embedded database can serve others in between.
    return Effect.map(
      Effect.forEach(queues, (queue) =>
        Effect.map(
          guarded(
            countRow(sql`SELECT count(*)::int AS items FROM (${itemsOf[queue](sql, own)} LIMIT ${countedMost}::int) x`)
          ),
          (row) => [queue, row?.items ?? 0] as const
        )
      ),
      (counted) => Object.fromEntries(counted) as Readonly<Record<Q, number>>
    )
  }

const stirredRows = rowsOf(
  Schema.Struct({
    upTo: Whole,
    facts: Schema.Int,
    organisationId: optional(Schema.String),
    types: optional(Schema.Array(Schema.String))
  })
)

const stirred = (sql: SqlClient.SqlClient) =>
  Effect.fn("Work.stirred")(function* (types: ReadonlyArray<string>, limit: number) {
    const rows = yield* guarded(
      stirredRows(sql`
        WITH page AS MATERIALIZED (
          SELECT j.position, j.organisation_id, j.type FROM journal j
          WHERE j.position > (SELECT r.position FROM journal_reader r WHERE r.name = 'work') ORDER BY j.position LIMIT ${limit}::int
        )
        SELECT e.up_to AS "upTo", e.facts, f.organisation_id AS "organisationId", f.types
        FROM (SELECT max(p.position) AS up_to, count(*)::int AS facts FROM page p HAVING max(p.position) IS NOT NULL) e
        LEFT JOIN (
          SELECT p.organisation_id, array_agg(DISTINCT p.type) AS types FROM page p
          WHERE p.type = ANY (${textArray(types)}) GROUP BY p.organisation_id
        ) f ON true`)
    )
    return {
      upTo: rows[0]?.upTo,
      facts: rows[0]?.facts ?? 0,
      organisations: rows.flatMap(({ organisationId, types }) =>
        organisationId === undefined ? [] : [{ organisationId, types: types ?? [] }]
      )
    }
  })

/** All organisations in one statement, with the two small indexes of sessions that need a correction. */
const corrected = (sql: SqlClient.SqlClient) =>
  Effect.map(
    guarded(sql<{ id: string }>`
      WITH now AS (
        SELECT x.organisation_id, least(count(*), ${countedMost}::int) AS items FROM (
          SELECT y.organisation_id, y.session_id FROM session_price y WHERE y.differs
          UNION SELECT h.organisation_id, h.id FROM session h WHERE h.contradicted
        ) x GROUP BY x.organisation_id
      )
      SELECT coalesce(n.organisation_id, w.organisation_id) AS id
      FROM now n FULL JOIN work_published w ON w.organisation_id = n.organisation_id
      WHERE coalesce(n.items, 0) <> coalesce((w.counts ->> 'corrections')::int, 0)`),
    (rows) => rows.map(({ id }) => id)
  )

const Counts = Schema.Record(Schema.String, Schema.Int)
const publishedRows = rowsOf(Schema.Struct({ counts: Counts }))

const none = Object.fromEntries(publishedQueues.map((queue) => [queue, 0])) as PublishedCounts

const publish = (records: Recording) =>
  Effect.fn("Work.publish")(function* (
    organisationId: string,
    queues: ReadonlyArray<keyof PublishedCounts>,
    now: number
  ) {
    const { journaled, secrets, sql } = records
    const own = scopedTo(sql, organisationId)
    const [others] = yield* guarded(sql`SELECT 1 FROM organisation o WHERE o.id <> ${organisationId} LIMIT 1`)
    const counted = yield* counts(sql)(
      organisationId,
      queues.filter((queue) => queue !== "unknownChargers" || others === undefined)
    )
    const known = own`SELECT w.counts FROM work_published w WHERE ${own.rowsOf("w")}`
    const differsFrom = (before: Readonly<Record<string, number>>) =>
      Object.entries(counted).some(([queue, items]) => items !== (before[queue] ?? 0))
    const [before] = yield* guarded(publishedRows(known))
    if (!differsFrom(before?.counts ?? {})) return false
    // Read again under the journal's lock: another process may have published the same counts.
    const write = Effect.gen(function* () {
      const [stored] = yield* publishedRows(known)
      if (!differsFrom(stored?.counts ?? {})) return { result: false, facts: [] }
      const body: PublishedCounts = { ...none, ...stored?.counts, ...counted }
      yield* own`
        INSERT INTO work_published (organisation_id, counts, published_at) VALUES (${own.id}, ${JSON.stringify(body)}::text::jsonb, ${new Date(now)})
        ON CONFLICT (organisation_id) DO UPDATE SET counts = excluded.counts, published_at = excluded.published_at`
      const by = { organisationId, actor: "platform" }
      const fact = factOf("WorkChanged", `organisation:${organisationId}`, secrets.uuid(now), { by, now })
      return { result: true, facts: [{ ...fact, body }] }
    })
    return yield* journaled(write)
  })

const readTo = ({ sql, writable }: Recording) =>
  Effect.fn("Work.readTo")((position: number) =>
    Effect.andThen(
      writable,
      Effect.asVoid(
        guardedWrite(
          sql`UPDATE journal_reader SET position = greatest(position, ${position}::float8::bigint) WHERE name = 'work'`
        )
      )
    )
  )

export const layer: Layer.Layer<Work, never, RecordingServices> = Layer.effect(
  Work,
  Effect.map(recording, (records) =>
    Work.of({
      counts: counts(records.sql),
      stirred: stirred(records.sql),
      corrected: corrected(records.sql),
      publish: publish(records),
      readTo: readTo(records)
    })
  )
)
