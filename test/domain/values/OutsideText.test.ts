import { describe, expect, it } from "vitest"
import { outsideText } from "../../../src/domain/values/OutsideText.ts"

describe("text from outside", () => {
  it.each([
    ["unchanged", "no such thing", "no such thing"],
    ["with U+0000 escaped", "bad\0thing", "bad\\u0000thing"],
    ["without lone surrogates", "a\ud83db\udd0bc", "a\ufffdb\ufffdc"],
    ["with whole surrogate pairs", "a\u{1f50b}", "a\u{1f50b}"]
  ])("is stored %s", (_, text, kept) => expect(outsideText(text, 20)).toBe(kept))

  it("is never longer than the limit, nor cut within a surrogate pair", () => {
    expect(outsideText("\0".repeat(100), 20)).toHaveLength(20)
    expect(outsideText(`${"x".repeat(19)}\u{1f50b}`, 20)).toBe("x".repeat(19))
    expect(outsideText(`\0${"x".repeat(13)}\u{1f50b}y`, 20)).toBe(`\\u0000${"x".repeat(13)}`)
    expect(outsideText(`${"x".repeat(18)}\u{1f50b}`, 20)).toBe(`${"x".repeat(18)}\u{1f50b}`)
  })
})
