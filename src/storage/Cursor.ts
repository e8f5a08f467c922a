/**
 * Where a page of a list ended, as callers carry it: opaque text that names the list and the key of its last item. It is decoded like any
 * input; one that was not made by this list is the caller's mistake, not ours.
 */
import { Effect, Schema } from "effect"
import { InvalidInput } from "../domain/Errors.ts"
import type { Page, PageRequest } from "../domain/values/Page.ts"
import { isUuid } from "../domain/values/Uuid7.ts"
import { unstorableText } from "./Storable.ts"

/** No key that we hand out comes near it; what is longer is not ours. */
const maxLength = 1024

/** The most rows that one statement reads: the embedded database runs one statement at a time, and a long one holds up all others. */
const maxPage = 500

/** A key that is a UUID. */
export const UuidKey = Schema.String.check(Schema.makeFilter((text) => isUuid(text) || "expected a UUID"))

/** A key that is text which the database can hold. */
export const TextKey = Schema.String.check(
  Schema.makeFilter((text) => !unstorableText(text) || "expected text without U+0000")
)

/** A key that is a time, ms epoch: from the first that the database holds to the last that a date does. */
export const TimeKey = Schema.Finite.check(Schema.isBetween({ minimum: -210_866_803_200_000, maximum: 8.64e15 }))

/** A key that is a bigint, as text since JSON has none; one that the database's type does not hold is none of ours. */
export const LongKey = Schema.String.check(
  Schema.isPattern(/^-?\d{1,19}$/),
  Schema.makeFilter((text) => BigInt.asIntN(64, BigInt(text)) === BigInt(text) || "expected 64 bits")
)

/** A list that is read in pages by a key. */
export interface PagedList<Row, Key> {
  /** The key after which the page begins, or undefined for the first page. */
  readonly after: (request: PageRequest) => Effect.Effect<Key | undefined, InvalidInput>
  /** How many rows to ask for: one more than the page, which tells whether there is a next one. */
  readonly rows: (request: PageRequest) => number
  readonly page: <A>(request: PageRequest, rows: ReadonlyArray<Row>, item: (row: Row) => A) => Page<A>
}

const sizeOf = (request: PageRequest): number => Math.min(Math.max(Math.trunc(request.limit), 1), maxPage)

/**
 * `name` is unique among the lists, so that a cursor of one is refused by another. `keyOf` is what the list is ordered by and must be
 * unique within it: rows that are inserted between two pages then neither repeat nor hide others.
 */
export const pagedList = <Row, Key>(
  name: string,
  key: Schema.Codec<Key, unknown>,
  keyOf: (row: Row) => Key
): PagedList<Row, Key> => {
  const codec = Schema.StringFromBase64Url.pipe(
    Schema.decodeTo(Schema.fromJsonString(Schema.Struct({ list: Schema.Literal(name), after: key })))
  )
  const decode = Schema.decodeUnknownEffect(codec)
  const encode = Schema.encodeSync(codec)
  const refuse = (): InvalidInput =>
    new InvalidInput({ pointer: "/cursor", detail: "is not a cursor of this list; take nextCursor of the page before" })
  return {
    after: ({ cursor }) => {
      if (cursor === undefined) return Effect.undefined
      if (cursor.length > maxLength) return Effect.fail(refuse())
      return Effect.mapError(
        Effect.map(decode(cursor), ({ after }) => after),
        refuse
      )
    },
    rows: (request) => sizeOf(request) + 1,
    page: (request, rows, item) => {
      const items = rows.slice(0, sizeOf(request))
      const last = items.at(-1)
      const nextCursor =
        rows.length > items.length && last !== undefined ? encode({ list: name, after: keyOf(last) }) : null
      return { items: items.map(item), nextCursor }
    }
  }
}
