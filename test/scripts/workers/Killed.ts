/** Is killed in the middle of its tests, as on a machine that runs out of memory. */
import { setTimeout as sleep } from "node:timers/promises"
import { expect, it } from "vitest"

it("comes before", () => {
  expect(1).toBe(1)
})

it("dies", async () => {
  // The worker reports the previous test only now and then.
  await sleep(500)
  process.kill(process.pid, "SIGKILL")
  await sleep(60_000)
  expect(1).toBe(1)
})

it("comes after", () => {
  expect(1).toBe(1)
})
