/** The OpenAPI document that the service makes in a thread of its own. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { descriptionJson } from "../../src/http/v2/OpenApiDocument.ts"
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
