import { describe, expect, it } from "vitest"
import { distance } from "../../../src/domain/values/Distance.ts"

describe("the edit distance of two words", () => {
  it.for([
    ["", "", 0],
    ["port", "port", 0],
    ["", "port", 4],
    ["prt", "port", 1],
    ["porrt", "port", 1],
    ["pork", "port", 1],
    ["kitten", "sitting", 3]
  ] as const)("from %j to %j is %i", ([a, b, letters]) => {
    expect(distance(a, b)).toBe(letters)
    expect(distance(b, a)).toBe(letters)
  })

  it("counts two swapped letters as one edit", () => {
    expect(distance("prot", "port")).toBe(1)
    expect(distance("siteIds", "siteIsd")).toBe(1)
  })
})
