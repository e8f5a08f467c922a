/** Waits in a hook for ever. */
import { beforeAll, expect, it } from "vitest"

beforeAll(() => new Promise(() => undefined))

it("never runs", () => {
  expect(1).toBe(1)
})
