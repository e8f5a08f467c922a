import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { coveragePage, notShown, page, shownBy } from "../../scripts/ocpp-coverage.ts"
import { cases16 } from "./catalogue.ts"

describe("the certification cases of OCPP 1.6", () => {
  it("are 77 different ones", () => expect(new Set(cases16.map(({ id }) => id)).size).toBe(77))

  it("each have a test or a reason why there is none", () => {
    const found = shownBy()
    expect(cases16.map(({ id }) => id).filter((id) => !found.has(id) && !notShown.has(id))).toEqual([])
  })

  it("have only ids from the public list", () => {
    const known = new Set(cases16.map(({ id }) => id))
    expect([...shownBy().keys()].filter((id) => !known.has(id))).toEqual([])
  })

  it("are in the page as the tests name them (node scripts/ocpp-coverage.ts writes it)", () =>
    expect(readFileSync(page, "utf8")).toBe(coveragePage()))
})
