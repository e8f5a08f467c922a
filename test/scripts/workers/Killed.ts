/** Is killed in the middle of its tests, as a machine without memory does. */
import { setTimeout as sleep } from "node:timers/promises"
import { expect, it } from "vitest"

it("comes before", () => {
  expect(1).toBe(1)
})

it("dies", async () => {
  // The worker tells of the test before only now and then.
  await sleep(500)
  process.kill(process.pid, "SIGKILL")
  await sleep(60_000)
  expect(1).toBe(1)
})

it("comes after", () => {
  expect(1).toBe(1)
})
