/**
 * Answers of more than 1 KiB in Brotli or gzip, where the client accepts them. The work is done by the runtime's own threads, a few answers at a time: what
 * finds them busy goes out as it is, so that no answer waits for it. Events are never held back by it.
 */
import { Context, Effect, Option, Scope } from "effect"
import { HttpEffect, HttpMiddleware, HttpPlatform, HttpServerResponse } from "effect/http"
import { encodedTag } from "./ETags.ts"

/** The runtime has four threads for this, files and names together. */
const bodiesAtOnce = 2

/** Each holds a window of up to 4 MiB for as long as its reader takes. */
const streamsAtOnce = 8

const isCompressible = (contentType: string): boolean =>
  /^(?:application\/(?:[\w.-]+\+)?json|application\/jsonl|application\/x-ndjson|text\/(?!event-stream)[\w.-]+)(?:\s*;|$)/i.test(
    contentType
  )

/** Other bytes have another strong tag; Effect's would be a weak one, which `If-Match` could not name. */
const retag = HttpEffect.appendPreResponseHandler((_, response) => {
  const { "content-encoding": encoding, etag } = response.headers
  return Effect.succeed(
    encoding === undefined || etag === undefined
      ? response
      : HttpServerResponse.setHeader(response, "etag", encodedTag(etag, encoding))
  )
})

const negotiated = HttpMiddleware.compression({
  algorithms: ["br", "gzip"],
  minSize: 1024,
  compressible: isCompressible
})

/** As it is, and distinct from what it would be in another encoding. */
const plain = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  const { vary } = response.headers
  return HttpServerResponse.setHeader(
    response,
    "vary",
    vary === undefined ? "Accept-Encoding" : `${vary}, Accept-Encoding`
  )
}

/** A number of places; a compression that finds none free is left out. */
const makePlaces = (all: number) => {
  let taken = 0
  const take = (): boolean => {
    if (taken >= all) return false
    taken++
    return true
  }
  const free = Effect.sync(() => void taken--)
  return { take, free }
}

/** A platform that compresses no more than a few answers at a time. */
const bounding = (platform: HttpPlatform.HttpPlatform["Service"]): HttpPlatform.HttpPlatform["Service"] => {
  const { algorithms, compressResponse } = platform.compression
  const bodies = makePlaces(bodiesAtOnce)
  const streams = makePlaces(streamsAtOnce)
  return {
    ...platform,
    compression: {
      algorithms,
      compressResponse: (response, algorithm, options) =>
        Effect.contextWith((context: Context.Context<never>) => {
          const compressed = compressResponse(response, algorithm, options)
          if (response.body._tag === "Uint8Array")
            return bodies.take() ? Effect.ensuring(compressed, bodies.free) : Effect.succeed(plain(response))
          // A stream holds its place for as long as it is read: until its request ends.
          const request = Context.getOption(context, Scope.Scope)
          return Option.isSome(request) && streams.take()
            ? Effect.andThen(Scope.addFinalizer(request.value, streams.free), compressed)
            : Effect.succeed(plain(response))
        })
    }
  }
}

/** Compresses the answers of the routes that it wraps. */
export const compressing = (platform: HttpPlatform.HttpPlatform["Service"]) => {
  const bounded = bounding(platform)
  return <E, R>(effect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.provideService(negotiated(Effect.andThen(retag, effect)), HttpPlatform.HttpPlatform, bounded)
}
