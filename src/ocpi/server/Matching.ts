/** Maps a path to its target: the versions, the details of one version, or a row of the endpoint table. */
import type { HttpMethod } from "../../outbound/HttpCall.ts"
import { addressOf, type EndpointRow, nameOf, rowsOf } from "../protocol/EndpointTable.ts"
import type { Handler, Handlers } from "../modules/Exchange.ts"
import { type VersionFacts, versions } from "../protocol/Version.ts"

export type Target =
  | { readonly _tag: "Versions" }
  | { readonly _tag: "Details"; readonly facts: VersionFacts }
  | {
      readonly _tag: "Module"
      readonly facts: VersionFacts
      readonly row: EndpointRow
      readonly handler: Handler
      readonly params: Readonly<Record<string, string>>
    }
  /** The path exists, but not for this method. */
  | { readonly _tag: "OtherMethods"; readonly allowed: ReadonlyArray<string> }
  | { readonly _tag: "Nothing" }
  /** A segment has invalid percent-encoding. */
  | { readonly _tag: "Unreadable" }

interface Route {
  readonly facts: VersionFacts
  readonly row: EndpointRow
  readonly handler: Handler
  readonly segments: ReadonlyArray<string>
}

const decoded = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** The parameters of a path that matches; undefined for one that does not. Fixed segments are compared ignoring case. */
const paramsOf = ({ segments }: Route, path: ReadonlyArray<string>): Readonly<Record<string, string>> | undefined => {
  if (segments.length !== path.length) return undefined
  const params: Record<string, string> = {}
  for (const [i, segment] of segments.entries()) {
    const value = path[i] ?? ""
    if (segment.startsWith(":")) params[segment.slice(1)] = decoded(value) ?? ""
    else if (segment !== value.toLowerCase()) return undefined
  }
  return params
}

const segmentsOf = (path: string): ReadonlyArray<string> => path.split("/").filter((segment) => segment !== "")

const only = (method: string, target: Target): Target =>
  method === "GET" || method === "HEAD" ? target : { _tag: "OtherMethods", allowed: ["GET", "HEAD"] }

/** Makes the function that finds targets; `path` is below our OCPI address. */
export const matcher = (handlers: Handlers): ((method: string, path: string) => Target) => {
  const routes: ReadonlyArray<Route> = versions.flatMap((facts) =>
    rowsOf(facts.version).flatMap((row): ReadonlyArray<Route> => {
      const handler = handlers.get(nameOf(row))
      const segments = segmentsOf(`${addressOf(facts, row.module)}${row.path}`)
      return handler === undefined ? [] : [{ facts, row, handler, segments }]
    })
  )
  return (method, path) => {
    const segments = segmentsOf(path)
    if (segments.some((segment) => decoded(segment) === undefined)) return { _tag: "Unreadable" }
    const [first = "", second, ...more] = segments
    if (first.toLowerCase() === "versions" && second === undefined) return only(method, { _tag: "Versions" })
    const facts = versions.find(({ version }) => version === first)
    const isDetails = more.length === 0 && (second === undefined || second.toLowerCase() === "details")
    if (facts !== undefined && isDetails) return only(method, { _tag: "Details", facts })
    const found = routes.flatMap((route) => {
      const params = paramsOf(route, segments)
      return params === undefined ? [] : [{ route, params }]
    })
    const wanted: HttpMethod | string = method === "HEAD" ? "GET" : method
    const match = found.find(({ route }) => route.row.method === wanted)
    if (match !== undefined) {
      const { facts, handler, row } = match.route
      return { _tag: "Module", facts, row, handler, params: match.params }
    }
    if (found.length === 0) return { _tag: "Nothing" }
    return { _tag: "OtherMethods", allowed: [...new Set(found.map(({ route }) => route.row.method))].toSorted() }
  }
}
