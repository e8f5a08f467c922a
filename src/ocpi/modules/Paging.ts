/**
 * OCPI's lists by offset (OCPI 2.2.1 §4.1.4): reads the query, and makes the headers X-Total-Count, X-Limit and Link. Dates are parsed as
 * leniently as elsewhere. An unreadable query is refused: if it were ignored, the partner would mistake the whole list for the requested
 * part.
 */
import { Effect } from "effect"
import { type Window, windowDefaultLimit, type Windowed, windowMaxLimit } from "../../domain/values/Window.ts"
import { mapInSlices } from "../../domain/values/ThreadTime.ts"
import { addressOf, type ModuleId } from "../protocol/EndpointTable.ts"
import type { Exchange, Reply } from "./Exchange.ts"
import { Refused } from "../protocol/Status.ts"
import { parseTimestamp } from "../protocol/Timestamp.ts"

/** Largest offset that is accepted: more than any list has, and the largest integer of the database. */
const offsetMax = 2_147_483_647

const unreadable = (detail: string) => new Refused({ reason: { _tag: "Unreadable", detail } })

/** The first value of a parameter. An empty value counts as missing. */
const given = (query: URLSearchParams, name: string): string | undefined => query.get(name)?.trim() || undefined

const count = (query: URLSearchParams, name: string, min: number, otherwise: number) => {
  const text = given(query, name)
  if (text === undefined) return Effect.succeed(otherwise)
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  return value >= min && value <= offsetMax
    ? Effect.succeed(value)
    : Effect.fail(unreadable(`${name} must be a whole number of at least ${min}.`))
}

/** A date. A `+` that became a space in the query is accepted, and so is a day alone, which means its first moment. */
const date = (query: URLSearchParams, name: string) => {
  const text = given(query, name)
  if (text === undefined) return Effect.undefined
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text
  const at = parseTimestamp(day.replace(/ (\d{2}:?\d{2})$/, "+$1")) ?? parseTimestamp(day)
  return at === undefined
    ? Effect.fail(unreadable(`${name} must be a date and time, such as 2026-11-20T08:30:00Z.`))
    : Effect.succeed(at)
}

/**
 * The requested window, limited to the party that the request addresses. `date_from` is inclusive and `date_to` exclusive in every version,
 * and `limit` is capped at our maximum. An unreadable value, or a limit of 0, is answered with HTTP 400 and 2001.
 */
export const readWindow = ({
  addressed: party,
  query
}: Pick<Exchange, "addressed" | "query">): Effect.Effect<Window, Refused> =>
  Effect.gen(function* () {
    const from = yield* date(query, "date_from")
    const to = yield* date(query, "date_to")
    const offset = yield* count(query, "offset", 0, 0)
    const limit = yield* count(query, "limit", 1, windowDefaultLimit)
    return { from, to, offset, limit: Math.min(limit, windowMaxLimit), ...(party === undefined ? {} : { party }) }
  })

/** The URL of a list: `base` is our OCPI address without a trailing slash, as partners reach it. */
export interface ListPlace {
  readonly base: string
  readonly module: ModuleId
}

/** The number of items on a page, and in the filtered list. */
interface Shown {
  readonly count: number
  readonly total: number
}

/** The URL of the next page with all filters of this one; undefined on the last page. */
const nextOf = (
  { facts, query }: Pick<Exchange, "facts" | "query">,
  { base, module }: ListPlace,
  { limit, offset }: Window,
  { count, total }: Shown
): string | undefined => {
  if (count === 0 || offset + count >= total) return undefined
  const next = new URLSearchParams(query)
  next.set("offset", String(offset + count))
  next.set("limit", String(limit))
  return `<${base}${addressOf(facts, module)}?${next}>; rel="next"`
}

const headersOf = (
  exchange: Pick<Exchange, "facts" | "query">,
  place: ListPlace,
  window: Window,
  shown: Shown
): Readonly<Record<string, string>> => {
  const link = nextOf(exchange, place, window, shown)
  // The items were counted before they were read, and more may have been added since.
  const total = shown.count === 0 ? shown.total : Math.max(shown.total, window.offset + shown.count)
  return {
    "x-total-count": String(total),
    "x-limit": String(windowMaxLimit),
    ...(link === undefined ? {} : { link })
  }
}

/** A page as a reply; `encode` encodes each item. Large pages are encoded a few items at a time. */
export const pageReply = <A>(
  exchange: Pick<Exchange, "facts" | "query">,
  place: ListPlace,
  window: Window,
  { items, total }: Windowed<A>,
  encode: (item: A) => unknown
): Effect.Effect<Reply> =>
  Effect.map(mapInSlices(items, encode), (data) => ({
    data,
    headers: headersOf(exchange, place, window, { count: items.length, total })
  }))

/** A page whose body is already encoded. */
export const madePageReply = (
  exchange: Pick<Exchange, "facts" | "query">,
  place: ListPlace,
  window: Window,
  page: Shown & { readonly body: Uint8Array }
): Reply => ({
  data: undefined,
  body: page.body,
  headers: headersOf(exchange, place, window, page)
})
