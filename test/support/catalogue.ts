/** A database's schema as lines of text, so that two databases can be compared: each difference is a line that only one of them has. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const own = "'public'::regnamespace"

/** Columns are numbered among those that exist: a dropped one leaves a gap in `attnum`. */
const parts: ReadonlyArray<string> = [
  `SELECT format('%s %s %s %s', relkind, relname, reloptions, pg_get_expr(relpartbound, c.oid) || coalesce(pg_get_partkeydef(c.oid), '')) AS line
    FROM pg_class c WHERE relnamespace = ${own}`,
  `SELECT format('comment %s: %s', relname, obj_description(c.oid)) AS line FROM pg_class c WHERE relnamespace = ${own}`,
  `SELECT format('column %s.%s %s %s null=%s default=%s identity=%s storage=%s', c.relname,
      row_number() OVER (PARTITION BY c.oid ORDER BY attnum), attname, format_type(atttypid, atttypmod), NOT attnotnull,
      pg_get_expr(d.adbin, d.adrelid), attidentity, attstorage) AS line
    FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = attnum
    WHERE relnamespace = ${own} AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped`,
  `SELECT format('constraint %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS line
    FROM pg_constraint WHERE connamespace = ${own}`,
  `SELECT 'index ' || indexdef AS line FROM pg_indexes WHERE schemaname = 'public'`,
  `SELECT format('trigger %s enabled=%s', pg_get_triggerdef(t.oid), tgenabled) AS line FROM pg_trigger t WHERE NOT tgisinternal`,
  `SELECT 'function ' || pg_get_functiondef(oid) AS line FROM pg_proc WHERE pronamespace = ${own}`,
  `SELECT 'sequence ' || to_jsonb(s)::text AS line FROM pg_sequences s WHERE schemaname = 'public'`,
  `SELECT format('type %s %s', typname, typtype) AS line FROM pg_type WHERE typnamespace = ${own} AND typtype <> 'c' AND typelem = 0`
]

/** Includes the rows that a new database has. */
export const catalogue = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const lines: Array<string> = []
  const take = (query: string) =>
    Effect.map(sql.unsafe<{ readonly line: string }>(query), (rows) => void lines.push(...rows.map((row) => row.line)))
  for (const query of parts) yield* take(query)
  const tables = yield* sql<{ name: string }>`SELECT quote_ident(relname) AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')`
  for (const { name } of tables) yield* take(`SELECT 'row of ${name} ' || to_jsonb(t)::text AS line FROM ${name} t`)
  return lines.filter((line) => !line.includes("schema_migrations")).sort()
})

/** The lines that only one of two catalogues has. */
export const differences = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [first, second] = [new Set(one), new Set(other)]
  return [
    ...one.filter((line) => !second.has(line)).map((line) => `- ${line}`),
    ...other.filter((line) => !first.has(line)).map((line) => `+ ${line}`)
  ]
}
