/** Ends the process that it shares with others. */
import { setTimeout as sleep } from "node:timers/promises"
import { expect, it } from "vitest"

it("exits", async () => {
  setTimeout(() => process.exit(0), 10)
  await sleep(200)
  expect(1).toBe(1)
})
