/**
 * The port `Drifts` over SQL: a small table of the chargers whose configuration differs, kept up to date by a reader of the journal with
 * its own position.
 */
import { Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { type Drift, driftFacts, driftsOfAll, Drifts, type Reported } from "../../domain/charger/Drifts.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { int4Array, textArray } from "../kernel/Arrays.ts"
import { pagedList, TextKey } from "../kernel/Cursor.ts"
import { recording, type Recording, type RecordingServices } from "../kernel/Facts.ts"
import { Millis, optional, rowsOf, Whole } from "../kernel/Rows.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { guarded, guardedWrite } from "../kernel/SqlErrors.ts"
import { openedConfiguration, StoredConfiguration } from "./SealedConfiguration.ts"

const DriftRow = Schema.Struct({
  chargerId: Schema.String,
  name: Schema.String,
  siteId: Schema.String,
  siteName: Schema.String,
  manufacturer: Schema.String,
  model: Schema.String,
  firmwareVersion: Schema.String,
  keys: Schema.Int,
  since: Millis
})

const driftRows = rowsOf(DriftRow)

const pages = pagedList("configuration-drifts", TextKey, (row: typeof DriftRow.Type) => row.chargerId)

const list = (sql: SqlClient.SqlClient) =>
  Effect.fn("Drifts.list")(function* (organisationId: string, request: PageRequest) {
    const own = scopedTo(sql, organisationId)
    const after = yield* pages.after(request)
    return yield* guarded(
      pages.read(sql, request, {
        statement: own`
        SELECT d.charger_id AS "chargerId", c.name, c.site_id AS "siteId", t.name AS "siteName", c.manufacturer, c.model,
          c.firmware_version AS "firmwareVersion", d.keys, d.since
        FROM configuration_drift d JOIN charger c ON c.charger_id = d.charger_id JOIN site t ON t.id = c.site_id
        WHERE ${own.rowsOf("d")} ${after === undefined ? sql`` : sql`AND d.charger_id > ${after}`}
        ORDER BY d.charger_id LIMIT ${pages.rows(request)}`,
        rows: driftRows,
        item: (row): Drift => row
      })
    )
  })

const stirredRows = rowsOf(
  Schema.Struct({
    upTo: Whole,
    facts: Schema.Int,
    organisationId: optional(Schema.String),
    chargerIds: optional(Schema.Array(Schema.String)),
    all: optional(Schema.Boolean)
  })
)

const stirred = (sql: SqlClient.SqlClient) =>
  Effect.fn("Drifts.stirred")(function* (limit: number) {
    const rows = yield* guarded(
      stirredRows(sql`
        WITH page AS MATERIALIZED (
          SELECT j.position, j.organisation_id, j.type, j.subject FROM journal j
          WHERE j.position > (SELECT r.position FROM journal_reader r WHERE r.name = 'drift') ORDER BY j.position LIMIT ${limit}::int
        )
        SELECT e.up_to AS "upTo", e.facts, f.organisation_id AS "organisationId", f.chargers AS "chargerIds", f.everything AS "all"
        FROM (SELECT max(p.position) AS up_to, count(*)::int AS facts FROM page p HAVING max(p.position) IS NOT NULL) e
        LEFT JOIN (
          SELECT p.organisation_id, bool_or(p.type = ANY (${textArray(driftsOfAll)})) AS everything,
            array_agg(DISTINCT substring(p.subject FROM 9)) FILTER (WHERE p.subject LIKE 'charger:%') AS chargers
          FROM page p WHERE p.type = ANY (${textArray(driftFacts)}) GROUP BY p.organisation_id
        ) f ON true`)
    )
    return {
      upTo: rows[0]?.upTo,
      facts: rows[0]?.facts ?? 0,
      organisations: rows.flatMap(({ all = false, chargerIds = [], organisationId }) =>
        organisationId === undefined ? [] : [{ organisationId, chargerIds, all }]
      )
    }
  })

const ReportedRow = Schema.Struct({
  chargerId: Schema.String,
  manufacturer: Schema.String,
  model: Schema.String,
  firmwareVersion: Schema.String,
  configuration: StoredConfiguration
})
type ReportedRow = typeof ReportedRow.Type

const reportedRows = rowsOf(ReportedRow)

const reportedOf =
  (secrets: Recording["secrets"]) =>
  (rows: ReadonlyArray<ReportedRow>): ReadonlyArray<Reported> =>
    rows.map(({ configuration, ...row }) => ({ ...row, configuration: openedConfiguration(secrets, configuration) }))

const selectReported = (sql: SqlClient.SqlClient) => sql`
  SELECT c.charger_id AS "chargerId", c.manufacturer, c.model, c.firmware_version AS "firmwareVersion", f.keys AS configuration
  FROM charger c JOIN charger_configuration f ON f.charger_id = c.charger_id`

const put = ({ sql, writable }: Recording) =>
  Effect.fn("Drifts.put")(
    (organisationId: string, compared: ReadonlyArray<Pick<Drift, "chargerId" | "keys">>, now: number) => {
      const own = scopedTo(sql, organisationId)
      // The lock waits for a removal of the charger that is in progress; the charger then gets no row.
      return Effect.andThen(
        writable,
        Effect.asVoid(
          guardedWrite(own`
            WITH compared AS (
              SELECT c.charger_id, x.keys
              FROM unnest(${textArray(compared.map(({ chargerId }) => chargerId))}, ${int4Array(compared.map(({ keys }) => keys))})
                AS x(charger_id, keys)
              JOIN charger c ON c.charger_id = x.charger_id AND ${own.rowsOf("c")}
              FOR KEY SHARE OF c
            ), same AS (
              DELETE FROM configuration_drift d USING compared x WHERE ${own.rowsOf("d")} AND d.charger_id = x.charger_id AND x.keys = 0
            )
            INSERT INTO configuration_drift AS d (charger_id, organisation_id, keys, since)
            SELECT x.charger_id, ${own.id}, x.keys, ${new Date(now)} FROM compared x WHERE x.keys > 0
            ON CONFLICT (charger_id) DO UPDATE SET keys = excluded.keys WHERE d.keys <> excluded.keys`)
        )
      )
    }
  )

export const layer: Layer.Layer<Drifts, never, RecordingServices> = Layer.effect(
  Drifts,
  Effect.map(recording, (records) => {
    const { secrets, sql, writable } = records
    const withKeys = reportedOf(secrets)
    return Drifts.of({
      list: list(sql),
      stirred: stirred(sql),
      named: Effect.fn("Drifts.named")((organisationId, chargerIds) => {
        const own = scopedTo(sql, organisationId)
        const rows = own`${selectReported(sql)} WHERE ${own.rowsOf("c")} AND c.charger_id = ANY (${textArray(chargerIds)})`
        return Effect.map(guarded(reportedRows(rows)), withKeys)
      }),
      after: Effect.fn("Drifts.after")((organisationId, chargerId, limit) => {
        const own = scopedTo(sql, organisationId)
        const next = chargerId === undefined ? sql`` : sql`AND c.charger_id > ${chargerId}`
        const rows = own`${selectReported(sql)} WHERE ${own.rowsOf("c")} ${next} ORDER BY c.charger_id LIMIT ${limit}::int`
        return Effect.map(guarded(reportedRows(rows)), withKeys)
      }),
      put: put(records),
      readTo: Effect.fn("Drifts.readTo")((position) =>
        Effect.andThen(
          writable,
          Effect.asVoid(
            guardedWrite(
              sql`UPDATE journal_reader SET position = greatest(position, ${position}::float8::bigint) WHERE name = 'drift'`
            )
          )
        )
      )
    })
  })
)
