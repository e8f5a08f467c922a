/** When a session needs a correction after its record was issued. */
import { describe, expect, it } from "vitest"
import { differsFrom, needsCorrection } from "../../../src/domain/session/ChargingSession.ts"

const price = (exclVat: number, inclVat: number) => ({ currency: "EUR", exclVat, inclVat, periods: [] })

describe("a session that was billed", () => {
  it("differs from its record if either total differs, and in no other case", () => {
    expect(differsFrom({ exclVat: 1, inclVat: 1.2 }, price(1, 1.2))).toBe(false)
    expect(differsFrom({ exclVat: 1, inclVat: 1.2 }, price(1.01, 1.2))).toBe(true)
    expect(differsFrom({ exclVat: 1, inclVat: 1.2 }, price(1, 1.21))).toBe(true)
  })

  it("needs a correction when it differs from its record, or when two stops contradict each other", () => {
    const billed = { exclVat: 1, inclVat: 1.2 }
    expect(needsCorrection({ billed, price: price(1, 1.2) })).toBe(false)
    expect(needsCorrection({ billed, price: price(2, 1.2) })).toBe(true)
    expect(needsCorrection({ billed: undefined, price: price(2, 1.2) })).toBe(false)
    expect(needsCorrection({ billed, price: undefined })).toBe(false)
    expect(needsCorrection({ billed, price: price(1, 1.2), contradicted: true })).toBe(true)
  })
})
