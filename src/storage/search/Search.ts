/**
 * The port `Search` over SQL. Small tables (sites, partners, tariffs, operators, chargers) are read with the organisation's index and
 * compared with the text; tokens, sessions and records are found with an index on their beginning. Each statement reads a limited number of
 * rows, so that none blocks the embedded database for long.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { type Found, foundOfKind, Search, type SearchedKind } from "../../domain/search/Search.ts"
import { tokenKey } from "../../domain/token/Token.ts"
import { rowsOf } from "../kernel/Rows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { unstorableText } from "../kernel/Storable.ts"
import { escaped, mentions } from "../kernel/TextSearch.ts"

/** How many rows of one kind are compared with the text; this takes the embedded database about 60 ms. */
const comparedMost = 50_000

const foundRows = rowsOf(
  Schema.Struct({ id: Schema.String, title: Schema.String, subtitle: Schema.NullOr(Schema.String), rank: Schema.Int })
)

interface Asked {
  readonly sql: SqlClient.SqlClient
  readonly own: Scoped
  readonly text: string
}

/** The rank of the column that matches best; 0 is the best rank. */
const rankOf = ({ sql, text }: Asked, columns: ReadonlyArray<Statement.Fragment>) => {
  const lower = text.toLowerCase()
  const is = sql.or(columns.map((column) => sql`lower(${column}) = ${lower}`))
  const begins = sql.or(columns.map((column) => sql`lower(${column}) LIKE ${`${escaped(lower)}%`}`))
  return sql`CASE WHEN ${is} THEN 0 WHEN ${begins} THEN 1 ELSE 2 END`
}

/** Searches a table that is small enough to compare all its rows: `rows` selects `id`, `title`, `subtitle` and other searched columns. */
const compared = (asked: Asked, rows: Statement.Fragment, columns: ReadonlyArray<string>) => {
  const { sql, text } = asked
  const searched = columns.map((column) => sql`q.${sql(column)}`)
  return sql`
    SELECT q.id::text AS id, q.title, q.subtitle, ${rankOf(asked, searched)} AS rank
    FROM (${rows} LIMIT ${comparedMost}) q WHERE ${mentions(sql, searched, text)}
    ORDER BY rank, q.title, q.id LIMIT ${foundOfKind}`
}

const chargers = (asked: Asked) =>
  compared(
    asked,
    asked.own`SELECT c.charger_id AS id, c.name AS title, c.charger_id AS subtitle FROM charger c WHERE ${asked.own.rowsOf("c")} ORDER BY c.charger_id`,
    ["id", "title"]
  )

const sites = (asked: Asked) =>
  compared(
    asked,
    asked.own`SELECT s.id, s.name AS title, s.city AS subtitle FROM site s WHERE ${asked.own.rowsOf("s")} ORDER BY s.id`,
    ["title"]
  )

const partners = (asked: Asked) =>
  compared(
    asked,
    asked.own`SELECT p.id, p.name AS title, p.status AS subtitle FROM partner p WHERE ${asked.own.rowsOf("p")} ORDER BY p.id`,
    ["title"]
  )

/** Tariffs have no name of their own; drivers know a tariff by its text. */
const tariffs = (asked: Asked) =>
  compared(
    asked,
    asked.own`
      SELECT t.id, coalesce(t.body #>> '{tariffAltText,0,text}', t.id::text) AS title, t.body ->> 'currency' AS subtitle, t.id::text AS key
      FROM tariff t WHERE ${asked.own.rowsOf("t")} ORDER BY t.id`,
    ["title", "key"]
  )

const operators = (asked: Asked) =>
  compared(
    asked,
    asked.own`
      SELECT o.id, CASE WHEN o.name = '' THEN o.email ELSE o.name END AS title, o.email AS subtitle
      FROM membership m JOIN operator o ON o.id = m.operator_id WHERE ${asked.own.rowsOf("m")} ORDER BY m.operator_id`,
    ["title", "subtitle"]
  )

