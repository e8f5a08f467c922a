/** The limit on answers that are compressed at the same time, without waiting. */
import { Effect, Stream } from "effect"
import { HttpEffect, HttpPlatform, HttpServer, HttpServerResponse } from "effect/http"
import { expect, it } from "vitest"
import { compressing } from "../../../src/http/v2/requests/Compression.ts"

type Respond = () => HttpServerResponse.HttpServerResponse

/** Answers `respond` through a platform whose compression of whole bodies waits for `gate`. */
const served = async (respond: Respond, gate: Promise<void> = Promise.resolve()) => {
  const real = await Effect.runPromise(HttpPlatform.HttpPlatform.pipe(Effect.provide(HttpServer.layerServices)))
  const platform = {
    ...real,
    compression: {
      algorithms: new Set(["gzip"] as const),
      compressResponse: (response: HttpServerResponse.HttpServerResponse) =>
        Effect.as(
          response.body._tag === "Uint8Array" ? Effect.promise(() => gate) : Effect.void,
          HttpServerResponse.setHeader(response, "content-encoding", "gzip")
        )
    }
  }
  const handler = HttpEffect.toWebHandler(compressing(platform)(Effect.sync(respond)))
  return () => handler(new Request("http://rest.test/", { headers: { "accept-encoding": "gzip" } }))
}

const encodings = (answers: ReadonlyArray<Response>) => answers.map(({ headers }) => headers.get("content-encoding"))

it("sends an answer uncompressed at once if the limit is reached", async () => {
  let open: () => void = () => undefined
  const gate = new Promise<void>((resolve) => (open = resolve))
  const ask = await served(() => HttpServerResponse.jsonUnsafe({ text: "x".repeat(2_000) }), gate)
  const [first, second] = [ask(), ask()]
  const third = await ask()
  expect([encodings([third]), third.headers.get("vary")]).toEqual([[null], "Accept-Encoding"])
  open()
  expect(encodings([await first, await second, await ask()])).toEqual(["gzip", "gzip", "gzip"])
})

it("counts a streamed answer for as long as it is read", async () => {
  const ask = await served(() => HttpServerResponse.stream(Stream.never, { contentType: "text/csv" }))
  const answers: Array<Response> = []
  for (let n = 0; n < 9; n++) answers.push(await ask())
  expect(encodings(answers)).toEqual([...Array.from({ length: 8 }, () => "gzip"), null])
  await answers[0]?.body?.cancel()
  await expect.poll(async () => encodings([await ask()])).toEqual(["gzip"])
})
