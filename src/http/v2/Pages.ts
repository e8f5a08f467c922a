/**
 * What is served below `/cpo` beside the endpoints: the OpenAPI document, a page to read it by, and the answer to everything else. The
 * root leads to the page: whoever types the service's address into a browser finds out what this is.
 */
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiSwagger } from "effect/http-api"
import { knownPaths } from "../KnownPaths.ts"
import { pathOf } from "../RawUrl.ts"
import { Api } from "./Api.ts"
import { faced, patchTypes } from "./FaceLive.ts"
import { documented, openApiDocument } from "./OpenApiDocument.ts"
import { faceProblem, notFoundProblem, toResponse } from "./Problem.ts"

/** The page runs the Swagger UI that is a part of it, and may speak to this service alone. */
const docsPolicy =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; font-src data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Methods that a path may be asked with. Not HEAD: the router gives it to GET, and so to the endpoint itself. */
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const

/** Those that the router finds somebody for. */
export const routedMethods: ReadonlySet<string> = new Set([...methods, "HEAD"])

/** The page of 2 MB, loaded when somebody first asks for it and on a router of its own, since ours is built by then. */
const docsPage = (publicUrl: string) =>
  Effect.gen(function* () {
    const router = yield* HttpRouter.make
    yield* Layer.build(HttpApiSwagger.layer(documented(publicUrl), { path: "/cpo/docs" })).pipe(
      Effect.provideService(HttpRouter.HttpRouter, router)
    )
    return { page: router.asHttpEffect() }
  }).pipe(Effect.scoped, Effect.cached)

const methodsOf = knownPaths(Api)

/** What is served beside the endpoints. */
const pages: ReadonlySet<string> = new Set(["/", "/cpo/docs", "/cpo/swagger.json"])

/** 405 with the methods that the path has, or 404. */
export const unrouted = Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
  const path = pathOf(request.url)
  const allowed = methodsOf(path)
  if (request.method === "OPTIONS" && (allowed.length > 0 || pages.has(path))) {
    const told = { allow: [...(allowed.length > 0 ? allowed : ["GET", "HEAD"]), "OPTIONS"].join(", ") }
    const patches = allowed.includes("PATCH") ? { "accept-patch": patchTypes.join(", ") } : {}
    return HttpServerResponse.empty({ status: 204, headers: { ...told, ...patches } })
  }
  if (pages.has(path)) {
    const problem = faceProblem("method_not_allowed", "This path takes GET.")
    return HttpServerResponse.setHeader(toResponse(problem, path), "allow", "GET, HEAD, OPTIONS")
  }
  if (allowed.length === 0) {
    return toResponse(
      faceProblem("unknown_path", "Nothing is at this path. What is, is listed at /cpo/swagger.json."),
      path
    )
  }
  // The router takes no parameter of more than 100 characters, and nothing has an id that long.
  if (allowed.includes(request.method)) return toResponse(notFoundProblem, path)
  const problem = faceProblem("method_not_allowed", `This path takes ${allowed.join(", ")}.`)
  return HttpServerResponse.setHeader(toResponse(problem, path), "allow", [...allowed, "OPTIONS"].join(", "))
})

/** Routes of the pages and of everything below `/cpo` that nothing else takes. */
export const layer = (publicUrl: string) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const document = HttpServerResponse.jsonUnsafe(openApiDocument(publicUrl))
      const docs = yield* docsPage(publicUrl)
      yield* router.add("GET", "/", faced(Effect.succeed(HttpServerResponse.redirect("/cpo/docs", { status: 302 }))))
      yield* router.add("GET", "/cpo/swagger.json", faced(Effect.succeed(document)))
      yield* router.add(
        "GET",
        "/cpo/docs",
        faced(
          Effect.flatMap(docs, ({ page }) => page).pipe(
            Effect.map((page) => HttpServerResponse.setHeader(page, "content-security-policy", docsPolicy))
          )
        )
      )
      for (const method of methods) yield* router.add(method, "/cpo/*", faced(unrouted))
    })
  )
