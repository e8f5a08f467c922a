/** A file that has nothing wrong with it, beside those that have. */
import { expect, it } from "vitest"

it.each([1, 2])("passes, %s", (number) => {
  console.log("said by a test that passes")
  expect(number).toBeGreaterThan(0)
})
