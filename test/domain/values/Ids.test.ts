import { describe, expect, it } from "vitest"
import { chargerIdMaxLength, isChargerId } from "../../../src/domain/values/ChargerId.ts"
import { isUuid, uuid7 } from "../../../src/domain/values/Uuid7.ts"
import { Random } from "../../support/random.ts"

const bytes = (random: Random): Uint8Array => Uint8Array.from({ length: 10 }, () => random.between(0, 255))

describe("a UUIDv7", () => {
  it("has version 7 and the RFC's variant, whatever the random bytes", () => {
    const random = new Random(7)
    for (const fixed of [new Uint8Array(10), new Uint8Array(10).fill(255), bytes(random), bytes(random)]) {
      const id = uuid7(1_777_636_800_123, fixed)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(isUuid(id)).toBe(true)
    }
  })

  it("contains its time and sorts by it", () => {
    const random = new Random(1)
    const times = [0, 1, 1_000_000, 1_777_636_800_123, 2 ** 48 - 1]
    const ids = times.map((time) => uuid7(time, bytes(random)))
    expect(ids.map((id) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))).toEqual(times)
    expect(ids.toSorted()).toEqual(ids)
  })

  it("differs by its random bytes within one millisecond", () => {
    const random = new Random(2)
    expect(new Set(Array.from({ length: 1000 }, () => uuid7(5, bytes(random)))).size).toBe(1000)
  })

  for (const text of [
    "",
    "0199aaaa",
    "0199aaaa-0000-7000-8000-00000000000g",
    "{0199aaaa-0000-7000-8000-000000000001}",
    "0199aaaa-0000-7000-8000-000000000001\n"
  ]) {
    it(`is not ${JSON.stringify(text)}`, () => expect(isUuid(text)).toBe(false))
  }
})

describe("a charger id", () => {
  for (const id of ["CP_1", "a", "RDAM:123", "*.~-", "...", "x".repeat(chargerIdMaxLength)]) {
    it(`may be ${id}`, () => expect(isChargerId(id)).toBe(true))
  }
  for (const id of ["", ".", "..", "a b", "a/b", "a%2Fb", "ä", "a|b", "a\n", "x".repeat(chargerIdMaxLength + 1)]) {
    it(`may not be ${JSON.stringify(id)}`, () => expect(isChargerId(id)).toBe(false))
  }
})
