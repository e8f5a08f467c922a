/**
 * Finds the methods that a path supports, to answer requests that match no route with 404 or with 405 and `Allow` (RFC 9110 §15.5.6). It is
 * built from the API definition, so it knows every route.
 */
import { HttpApi, type HttpApiGroup } from "effect/http-api"

/** Methods for which a fallback route is added. HEAD is not among them: the router handles it by the GET route. */
export const askedMethods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const

/** The methods of a path, with HEAD if it has GET. Empty if no route has this path. */
export const knownPaths = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ((path: string) => ReadonlyArray<string>) => {
  // By their number of segments, because every request with credentials is looked up.
  const routes: Array<Array<{ readonly segments: ReadonlyArray<string>; readonly method: string }>> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const segments = endpoint.path.toLowerCase().split("/")
      const alike = (routes[segments.length] ??= [])
      alike.push({ segments, method: endpoint.method })
    }
  })
  return (path) => {
    const segments = path.toLowerCase().split("/")
    const methods = (routes[segments.length] ?? [])
      .filter((route) => route.segments.every((segment, i) => segment.startsWith(":") || segment === segments[i]))
      .map((route) => route.method)
    return [...new Set(methods.includes("GET") ? [...methods, "HEAD"] : methods)].toSorted()
  }
}
