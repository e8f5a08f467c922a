/**
 * Pagination cursors. A cursor is opaque text that contains the list's name, a hash of its filters and the key of the last item of a page.
 * It is decoded like any other input; a cursor that this list did not make is the caller's error.
 */
import { Effect, Hash, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { InvalidInput } from "../../domain/Errors.ts"
import { type Page, pageBytesMost, type PageRequest } from "../../domain/values/Page.ts"
import { mapInSlices } from "../../domain/values/ThreadTime.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { unstorableText } from "./Storable.ts"

/** Our cursors are much shorter; a longer one is not ours. */
const maxLength = 1024

/** The most rows that one statement reads. The embedded database runs one statement at a time, so a long one delays all others. */
const maxPage = 500

/**
 * The most bytes of rows that one statement returns, which limits the memory for making a page. It is twice the page's limit because a row
 * is longer as PostgreSQL text than as JSON. A statement returns the rows that fit and one more.
 */
export const readBytesMost = 2 * pageBytesMost

/** A key that is a UUID. */
export const UuidKey = Schema.String.check(Schema.makeFilter((text) => isUuid(text) || "expected a UUID"))

/** A key that is text which the database can store. */
export const TextKey = Schema.String.check(
  Schema.makeFilter((text) => !unstorableText(text) || "expected text without U+0000")
)

/** A key that is a time in ms since 1970, from the earliest time of `timestamptz` to the latest of a JavaScript `Date`. */
export const TimeKey = Schema.Finite.check(Schema.isBetween({ minimum: -210_866_803_200_000, maximum: 8.64e15 }))

/** A key that is a bigint, as text since JSON has no bigint. It must fit into PostgreSQL's 64-bit type. */
export const LongKey = Schema.String.check(
  Schema.isPattern(/^-?\d{1,19}$/),
  Schema.makeFilter((text) => BigInt.asIntN(64, BigInt(text)) === BigInt(text) || "expected 64 bits")
)

/** A list that is read in pages by a key. */
export interface PagedList<Row, Key> {
  /** The key after which the page begins, or undefined for the first page. */
  readonly after: (request: PageRequest) => Effect.Effect<Key | undefined, InvalidInput>
  /** How many rows to query: one more than the page, which shows whether there is a next page. */
  readonly rows: (request: PageRequest) => number
  /** The cursor of a page that begins after a key. */
  readonly cursorAfter: (request: PageRequest, key: Key) => string
  readonly page: <A>(request: PageRequest, rows: ReadonlyArray<Row>, item: (row: Row) => A) => Page<A>
  /** Reads a page of rows whose size clients or chargers determine, and reads no more than fits. */
  readonly read: <A>(
    sql: SqlClient.SqlClient,
    request: PageRequest,
    asked: Asked<Row, A>
  ) => Effect.Effect<Page<A>, SqlError.SqlError>
}

interface Asked<Row, A> {
  /** Must end with its `ORDER BY` and `LIMIT rows(request)`. */
  readonly statement: Statement.Fragment
  readonly rows: (
    found: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>
  ) => Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>
  readonly item: (row: Row) => A
  /** The size in bytes of a row `q`, if it can be computed without reading the whole row. */
  readonly size?: Statement.Fragment
}

/** The rows of a statement up to and including the first one that exceeds the size, each with the total number found. */
const upToBytes = (sql: SqlClient.SqlClient, { size, statement }: Pick<Asked<never, never>, "size" | "statement">) =>
  sql<{ readonly page_found: number }>`
    SELECT * FROM (
      SELECT q.*, (count(*) OVER ())::int AS page_found,
        sum(${size ?? sql`octet_length(q::text)`}) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS page_bytes
      FROM (${statement}) q
    ) p WHERE p.page_bytes IS NULL OR p.page_bytes < ${readBytesMost}::int`

/** A hash of the request's filters; undefined if it has none. A cursor is only valid with the filters that it was made for. */
const filtersOf = ({ cursor: _, limit: __, ...filters }: PageRequest): number | undefined => {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined)
  return given.length === 0 ? undefined : Hash.string(JSON.stringify(given.toSorted(([a], [b]) => (a < b ? -1 : 1))))
}

const sizeUpTo =
  (most: number) =>
  (request: PageRequest): number =>
    Math.min(Math.max(Math.trunc(request.limit), 1), most)

/**
 * `name` is unique among the lists, so that no list accepts another list's cursor. `keyOf` is what the list is ordered by and must be
 * unique within the list: rows that are inserted between two pages then cause neither repeated nor missing items.
 */
export const pagedList = <Row, Key>(
  name: string,
  key: Schema.Codec<Key, unknown>,
  keyOf: (row: Row) => Key,
  /** Set higher only for lists with small rows. */
  most = maxPage
): PagedList<Row, Key> => {
  const sizeOf = sizeUpTo(most)
  const codec = Schema.StringFromBase64Url.pipe(
    Schema.decodeTo(
      Schema.fromJsonString(
        Schema.Struct({ list: Schema.Literal(name), of: Schema.optionalKey(Schema.Int), after: key })
      )
    )
  )
  const decode = Schema.decodeUnknownEffect(codec)
  const encode = Schema.encodeSync(codec)
  const refuse = (): InvalidInput =>
    new InvalidInput({
      pointer: "/cursor",
      detail: "is not a cursor of this list; use nextCursor of the previous page"
    })
  const otherFilters = (): InvalidInput =>
    new InvalidInput({
      pointer: "/cursor",
      detail: "belongs to other filters; use the same filters as for the previous page"
    })
  const cursorOf = (request: PageRequest, after: Key): string => {
    const of = filtersOf(request)
    return encode({ list: name, ...(of === undefined ? {} : { of }), after })
  }
  /** `isCut`: the statement found more rows than it returned. */
  const pageOf = <A>(
    request: PageRequest,
    rows: ReadonlyArray<Row>,
    item: (row: Row) => A,
    isCut: boolean
  ): Page<A> => {
    const items = rows.slice(0, sizeOf(request))
    const cursorAfter = (count: number): string => cursorOf(request, keyOf(items[count - 1]!))
    const hasMore = items.length > 0 && (isCut || rows.length > items.length)
    return {
      items: items.map(item),
      nextCursor: hasMore ? cursorAfter(items.length) : null,
      ...(items.length > 1 ? { cursorAfter } : {})
    }
  }
  return {
    after: (request) => {
      const { cursor } = request
      if (cursor === undefined) return Effect.undefined
      if (cursor.length > maxLength) return Effect.fail(refuse())
      return Effect.flatMap(Effect.mapError(decode(cursor), refuse), ({ after, of }) =>
        of === filtersOf(request) ? Effect.succeed(after) : Effect.fail(otherFilters())
      )
    },
    rows: (request) => sizeOf(request) + 1,
    cursorAfter: cursorOf,
    page: (request, rows, item) => pageOf(request, rows, item, false),
    read: (sql, request, asked) =>
      Effect.gen(function* () {
        const found = yield* upToBytes(sql, asked)
        const rows = yield* asked.rows(Effect.succeed(found))
        const page = pageOf(request, rows, (row) => row, (found[0]?.page_found ?? 0) > found.length)
        return { ...page, items: yield* mapInSlices(page.items, (row) => asked.item(row)) }
      })
  }
}
