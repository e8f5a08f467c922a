/**
 * Every list of REST v2 and of OCPI, with every filter that its description documents. They are taken from the descriptions that the service
 * publishes, so that a new list or filter is measured without a change here.
 */
import { Schema } from "effect"
import { leastUsedCard, silentCharger, silentSite } from "./fill.ts"

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

/** Ids and times that are known to exist in the generated history. */
export interface Known {
  readonly sessionId: string
  readonly tariff: string
  readonly partner: string
  readonly leastUsedCharger: string
  readonly leastUsedSite: string
  /** ISO 8601, a day in the middle of the past. */
  readonly from: string
  readonly to: string
  readonly month: string
  /** Like `from` and `to`, but a few hours of the last month. */
  readonly recentFrom: string
  readonly recentTo: string
}

/** Excluded paths: lists that do not grow with age, and operations that do not answer a page (streams, full exports, and those that need a body). */
const left =
  /jsonl|\/events\/|swagger|\.csv|explain|preview|\/single-sign-on|\/passkeys|\/sign-ins|\/me(?:\/|$)|\/files\/|\/set-up|\/week/

/** The time range of a series is bounded, so `from` alone is no filter. */
const isSeries = (path: string): boolean => path.endsWith("/series")

/**
 * Messages and exchanges are kept for a month, and a series goes back three months at most. These are queried for a time that both databases have.
 */
const isRecent = (path: string): boolean => isSeries(path) || /\/(?:messages|exchanges)$/.test(path)

const sampleOf = (name: string, schema: Readonly<Record<string, unknown>>, known: Known): string | undefined => {
  const given: Readonly<Record<string, string>> = {
    chargerId: known.leastUsedCharger,
    siteId: known.leastUsedSite,
    sessionId: known.sessionId,
    tokenUid: leastUsedCard,
    uid: leastUsedCard,
    partnerId: known.partner,
    tariffId: known.tariff,
    from: known.from,
    to: known.to,
    month: known.month,
    q: "AGE-1",
    transactionId: "17",
    subject: `charger:${known.leastUsedCharger}`,
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

/** The cases of a REST description (`/cpo/swagger.json`). */
export const listCases = (description: unknown, known: Known): ReadonlyArray<ListCase> => {
  const { paths } = Schema.decodeUnknownSync(Document)(description)
  const cases: Array<ListCase> = []
  const recently = { ...known, from: known.recentFrom, to: known.recentTo }
  // At any age, a full page of a charger's feed is found quickly where the charger charges often, and slowly where it seldom does. So the case is a
  // page that searches as many facts as it may.
  const ofFeed = { ...known, leastUsedCharger: silentCharger, leastUsedSite: silentSite }
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

/** The lists with pages in a description, whether or not they have cases. */
export const pagedPaths = (description: unknown): ReadonlyArray<string> =>
  Object.entries(Schema.decodeUnknownSync(Document)(description).paths).flatMap(([path, { get }]) =>
    get?.parameters?.some(({ name }) => name === "limit") === true ? [path] : []
  )

/** The lists with a time window in an OCPI description (`/ocpi/swagger.json`), queried as a partner does. */
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
