/**
 * Lists of REST v2: `limit` and `cursor` in, `items`, `nextCursor` and a `Link` header (RFC 8288) out. A cursor is opaque and valid only
 * for the list and filters that returned it.
 */
import { Context, Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { type Page, pageBytesMost, type PageRequest } from "../../../domain/values/Page.ts"
import { wholeInQuery } from "../../Fields.ts"

/** Items per page if `limit` is left out. */
export const defaultLimit = 50

/** Most items of one page: a larger page would occupy the only session of the embedded database for too long. */
export const maxLimit = 500

/** Longest cursor that is accepted; ours have less than 100 characters. */
const cursorMaxLength = 512

const Limit = wholeInQuery(
  1,
  maxLimit,
  `Maximum number of items in a page, 1 to ${maxLimit}; default ${defaultLimit}. A page also ends when its items reach 1 MiB`
)

/** The query parameters of every list. */
export const PageQuery = {
  limit: Schema.optionalKey(Limit),
  cursor: Schema.optionalKey(
    Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(cursorMaxLength)).annotate({
      description: "`nextCursor` of the previous page"
    })
  )
}

/** The page that a query asks for. */
export const pageRequest = (query: { readonly limit?: number; readonly cursor?: string }): PageRequest => ({
  limit: query.limit ?? defaultLimit,
  cursor: query.cursor
})

/** The answer of a list. */
export const listOf = <S extends Schema.Top>(items: S) =>
  HttpApiSchema.WithHeaders(Schema.Struct({ items: Schema.Array(items), nextCursor: Schema.NullOr(Schema.String) }), {
    link: Schema.optionalKey(
      Schema.String.annotate({ description: 'The next page: `<absolute URL>; rel="next"` (RFC 8288)' })
    )
  })

/** PUBLIC_URL without a trailing slash: the base of every absolute URL in answers. */
export class PublicUrl extends Context.Service<PublicUrl, string>()("voltlane/http/v2/PublicUrl") {}

/**
 * The URL of this request with `cursor` set to that of the next page. `path` replaces the request's path, for a list embedded in another
 * answer.
 */
export const nextLink = (publicUrl: string, url: string, cursor: string, path?: string): string => {
  const next = new URL(url, "http://localhost")
  next.searchParams.set("cursor", cursor)
  return `<${publicUrl}${path ?? next.pathname}${next.search}>; rel="next"`
}

/** Space for what surrounds the items: names, brackets and a cursor. */
const envelopeBytes = 1024

/** Times are numbers until they are encoded, and then longer by `timeGrowth`. */
const timeDigits = /\d{13}/g
const timeGrowth = 13

/** An upper estimate of an item's bytes when sent. */
const bytesOf = (item: unknown): number => {
  const text = JSON.stringify(item)
  return Buffer.byteLength(text) + (text.match(timeDigits)?.length ?? 0) * timeGrowth + 1
}

/** How many of `items` fit into an answer. The first always does, otherwise a list could never be read to its end. */
export const fitting = (items: ReadonlyArray<unknown>): number => {
  let left = pageBytesMost - envelopeBytes
  const tooMuch = items.findIndex((item, i) => (left -= bytesOf(item)) < 0 && i > 0)
  return tooMuch < 0 ? items.length : tooMuch
}

/** A page of the domain as the answer of the list endpoint at `url`. The page is cut short if its items are large. */
export const listed = <A, B>(publicUrl: string, url: string, page: Page<A>, wire: (item: A) => B) => {
  const items = page.items.map(wire)
  const count = page.cursorAfter === undefined ? items.length : fitting(items)
  const nextCursor = count < items.length ? (page.cursorAfter?.(count) ?? null) : page.nextCursor
  return HttpApiSchema.withHeaders({
    body: { items: items.slice(0, count), nextCursor },
    headers: nextCursor === null ? {} : { link: nextLink(publicUrl, url, nextCursor) }
  })
}

/** An answer with the `Location` of the created object. */
export const createdAt = <S extends Schema.Top>(body: S) =>
  HttpApiSchema.WithHeaders(body, {
    location: Schema.String.annotate({ description: "Absolute URL of the created object" })
  })

/** `body` with its location; `path` is below `/cpo`. */
export const located = <A>(publicUrl: string, path: string, body: A) =>
  HttpApiSchema.withHeaders({ body, headers: { location: `${publicUrl}/cpo${path}` } })

/** The header that every POST accepts. */
export const IdempotencyHeader = {
  "idempotency-key": Schema.optionalKey(
    Schema.String.annotate({
      description:
        "1 to 255 printable characters. The same request with the same key gets the same answer for 24 hours; a request with another body is refused with 409."
    })
  )
}
