/** What is served below `/cpo` besides the endpoints: the OpenAPI document, a page that shows it, and the answer to unknown paths. */
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { pagePolicy, readPage } from "../docs/Page.ts"
import { askedMethods, knownPaths } from "../KnownPaths.ts"
import { pathOf } from "../RawUrl.ts"
import { type Offer, type Ready, ready, ReadyAnswers, respond } from "../Ready.ts"
import { Api } from "./Api.ts"
import { faced, patchTypes, securedHeaders } from "./requests/FaceLive.ts"
import { DescriptionText } from "./OpenApiDocument.ts"
import { faceProblem, notFoundProblem, toResponse } from "./requests/Problem.ts"

/** The page's files have a version in their address, so they never change. */
const forGood = "public, max-age=31536000, immutable"

/** Methods that the router knows. */
export const routedMethods: ReadonlySet<string> = new Set([...askedMethods, "HEAD"])

const methodsOf = knownPaths(Api)

/** Paths served besides the endpoints. */
const pages: ReadonlySet<string> = new Set(["/cpo/docs", "/cpo/swagger.json"])

/** 405 with the methods that the path has, or 404. */
export const unrouted = Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
  const path = pathOf(request.url)
  const allowed = methodsOf(path)
  if (request.method === "OPTIONS" && (allowed.length > 0 || pages.has(path))) {
    const answered = { allow: [...(allowed.length > 0 ? allowed : ["GET", "HEAD"]), "OPTIONS"].join(", ") }
    const patches = allowed.includes("PATCH") ? { "accept-patch": patchTypes.join(", ") } : {}
    return HttpServerResponse.empty({ status: 204, headers: { ...answered, ...patches } })
  }
  if (pages.has(path)) {
    const problem = faceProblem("method_not_allowed", "This path supports only GET.")
    return HttpServerResponse.setHeader(toResponse(problem, path), "allow", "GET, HEAD, OPTIONS")
  }
  if (allowed.length === 0) {
    return toResponse(faceProblem("unknown_path", "This path does not exist. /cpo/swagger.json lists all paths."), path)
  }
  // The router accepts no path parameter longer than 100 characters, and no id is that long.
  if (allowed.includes(request.method)) return toResponse(notFoundProblem, path)
  const problem = faceProblem("method_not_allowed", `This path supports only ${allowed.join(", ")}.`)
  return HttpServerResponse.setHeader(toResponse(problem, path), "allow", [...allowed, "OPTIONS"].join(", "))
})

/** The documentation page and its files. */
const docs = Effect.fnUntraced(function* (router: HttpRouter.HttpRouter, offer: Offer) {
  const { assets, html } = readPage()
  const answer = ready(html, "text/html; charset=utf-8", {
    ...securedHeaders,
    "content-security-policy": pagePolicy,
    "referrer-policy": "no-referrer"
  })
  offer("/cpo/docs", answer)
  const page = respond(answer)
  // The router also accepts a trailing slash, with which the page's relative addresses would be wrong.
  const shown = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
    pathOf(request.url).endsWith("/") ? Effect.succeed(HttpServerResponse.redirect("../docs", { status: 308 })) : page
  )
  yield* router.add("GET", "/cpo/docs", faced(shown))
  for (const { contentType, path, text } of assets) {
    const file = ready(text, contentType, { ...securedHeaders, "cache-control": forGood })
    offer(`/cpo/docs/${path}`, file)
    yield* router.add(
      "GET",
      `/cpo/docs/${path}`,
      Effect.map(faced(respond(file)), HttpServerResponse.setHeader("cache-control", forGood))
    )
  }
})

/** Routes of the pages, and a fallback for everything else below `/cpo`. */
export const layer = (publicUrl: string, origins: ReadonlyArray<string>) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const offer = yield* ReadyAnswers
      const describe = yield* DescriptionText
      const described = Effect.map(describe(publicUrl), (text) => {
        const answer = ready(text, "application/json", securedHeaders)
        if (origins.length === 0) offer("/cpo/swagger.json", answer)
        return answer
      })
      let made: Promise<Ready> | undefined
      // Made once, at the first request, so that it does not delay startup. It is no part of that request, whose client may leave: otherwise each
      // client that leaves would have it made again.
      const document = Effect.promise(() => (made ??= Effect.runPromise(described)))
      yield* router.add("GET", "/cpo/swagger.json", faced(Effect.flatMap(document, respond)))
      yield* docs(router, origins.length === 0 ? offer : () => undefined)
      for (const method of askedMethods) yield* router.add(method, "/cpo/*", faced(unrouted))
    })
  )
