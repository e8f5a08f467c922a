/** The Range header of RFC 9110 §14, for a single range of bytes. */
import { expect, it } from "vitest"
import { rangeOf } from "../../../src/http/files/Downloads.ts"

it.each([
  [undefined, "whole"],
  ["bytes=0-0", { from: 0, to: 0 }],
  ["bytes=0-", { from: 0, to: 9 }],
  ["bytes=4-6", { from: 4, to: 6 }],
  ["Bytes= 4-6 ", { from: 4, to: 6 }],
  ["bytes=4-600", { from: 4, to: 9 }],
  ["bytes=9-9", { from: 9, to: 9 }],
  ["bytes=-1", { from: 9, to: 9 }],
  ["bytes=-10", { from: 0, to: 9 }],
  ["bytes=-999", { from: 0, to: 9 }],
  ["bytes=-0", "unsatisfiable"],
  ["bytes=10-", "unsatisfiable"],
  ["bytes=10-20", "unsatisfiable"],
  ["bytes=6-4", "whole"],
  ["bytes=-", "whole"],
  ["bytes=0-1,4-6", "whole"],
  ["items=0-1", "whole"],
  ["bytes=a-b", "whole"],
  ["bytes=99999999999999999999-", "whole"]
] as const)("reads %s of ten bytes as %o", (header, range) => {
  expect(rangeOf(header, 10)).toEqual(range)
})

it("answers every range of an empty file as unsatisfiable", () => {
  for (const header of ["bytes=0-", "bytes=0-0", "bytes=-5"]) expect(rangeOf(header, 0)).toBe("unsatisfiable")
  expect(rangeOf(undefined, 0)).toBe("whole")
})
