/** The OpenAPI document that the service makes in a thread of its own. */
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { expect, it } from "vitest"
import { descriptionJson, DescriptionText } from "../../src/http/v2/OpenApiDocument.ts"
import * as Pages from "../../src/http/v2/Pages.ts"
import { descriptionText } from "../../src/main/DescriptionThread.ts"

it("is made in another thread, while this one goes on", async () => {
  let ticks = 0
  const counting = setInterval(() => ticks++, 5)
  const text = await Effect.runPromise(descriptionText("https://cpo.example"))
  clearInterval(counting)
  // On this thread it would not tick before the text is there.
  expect(ticks).toBeGreaterThan(10)
  expect(text).toBe(descriptionJson("https://cpo.example"))
})

it("is made once, also if the first client that asks leaves before it is there", async () => {
  let made = 0
  const slowly = Effect.sync(() => made++).pipe(Effect.andThen(Effect.sleep(100)), Effect.as(`{"openapi":"3.1.0"}`))
  const { dispose, handler } = HttpRouter.toWebHandler(
    Pages.layer("https://cpo.example", []).pipe(
      Layer.provide(Layer.succeed(DescriptionText, () => slowly)),
      Layer.provide(HttpServer.layerServices)
    ),
    { disableLogger: true }
  )
  const asked = (signal?: AbortSignal) =>
    handler(new Request("https://cpo.example/cpo/swagger.json", { signal: signal ?? null }))
  const leaving = new AbortController()
  const first = asked(leaving.signal).then(
    ({ status }) => status,
    () => 499
  )
  await expect.poll(() => made).toBe(1)
  leaving.abort()
  expect(await first).toBe(499)
  const answers = await Promise.all([asked(), asked(), asked()])
  for (const answer of answers) expect(await answer.text()).toBe(`{"openapi":"3.1.0"}`)
  expect(made).toBe(1)
  await dispose()
})