/** Partners' cards: by their whole uid, or by the beginning of the driver's contract id. */
const partnersTokens = (asked: Asked) => {
  const { own, sql, text } = asked
  const shown = sql`y.uid AS id, y.uid AS title, y.contract_id || ' · ' || p.name AS subtitle, y.contract_id`
  return own`
    SELECT q.id, q.title, q.subtitle, ${rankOf(asked, [sql`q.title`, sql`q.contract_id`])} AS rank
    FROM (
      (SELECT ${shown} FROM roaming_token y JOIN partner p ON p.id = y.partner_id
        WHERE ${own.rowsOf("y")} AND y.uid_key = ${tokenKey(text)} LIMIT ${foundOfKind})
      UNION
      (SELECT ${shown} FROM roaming_token y JOIN partner p ON p.id = y.partner_id
        WHERE ${own.rowsOf("y")} AND lower(y.contract_id) LIKE ${`${escaped(tokenKey(text))}%`}
        ORDER BY lower(y.contract_id) USING ~<~ LIMIT ${foundOfKind})
    ) q ORDER BY rank, q.title LIMIT ${foundOfKind}`
}

/**
 * The organisation's own cards: by the beginning of their uid, printed number or note, and by any part of these among the most recently
 * changed cards.
 */
const tokens = (asked: Asked) => {
  const { own, sql, text } = asked
  const begins = `${escaped(tokenKey(text))}%`
  const shown = sql`t.uid AS id, t.uid AS title, coalesce(nullif(concat_ws(' · ', left(t.note, 100), t.visual_number), ''), t.status) AS subtitle,
    t.visual_number, t.note`
  const columns = [sql`q.title`, sql`q.visual_number`, sql`q.note`]
  return own`
    SELECT q.id, q.title, q.subtitle, ${rankOf(asked, columns)} AS rank
    FROM (
      (SELECT ${shown} FROM token t WHERE ${own.rowsOf("t")} AND t.uid_key LIKE ${begins} ORDER BY t.uid_key USING ~<~ LIMIT ${foundOfKind})
      UNION
      (SELECT ${shown} FROM token t WHERE ${own.rowsOf("t")} AND t.visual_number IS NOT NULL AND lower(t.visual_number) LIKE ${begins}
        ORDER BY lower(t.visual_number) USING ~<~ LIMIT ${foundOfKind})
      UNION
      (SELECT ${shown} FROM token t WHERE ${own.rowsOf("t")} AND t.note IS NOT NULL AND lower(left(t.note, 100)) LIKE ${begins}
        ORDER BY lower(left(t.note, 100)) USING ~<~ LIMIT ${foundOfKind})
      UNION
      (SELECT * FROM (SELECT ${shown} FROM token t WHERE ${own.rowsOf("t")} ORDER BY t.changed_seq DESC LIMIT ${comparedMost}) q
        WHERE ${mentions(sql, columns, text)} LIMIT ${foundOfKind})
    ) q ORDER BY rank, q.title LIMIT ${foundOfKind}`
}

/** Fewer digits contain only the time, which all ids of a week share. */
const fewestDigits = 8

/** The first and the last id that begin with the text; undefined if the text is not the beginning of an id. */
const idsFrom = (text: string): readonly [string, string] | undefined => {
  const digits = text.toLowerCase().replaceAll("-", "")
  if (!/^[0-9a-f]+$/.test(digits) || digits.length < fewestDigits || digits.length > 32) return undefined
  return [digits.padEnd(32, "0"), digits.padEnd(32, "f")]
}

