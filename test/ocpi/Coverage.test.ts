import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { calls, coveragePage, missing, page, served } from "../../scripts/ocpi-coverage.ts"

describe("OCPI coverage", () => {
  it("has a test for every method that we serve in each version, or a reason for having none", () =>
    expect(missing(served)).toEqual([]))

  it("has a test for every call that we make in each version, or a reason for having none", () =>
    expect(missing(calls)).toEqual([]))

  it("matches the page that node scripts/ocpi-coverage.ts writes", () =>
    expect(readFileSync(page, "utf8")).toBe(coveragePage()))

  it("reports a method without a test", () =>
    expect(missing([{ name: "GET nothing/:id", version: "2.2.1" }])).toEqual(["2.2.1 GET nothing/:id"]))
})
