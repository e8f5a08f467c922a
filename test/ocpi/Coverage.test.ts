import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { calls, coveragePage, missing, page, served } from "../../scripts/ocpi-coverage.ts"

describe("every method of OCPI that we have", () => {
  it("is shown by a test in each version, or there is a reason why not", () => expect(missing(served)).toEqual([]))

  it("that we call is shown by a test in each version, or there is a reason why not", () =>
    expect(missing(calls)).toEqual([]))

  it("stands in the page as the tests say (node scripts/ocpi-coverage.ts writes it)", () =>
    expect(readFileSync(page, "utf8")).toBe(coveragePage()))

  it("would be missed", () =>
    expect(missing([{ name: "GET nothing/:id", version: "2.2.1" }])).toEqual(["2.2.1 GET nothing/:id"]))
})
