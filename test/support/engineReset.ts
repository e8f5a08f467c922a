/**
 * Resets an embedded database to its state when it was opened, for the next suite: the tables contain only the rows of the migrations, the sequences
 * have their first values, no table that a test created remains, and the session has no settings. It writes only what differs, since most suites use
 * a few of the tables, and emptying each costs milliseconds.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

/** The state of a database when it was opened. */
export interface Template {
  readonly catalogue: string
  /** The tables that had rows, with the rows as JSON. */
  readonly rows: ReadonlyArray<TableRows>
  /** All tables, with or without rows. */
  readonly tables: ReadonlyArray<string>
  /** The sequences and their values, as JSON. */
  readonly sequences: string
}

interface TableRows {
  readonly name: string
  readonly rows: string
}

/** The first object id that is not reserved for the system. */
const firstId = 16_384

/** Rows of these are written only by statements that change the schema. */
const catalogues = [
  ["pg_attribute", "attrelid"],
  ["pg_attrdef", "oid"],
  ["pg_constraint", "oid"],
  ["pg_enum", "oid"],
  ["pg_extension", "oid"],
  ["pg_index", "indexrelid"],
  ["pg_inherits", "inhrelid"],
  ["pg_policy", "oid"],
  ["pg_proc", "oid"],
  ["pg_rewrite", "oid"],
  ["pg_sequence", "seqrelid"],
  ["pg_statistic_ext", "oid"],
  ["pg_trigger", "oid"],
  ["pg_type", "oid"]
] as const

/**
 * The number of rows and the last transaction that wrote one reveal every change, without reading the rows. Emptying a table also writes its row in
 * `pg_class`, so there the columns are compared instead. Settings of roles and schemas are few.
 */
const catalogueQuery = `SELECT concat_ws(' ', ${[
  ...catalogues.map(
    ([table, id]) =>
      `(SELECT count(*) || '/' || coalesce(max(xmin::text::int8), 0) FROM ${table} WHERE ${id} >= ${firstId})`
  ),
  `(SELECT sum(hashtextextended(concat_ws(',', oid, relname, relnamespace, relowner, relkind::text, relnatts, relchecks, relpersistence::text,
    relrowsecurity, relreplident::text, relispartition, reloptions::text, relacl::text), 0)) FROM pg_class WHERE oid >= ${firstId})`,
  `(SELECT string_agg(nspname || nspowner, ',' ORDER BY oid) FROM pg_namespace WHERE nspname !~ '^pg_(toast_)?temp_')`,
  `(SELECT string_agg(rolname, ',' ORDER BY oid) FROM pg_authid)`,
  `(SELECT count(*) FROM pg_db_role_setting)`
].join(", ")}) AS catalogue`

const tablesQuery = `SELECT quote_ident(relname) AS name, pg_relation_size(oid) > 0 AS written
  FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY oid`

const sequencesQuery = `SELECT coalesce(jsonb_agg(jsonb_build_object('name', quote_ident(sequencename), 'start', start_value, 'last', last_value)
  ORDER BY sequencename)::text, '') AS sequences FROM pg_sequences WHERE schemaname = 'public'`

type Sql = SqlClient.SqlClient

const rowsOf = (sql: Sql, names: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<TableRows>, SqlError> =>
  names.length === 0
    ? Effect.succeed([])
    : sql.unsafe<TableRows>(
        names
          .map(
            (name) =>
              `SELECT '${name}' AS name, coalesce(jsonb_agg(to_jsonb(t) ORDER BY to_jsonb(t)::text)::text, '') AS rows FROM ${name} t`
          )
          .join(" UNION ALL ")
      )

const catalogueOf = Effect.fnUntraced(function* (sql: Sql) {
  const [found] = yield* sql.unsafe<{ catalogue: string }>(catalogueQuery)
  return found?.catalogue ?? ""
})

const sequencesOf = Effect.fnUntraced(function* (sql: Sql) {
  const [found] = yield* sql.unsafe<{ sequences: string }>(sequencesQuery)
  return found?.sequences ?? ""
})

type Table = { readonly name: string; readonly written: boolean }

/** Must run on a database that has not been used yet. */
export const templateOf: Effect.Effect<Template, SqlError, Sql> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql.unsafe<Table>(tablesQuery)
  const rows = yield* rowsOf(
    sql,
    tables.filter(({ written }) => written).map(({ name }) => name)
  )
  const sequences = yield* sequencesOf(sql)
  return { catalogue: yield* catalogueOf(sql), rows, tables: tables.map(({ name }) => name), sequences }
})

const restoreRows = Effect.fnUntraced(function* (sql: Sql, template: Template) {
  const stand = new Map(
    (yield* rowsOf(
      sql,
      template.rows.map(({ name }) => name)
    )).map(({ name, rows }) => [name, rows])
  )
  for (const { name, rows } of template.rows) {
    if (stand.get(name) === rows) continue
    yield* sql.unsafe(`TRUNCATE ${name}`)
    yield* sql.unsafe(
      `INSERT INTO ${name} OVERRIDING SYSTEM VALUE SELECT * FROM jsonb_populate_recordset(NULL::${name}, $1::text::jsonb)`,
      [rows]
    )
  }
})

const restoreSequences = Effect.fnUntraced(function* (sql: Sql, { sequences }: Template) {
  if ((yield* sequencesOf(sql)) === sequences) return
  yield* sql.unsafe(
    `SELECT setval(name, coalesce(last, start), last IS NOT NULL)
      FROM jsonb_to_recordset($1::text::jsonb) AS s(name text, start bigint, last bigint)`,
    [sequences]
  )
})

/** True if the database is as it was; false if the schema was changed, so that no other suite may use it. */
export const resetTo = Effect.fnUntraced(function* (template: Template): Effect.fn.Return<boolean, SqlError, Sql> {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DISCARD ALL`
  const tables = yield* sql.unsafe<Table>(tablesQuery)
  const strangers = tables.filter(({ name }) => !template.tables.includes(name)).map(({ name }) => name)
  if (strangers.length > 0) yield* sql.unsafe(`DROP TABLE ${strangers.join(", ")} CASCADE`)
  if (strangers.length + template.tables.length > tables.length) return false
  const kept = new Set([...strangers, ...template.rows.map(({ name }) => name)])
  const written = tables.filter((table) => table.written && !kept.has(table.name)).map(({ name }) => name)
  if (written.length > 0) yield* sql.unsafe(`TRUNCATE ${written.join(", ")} CASCADE`)
  yield* restoreRows(sql, template)
  yield* restoreSequences(sql, template)
  // Removes what the planner and the statistics know of deleted rows.
  yield* sql.unsafe(`DELETE FROM pg_statistic WHERE starelid >= ${firstId}`)
  yield* sql`SELECT pg_stat_reset()`
  return (yield* catalogueOf(sql)) === template.catalogue
})
