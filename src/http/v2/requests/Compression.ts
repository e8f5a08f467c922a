/**
 * Compresses answers of more than 1 KiB with Brotli or gzip, if the client accepts it. The runtime's threads do the work, for a few answers
 * at a time. While they are busy, other answers are sent uncompressed, so that none waits. Event streams are never compressed.
 */
import { Context, Effect, Option, Scope } from "effect"
import { HttpEffect, HttpMiddleware, HttpPlatform, HttpServerResponse } from "effect/http"
import { encodedTag } from "./ETags.ts"

/** The runtime has four threads, which also serve file access and name resolution. */
const bodiesAtOnce = 2

/** Each compressed stream holds a window of up to 4 MiB until it has been read. */
const streamsAtOnce = 8

const isCompressible = (contentType: string): boolean =>
  /^(?:application\/(?:[\w.-]+\+)?json|application\/jsonl|application\/x-ndjson|text\/(?!event-stream)[\w.-]+)(?:\s*;|$)/i.test(
    contentType
  )

/** Compressed bytes need another strong tag. Effect would make it weak, and `If-Match` cannot use weak tags. */
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

/** The answer uncompressed, with `Vary` so that caches distinguish it from the compressed form. */
const plain = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  const { vary } = response.headers
  return HttpServerResponse.setHeader(
    response,
    "vary",
    vary === undefined ? "Accept-Encoding" : `${vary}, Accept-Encoding`
  )
}

/** A number of places. If none is free, the answer is not compressed. */
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

/** Limits a platform to a few compressions at a time. */
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
          // A stream holds its place until it has been read, at the end of its request.
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
