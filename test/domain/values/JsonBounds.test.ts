/** The limits of a request's JSON body, checked without parsing it. */
import { describe, expect, it } from "vitest"
import { isTooComplex, maxBodyDepth, maxBodyFields, maxBodyValues } from "../../../src/domain/values/JsonBounds.ts"

const fields = (n: number) =>
  `{${Array.from({ length: n }, (_, i) => `"f${i}":${i % 2 === 0 ? '"a,{[\\""' : "[1,2]"}`).join(",")}}`

describe("a JSON body", () => {
  it("may have a limited number of nested levels", () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels)
    expect(isTooComplex(nested(maxBodyDepth))).toBe(false)
    expect(isTooComplex(nested(maxBodyDepth + 1))).toBe(true)
    expect(isTooComplex("[".repeat(900_000))).toBe(true)
    expect(isTooComplex(`{"text":"${"[".repeat(900)}"}`)).toBe(false)
  })

  it("may have a limited number of values", () => {
    const list = (n: number) => `[${Array.from({ length: n }, () => "0").join(",")}]`
    expect(isTooComplex(list(maxBodyValues))).toBe(false)
    expect(isTooComplex(list(maxBodyValues + 2))).toBe(true)
  })

  it("may have a limited number of fields in one object, wherever the object is", () => {
    expect(isTooComplex(fields(maxBodyFields))).toBe(false)
    expect(isTooComplex(fields(maxBodyFields + 1))).toBe(true)
    expect(isTooComplex(`{"a":[1,2,${fields(maxBodyFields + 1)}]}`)).toBe(true)
    expect(isTooComplex(`[${fields(600)},${fields(600)}]`)).toBe(false)
  })

  it("is scanned to its end however malformed it is", () => {
    for (const text of ["", "]]]]{", '{"a', "}".repeat(5_000), `]]],${",".repeat(5_000)}`, '"\\']) {
      expect(isTooComplex(text)).toBe(false)
    }
  })
})