const sessions = (asked: Asked) => {
  const { own, sql, text } = asked
  const shown = sql`s.id, s.charger_id AS title, s.started_at, s.transaction_id, s.token_uid`
  const ids = idsFrom(text)
  const byId =
    ids === undefined
      ? sql``
      : own`UNION (SELECT ${shown} FROM session s WHERE ${own.rowsOf("s")} AND s.id BETWEEN ${ids[0]}::uuid AND ${ids[1]}::uuid
        ORDER BY s.id DESC LIMIT ${foundOfKind})`
  return own`
    SELECT q.id::text AS id, q.title, q.transaction_id || ' · ' || q.token_uid || ' · ' || to_char(q.started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"') AS subtitle,
      ${rankOf(asked, [sql`q.id::text`, sql`q.transaction_id`])} AS rank
    FROM (
      (SELECT ${shown} FROM session s WHERE ${own.rowsOf("s")} AND s.transaction_id LIKE ${`${escaped(text)}%`}
        AND NOT s.reservation_only ORDER BY s.transaction_id USING ~<~ LIMIT ${foundOfKind}) ${byId}
    ) q ORDER BY rank, q.started_at DESC LIMIT ${foundOfKind}`
}

/** By number, or by the beginning of the id. */
const cdrs = (asked: Asked) => {
  const { own, sql, text } = asked
  const ids = idsFrom(text)
  const number = /^\d{1,15}$/.test(text) ? text : undefined
  if (ids === undefined && number === undefined) return undefined
  const shown = sql`d.id, d.number::text AS title, d.charger_id, d.started_at`
  const byNumber = own`(SELECT ${shown} FROM cdr d WHERE ${own.rowsOf("d")} AND d.number = ${number ?? null}::text::bigint)`
  const byId =
    ids === undefined
      ? sql``
      : own`UNION (SELECT ${shown} FROM cdr d WHERE ${own.rowsOf("d")} AND d.id BETWEEN ${ids[0]}::uuid AND ${ids[1]}::uuid
        ORDER BY d.id DESC LIMIT ${foundOfKind})`
  return sql`
    SELECT q.id::text AS id, q.title, q.charger_id || ' · ' || to_char(q.started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"') AS subtitle,
      ${rankOf(asked, [sql`q.id::text`, sql`q.title`])} AS rank
    FROM (${byNumber} ${byId}) q ORDER BY rank, q.started_at DESC LIMIT ${foundOfKind}`
}

type Statements = ReadonlyArray<(asked: Asked) => Statement.Statement<object> | undefined>

const statements: Readonly<Record<SearchedKind, Statements>> = {
  charger: [chargers],
  site: [sites],
  session: [sessions],
  token: [tokens, partnersTokens],
  cdr: [cdrs],
  partner: [partners],
  tariff: [tariffs],
  operator: [operators]
}

/** Removes duplicates: a card may be both the organisation's own and a partner's, or belong to several partners. */
const once = (found: ReadonlyArray<Found>): ReadonlyArray<Found> =>
  [...found]
    .sort((one, other) => one.rank - other.rank)
    .filter(({ id }, n, all) => all.findIndex((one) => one.id === id) === n)
    .slice(0, foundOfKind)

const find = (sql: SqlClient.SqlClient) =>
  Effect.fn("Search.find")(function* (organisationId: string, text: string, kinds: ReadonlyArray<SearchedKind>) {
    if (unstorableText(text)) return []
    const asked: Asked = { sql, own: scopedTo(sql, organisationId), text }
    // One after the other, so that the embedded database can serve others in between.
    const ofKind = (kind: SearchedKind) =>
      Effect.forEach(statements[kind], (of) => {
        const statement = of(asked)
        if (statement === undefined) return Effect.succeed<ReadonlyArray<Found>>([])
        return Effect.map(guarded(foundRows(statement)), (rows) =>
          rows.map((row): Found => ({ ...row, kind, subtitle: row.subtitle ?? "" }))
        )
      })
    const found = yield* Effect.forEach(kinds, ofKind)
    return found.flatMap((parts) => once(parts.flat()))
  })

export const layer: Layer.Layer<Search, never, SqlClient.SqlClient> = Layer.effect(
  Search,
  Effect.map(SqlClient.SqlClient, (sql) => Search.of({ find: find(sql) }))
)
