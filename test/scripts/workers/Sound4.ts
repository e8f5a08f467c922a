/** A file without faults, beside those with faults. */
import { expect, it } from "vitest"

it.each([1, 2])("passes, %s", (number) => {
  console.log("said by a test that passes")
  expect(number).toBeGreaterThan(0)
})
