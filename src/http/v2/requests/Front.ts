/**
 * Applied to every answer below `/cpo`, whatever its source: CORS headers, compression, and the refusal of methods that no route supports.
 */
import { Effect } from "effect"
import { HttpEffect, HttpPlatform, HttpRouter, HttpServerRequest } from "effect/http"
import { pathOf } from "../../RawUrl.ts"
import { compressing } from "./Compression.ts"
import { allowing } from "./Cors.ts"
import { faced } from "./FaceLive.ts"
import { Inside } from "./Inside.ts"
import { routedMethods, unrouted } from "../Pages.ts"

const isOurs = (path: string): boolean => path === "/" || path === "/cpo" || path.startsWith("/cpo/")

/** `origins` is the setting `CORS_ORIGINS`. */
export const layer = (origins: ReadonlyArray<string>) =>
  HttpRouter.middleware(
    Effect.gen(function* () {
      const compressed = compressing(yield* HttpPlatform.HttpPlatform)
      return (effect) =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          if ((yield* Inside) !== undefined || !isOurs(pathOf(request.url))) return yield* effect
          const answered = routedMethods.has(request.method) ? effect : faced(unrouted)
          // This runs last, so it sees the final `Vary`.
          const open = HttpEffect.appendPreResponseHandler((asked, response) =>
            Effect.succeed(allowing(origins, asked, response))
          )
          return yield* compressed(Effect.andThen(open, answered))
        })
    }),
    { global: true }
  )
