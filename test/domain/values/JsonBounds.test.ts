/** What a request's JSON body may be made of, found without parsing it. */
import { describe, expect, it } from "vitest"
import { isTooComplex, maxBodyDepth, maxBodyFields, maxBodyValues } from "../../../src/domain/values/JsonBounds.ts"

const fields = (n: number) =>
  `{${Array.from({ length: n }, (_, i) => `"f${i}":${i % 2 === 0 ? '"a,{[\\""' : "[1,2]"}`).join(",")}}`

describe("a JSON body", () => {
  it("nests so many levels and no more", () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels)
    expect(isTooComplex(nested(maxBodyDepth))).toBe(false)
    expect(isTooComplex(nested(maxBodyDepth + 1))).toBe(true)
    expect(isTooComplex("[".repeat(900_000))).toBe(true)
    expect(isTooComplex(`{"text":"${"[".repeat(900)}"}`)).toBe(false)
  })

  it("has so many values and no more", () => {
    const list = (n: number) => `[${Array.from({ length: n }, () => "0").join(",")}]`
    expect(isTooComplex(list(maxBodyValues))).toBe(false)
    expect(isTooComplex(list(maxBodyValues + 2))).toBe(true)
  })

  it("has so many fields in one object and no more, wherever the object is", () => {
    expect(isTooComplex(fields(maxBodyFields))).toBe(false)
    expect(isTooComplex(fields(maxBodyFields + 1))).toBe(true)
    expect(isTooComplex(`{"a":[1,2,${fields(maxBodyFields + 1)}]}`)).toBe(true)
    expect(isTooComplex(`[${fields(600)},${fields(600)}]`)).toBe(false)
  })

  it("is read to its end however it is broken", () => {
    for (const text of ["", "]]]]{", '{"a', "}".repeat(5_000), `]]],${",".repeat(5_000)}`, '"\\']) {
      expect(isTooComplex(text)).toBe(false)
    }
  })
})
