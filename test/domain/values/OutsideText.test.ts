import { describe, expect, it } from "vitest"
import { outsideText } from "../../../src/domain/values/OutsideText.ts"

describe("words of somebody outside", () => {
  it.each([
    ["as they are", "no such thing", "no such thing"],
    ["with U+0000 spelt out", "bad\0thing", "bad\\u0000thing"],
    ["without halves of pairs", "a\ud83db\udd0bc", "a\ufffdb\ufffdc"],
    ["with whole pairs", "a\u{1f50b}", "a\u{1f50b}"]
  ])("are kept %s", (_, text, kept) => expect(outsideText(text, 20)).toBe(kept))

  it("are never longer than asked for, nor cut through a pair", () => {
    expect(outsideText("\0".repeat(100), 20)).toHaveLength(20)
    expect(outsideText(`${"x".repeat(19)}\u{1f50b}`, 20)).toBe("x".repeat(19))
    expect(outsideText(`\0${"x".repeat(13)}\u{1f50b}y`, 20)).toBe(`\\u0000${"x".repeat(13)}`)
    expect(outsideText(`${"x".repeat(18)}\u{1f50b}`, 20)).toBe(`${"x".repeat(18)}\u{1f50b}`)
  })
})
