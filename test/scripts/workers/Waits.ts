/** Has more tests that wait for ever than the time limit of a file allows. */
import { expect, it } from "vitest"

it.each([1, 2, 3, 4, 5, 6, 7, 8, 9])("waits for ever, %s", { timeout: 2000 }, async () => {
  await new Promise(() => undefined)
  expect(1).toBe(1)
})
