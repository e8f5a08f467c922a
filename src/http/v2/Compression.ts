/**
 * Answers of more than 1 KiB in Brotli or gzip, where whoever asks takes them. The work is done by the runtime's own threads, a few answers at a time: what
 * finds them busy goes out as it is, so that nobody waits for it. Events are never held back by it.
 */
import { Effect } from "effect"
import { HttpEffect, HttpMiddleware, HttpPlatform, HttpServerResponse } from "effect/http"
import { encodedTag } from "./ETags.ts"

/** The runtime has four threads for this, files and names together. */
const atOnce = 2

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

/** A platform that compresses no more than a few answers at a time. */
const bounding = (platform: HttpPlatform.HttpPlatform["Service"]): HttpPlatform.HttpPlatform["Service"] => {
  const { algorithms, compressResponse } = platform.compression
  let inHand = 0
  return {
    ...platform,
    compression: {
      algorithms,
      compressResponse: (response, algorithm, options) =>
        Effect.suspend(() => {
          // A stream is compressed as it is read, piece by piece.
          if (response.body._tag !== "Uint8Array") return compressResponse(response, algorithm, options)
          if (inHand >= atOnce) return Effect.succeed(HttpServerResponse.setHeader(response, "vary", "Accept-Encoding"))
          inHand++
          return Effect.ensuring(
            compressResponse(response, algorithm, options),
            Effect.sync(() => void inHand--)
          )
        })
    }
  }
}

/** Compresses the answers of what it stands around. */
export const compressing = (platform: HttpPlatform.HttpPlatform["Service"]) => {
  const bounded = bounding(platform)
  return <E, R>(effect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.provideService(negotiated(Effect.andThen(retag, effect)), HttpPlatform.HttpPlatform, bounded)
}
