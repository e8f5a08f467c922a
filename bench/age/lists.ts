/**
 * Every list of REST v2 and of OCPI with every filter that its description documents, taken from the descriptions that the service itself publishes: a
 * new list or filter is measured without a change here.
 */
import { Schema } from "effect"
import { quietCard, silentCharger, silentSite } from "./fill.ts"

const Parameter = Schema.Struct({
  name: Schema.String,
  in: Schema.String,
  required: Schema.optional(Schema.Boolean),
  schema: Schema.Record(Schema.String, Schema.Unknown)
})
const Document = Schema.Struct({
  paths: Schema.Record(
    Schema.String,
    Schema.Record(Schema.String, Schema.Struct({ parameters: Schema.optional(Schema.Array(Parameter)) }))
  )
})

/** What is known of the past that the databases are filled with. */
export interface Known {
  readonly sessionId: string
  readonly tariff: string
  readonly partner: string
  readonly quietCharger: string
  readonly quietSite: string
  /** ISO 8601, a day in the middle of the past. */
  readonly from: string
  readonly to: string
  readonly month: string
  /** As `from` and `to`, of hours of the last month. */
  readonly recentFrom: string
  readonly recentTo: string
}

/** Lists of what does not grow with age, or that answer no page: streams, exports of everything, and what needs a body of its own. */
const left =
  /jsonl|\/events\/|swagger|\.csv|explain|preview|\/single-sign-on|\/passkeys|\/sign-ins|\/me(?:\/|$)|\/files\/|\/set-up|\/week/

/** A series is of a bounded time, so its beginning alone is no filter. */
const isSeries = (path: string): boolean => path.endsWith("/series")

/** What is kept for a month, and what goes back no further than three: asked of a time that both have. */
const isRecent = (path: string): boolean => isSeries(path) || /\/(?:messages|exchanges)$/.test(path)

const sampleOf = (name: string, schema: Readonly<Record<string, unknown>>, known: Known): string | undefined => {
  const given: Readonly<Record<string, string>> = {
    chargerId: known.quietCharger,
    siteId: known.quietSite,
    sessionId: known.sessionId,
    tokenUid: quietCard,
    uid: quietCard,
    partnerId: known.partner,
    tariffId: known.tariff,
    from: known.from,
    to: known.to,
    month: known.month,
    q: "AGE-1",
    transactionId: "17",
    subject: `charger:${known.quietCharger}`,
    actor: "operator:3",
    action: "ChargerChanged",
    metric: "energy",
    module: "sessions",
    bucket: "hour",
    by: "charger"
  }
  const own = given[name]
  if (own !== undefined) return own
  const text = JSON.stringify(schema)
  const first = /"enum":\["([^"]+)"/.exec(text)?.[1]
  if (first !== undefined) return first
  return /"boolean"|"true"/.test(text) ? "true" : undefined
}

export interface ListCase {
  readonly name: string
  readonly path: string
}

/** The cases of a description (`/cpo/swagger.json`). */
export const listCases = (description: unknown, known: Known): ReadonlyArray<ListCase> => {
  const { paths } = Schema.decodeUnknownSync(Document)(description)
  const cases: Array<ListCase> = []
  const recently = { ...known, from: known.recentFrom, to: known.recentTo }
  // A full page of the feed of a charger is near by where it charges often, and far where it seldom does, at any age: what is compared is a page that
  // looks at as many facts as it may.
  const ofFeed = { ...known, quietCharger: silentCharger, quietSite: silentSite }
  for (const [path, item] of Object.entries(paths)) {
    const operation = item["get"]
    if (operation === undefined || left.test(path)) continue
    const parameters = operation.parameters ?? []
    const knownOf = isRecent(path) ? recently : path === "/v2/events" ? ofFeed : known
    const sample = (name: string): string | undefined => {
      const parameter = parameters.find((one) => one.name === name)
      return parameter === undefined ? undefined : sampleOf(name, parameter.schema, knownOf)
    }
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name)
    if (inPath.some((name) => sample(name) === undefined)) continue
    const concrete = inPath.reduce(
      (text, name) => text.replace(`{${name}}`, encodeURIComponent(sample(name) ?? "")),
      path
    )
    const query = parameters.filter((one) => one.in === "query" && one.name !== "cursor" && one.name !== "limit")
    const needed = query.filter((one) => one.required === true).map((one) => one.name)
    const add = (names: ReadonlyArray<string>) => {
      const search = new URLSearchParams()
      for (const name of new Set([...needed, ...names])) {
        const value = sample(name)
        if (value === undefined) return
        search.set(name, value)
      }
      cases.push({
        name: `${path}${names.length === 0 ? "" : ` ${names.join("+")}`}`,
        path: search.size === 0 ? concrete : `${concrete}?${search.toString()}`
      })
    }
    add([])
    for (const { name, required } of query) {
      if (required !== true && !(isSeries(path) && name === "from")) add([name])
    }
    if (query.some(({ name }) => name === "from") && query.some(({ name }) => name === "to")) add(["from", "to"])
    for (const scope of ["siteId", "chargerId"]) {
      if (query.some(({ name }) => name === scope) && query.some(({ name }) => name === "from"))
        add([scope, "from", "to"])
    }
  }
  return cases
}

/** Lists in pages that a description has, whether or not there are cases of them. */
export const pagedPaths = (description: unknown): ReadonlyArray<string> =>
  Object.entries(Schema.decodeUnknownSync(Document)(description).paths).flatMap(([path, { get }]) =>
    get?.parameters?.some(({ name }) => name === "limit") === true ? [path] : []
  )

/** The windows of a description (`/ocpi/swagger.json`), as a partner asks for them. */
export const windowCases = (description: unknown, known: Known): ReadonlyArray<ListCase> => {
  const { paths } = Schema.decodeUnknownSync(Document)(description)
  const [from, to] = [`date_from=${known.from}`, `date_to=${known.to}`]
  return Object.entries(paths).flatMap(([path, { get }]) =>
    path.startsWith("/2.2.1/") && get?.parameters?.some(({ name }) => name === "date_from") === true
      ? [[], [from], [to], [from, to], ["offset=150"]].map((filters) => ({
          name: `/ocpi${path} ${filters.map((filter) => filter.split("=")[0]).join("+")}`.trimEnd(),
          path: `/ocpi${path}?${[...filters, "limit=50"].join("&")}`
        }))
      : []
  )
}
