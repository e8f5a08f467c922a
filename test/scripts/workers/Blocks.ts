/** Blocks the event loop for ever, so that no time limit of vitest's can end it. */
import { expect, it } from "vitest"

it("comes before", () => {
  expect(1).toBe(1)
})

it("blocks", () => {
  const never = process.pid < 0
  for (;;) if (never) break
  expect(never).toBe(true)
})
