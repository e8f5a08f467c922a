/** Throws where it cannot be caught, while its test passes. */
import { setTimeout as sleep } from "node:timers/promises"
import { expect, it } from "vitest"

it("throws from a timer", async () => {
  setTimeout(() => {
    throw new Error("thrown by a timer")
  }, 10)
  await sleep(200)
  expect(1).toBe(1)
})
