/** The routes of REST v1 over the domain's ports: everything below `/api`. It does not depend on listeners. */
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { askedMethods, knownPaths } from "../KnownPaths.ts"
import { pathOf } from "../RawUrl.ts"
import { ready, ReadyAnswers, respond } from "../Ready.ts"
import { V1Api } from "./Api.ts"
import { refusedResponse } from "./Errors.ts"
import { faced, layer as faceLayer, securedHeaders, type V1Options } from "./FaceLive.ts"
import { openApiDocument } from "./OpenApiDocument.ts"
import { chargers, groups, statistics } from "./Operations.ts"

const methodsOf = knownPaths(V1Api)

/** 405 with the methods that the path has, or 404. */
const unrouted = Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
  const methods = methodsOf(pathOf(request.url))
  const allowed = methods.join(", ")
  // The router accepts no path parameter longer than 100 characters, and no id is that long.
  return methods.length === 0 || methods.includes(request.method)
    ? refusedResponse("unknown_path", "This path does not exist. /api/swagger.json lists all paths.")
    : HttpServerResponse.setHeader(
        refusedResponse("method_not_allowed", `This path supports only ${allowed}.`),
        "allow",
        allowed
      )
})

const pages = (options: V1Options) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const offer = yield* ReadyAnswers
      const document = yield* Effect.cached(
        Effect.sync(() => {
          const answer = ready(JSON.stringify(openApiDocument(options.publicUrl)), "application/json", securedHeaders)
          offer("/api/swagger.json", answer)
          return answer
        })
      )
      // The description contains no secret and is the same for all callers, so it needs neither https nor keys.
      yield* router.add("GET", "/api/swagger.json", Effect.flatMap(document, respond))
      for (const method of askedMethods) yield* router.add(method, "/api/*", faced(options)(unrouted))
    })
  )

/** All routes of REST v1 for an `HttpRouter`. */
export const v1Routes = (options: V1Options) => {
  const operations = Layer.mergeAll(groups, chargers, statistics).pipe(Layer.provide(faceLayer(options)))
  return Layer.mergeAll(HttpApiBuilder.layer(V1Api).pipe(Layer.provide(operations)), pages(options))
}
