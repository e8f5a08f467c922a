/**
 * Lists of REST v2: `limit` and `cursor` in, `items`, `nextCursor` and a `Link` header (RFC 8288) out. A cursor is opaque and valid only
 * for the list and filters that returned it.
 */
import { Context, Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { type HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { type Page, pageBytesMost, type PageRequest } from "../../../domain/values/Page.ts"
import { inSlices } from "../../../domain/values/ThreadTime.ts"
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

/** Writes some items of a list as JSON, each by itself. */
export type ItemTexts = (items: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<string>>

/** That of the endpoint of this request. */
export const ListItems = Context.Reference<ItemTexts>("voltlane/http/v2/ListItems", {
  defaultValue: () => () => Effect.die(new Error("This endpoint does not answer a list."))
})

/** The schema of the field `items` of a success, if it has one. Effect wraps the schema that was declared. */
const itemsIn = (success: unknown): Schema.Codec<ReadonlyArray<unknown>, unknown> | undefined => {
  if (!Schema.isSchema(success)) return undefined
  const { fields, schema } = success as { readonly fields?: { readonly items?: unknown }; readonly schema?: unknown }
  return Schema.isSchema(fields?.items)
    ? Schema.toCodecJson(fields.items as Schema.Codec<ReadonlyArray<unknown>, unknown>)
    : itemsIn(schema)
}

/** How an endpoint writes the items of its list; undefined if it has none. */
export const itemTextsOf = ({ success }: HttpApiEndpoint.Top): ItemTexts | undefined => {
  const items = [...success].map(itemsIn).find((one) => one !== undefined)
  if (items === undefined) return undefined
  const encode = Schema.encodeUnknownEffect(items)
  return (some) =>
    Effect.map(Effect.orDie(encode(some)), (encoded) =>
      (encoded as ReadonlyArray<unknown>).map((item) => JSON.stringify(item))
    )
}

/** Items of the domain as JSON. They are written a few at a time, since a page of five hundred takes tens of milliseconds. */
export const itemTexts = <A, B>(items: ReadonlyArray<A>, wire: (item: A) => B): Effect.Effect<ReadonlyArray<string>> =>
  Effect.flatMap(ListItems, (textsOf) =>
    inSlices(items, (some) => Effect.suspend(() => textsOf(some.map((item) => wire(item)))))
  )

/** The answer of a list, with the link to its next page. */
export const listAnswer = (
  texts: ReadonlyArray<string>,
  nextCursor: string | null,
  link: string | undefined
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(`{"items":[${texts.join(",")}],"nextCursor":${JSON.stringify(nextCursor)}}`, {
    contentType: "application/json",
    headers: link === undefined ? {} : { link }
  })

/** A page of the domain as the answer of the list endpoint at `url`. The page is cut short if its items are large. */
export const listed = <A, B>(publicUrl: string, url: string, page: Page<A>, wire: (item: A) => B) =>
  Effect.map(itemTexts(page.items, wire), (texts) => {
    const count = page.cursorAfter === undefined ? texts.length : fitting(texts)
    const nextCursor = count < texts.length ? (page.cursorAfter?.(count) ?? null) : page.nextCursor
    const link = nextCursor === null ? undefined : nextLink(publicUrl, url, nextCursor)
    return listAnswer(texts.slice(0, count), nextCursor, link)
  })

/** How many of these items fit into an answer. The first always does, otherwise a list could never be read to its end. */
export const fitting = (texts: ReadonlyArray<string>): number => {
  let left = pageBytesMost - envelopeBytes
  const tooMuch = texts.findIndex((text, i) => (left -= Buffer.byteLength(text) + 1) < 0 && i > 0)
  return tooMuch < 0 ? texts.length : tooMuch
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
