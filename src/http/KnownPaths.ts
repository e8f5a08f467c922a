/**
 * Which methods a path has, for the answer to a path or method that no route takes: 404 or 405 with `Allow` (RFC 9110 §15.5.6). Made from
 * the API's own definition, so that it knows every route.
 */
import { HttpApi, type HttpApiGroup } from "effect/http-api"

/** Methods that a path may be asked with. Not HEAD: the router gives it to GET, and so to the endpoint itself. */
export const askedMethods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const

/** The methods of a path that has any, HEAD beside GET; none for a path that no route has. */
export const knownPaths = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ((path: string) => ReadonlyArray<string>) => {
  const routes: Array<{ readonly segments: ReadonlyArray<string>; readonly method: string }> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      routes.push({ segments: endpoint.path.toLowerCase().split("/"), method: endpoint.method })
    }
  })
  return (path) => {
    const segments = path.toLowerCase().split("/")
    const methods = routes
      .filter(
        (route) =>
          route.segments.length === segments.length &&
          route.segments.every((segment, i) => segment.startsWith(":") || segment === segments[i])
      )
      .map((route) => route.method)
    return [...new Set(methods.includes("GET") ? [...methods, "HEAD"] : methods)].toSorted()
  }
}
