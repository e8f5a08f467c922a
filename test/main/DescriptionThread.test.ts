/** The OpenAPI document that the service makes in a thread of its own. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { descriptionJson } from "../../src/http/v2/OpenApiDocument.ts"
import { descriptionText } from "../../src/main/DescriptionThread.ts"

it("is made in another thread, while this one goes on", async () => {
  let turns = 0
  const counting = setInterval(() => turns++, 5)
  const text = await Effect.runPromise(descriptionText("https://cpo.example"))
  clearInterval(counting)
  // On this thread there would be no turn before the text is there.
  expect(turns).toBeGreaterThan(10)
  expect(text).toBe(descriptionJson("https://cpo.example"))
})
