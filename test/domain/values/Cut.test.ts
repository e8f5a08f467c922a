import { describe, expect, it } from "vitest"
import { byteLength, cutToBytes } from "../../../src/domain/values/Cut.ts"

describe("cutting a text to bytes", () => {
  it("keeps a text that fits unchanged, to the last byte", () => {
    for (const text of ["", "abc", "é", "👩", "\ufeffabc", "x".repeat(100)]) {
      expect(cutToBytes(text, byteLength(text))).toBe(text)
    }
  })

  it("never cuts within a character, and cuts as little as possible", () => {
    const text = "\ufeffaé漢👩‍👧b"
    for (let max = 0; max <= byteLength(text); max++) {
      const cut = cutToBytes(text, max)
      expect(text.startsWith(cut)).toBe(true)
      expect(cut.isWellFormed()).toBe(true)
      expect(byteLength(cut)).toBeLessThanOrEqual(max)
      expect(byteLength(cut)).toBeGreaterThan(max - 4)
    }
  })
})
