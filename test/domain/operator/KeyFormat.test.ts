/** The format of keys: what every generated key looks like, and what is not accepted as one. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { crc32, formatKey, keyBytes, parseKey, toBase62, toHex } from "../../../src/domain/values/KeyFormat.ts"

const bytes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))).check(
  Schema.isMinLength(keyBytes),
  Schema.isMaxLength(keyBytes)
)

describe("KeyFormat", () => {
  it("has the check value of CRC-32", () => {
    assert.strictEqual(crc32("123456789"), "cbf43926")
    assert.strictEqual(crc32(""), "00000000")
  })

  it("writes numbers in base 62 with the width asked for", () => {
    assert.strictEqual(toBase62(Uint8Array.of(61), 3), "00z")
    assert.strictEqual(toBase62(Uint8Array.of(62), 1), "10")
    assert.strictEqual(toBase62(new Uint8Array(0), 2), "00")
    assert.strictEqual(toBase62(new Uint8Array(32).fill(255), 43).length, 43)
  })

  it.prop("makes keys that it can parse again, all of one length", [bytes], ([given]) => {
    const random = Uint8Array.from(given)
    const key = formatKey(random)
    assert.match(key, /^vl_[0-9a-f]{16}_[0-9A-Za-z]{43}_[0-9a-f]{8}$/)
    assert.strictEqual(parseKey(key)?.publicId, toHex(random.subarray(0, 8)))
  })

  it("rejects a key with any one character changed", () => {
    const key = formatKey(Uint8Array.from({ length: keyBytes }, (_, i) => i * 5))
    const changed = Array.from(key, (char, i) => `${key.slice(0, i)}${char === "0" ? "1" : "0"}${key.slice(i + 1)}`)
    assert.deepStrictEqual(
      changed.filter((text) => parseKey(text) !== undefined),
      []
    )
  })

  it("rejects text that only resembles a key", () => {
    const key = formatKey(new Uint8Array(keyBytes))
    for (const text of ["", "vl_", key.toUpperCase(), ` ${key}`, `${key}\n`, key.slice(0, -1), `${key}0`]) {
      assert.strictEqual(parseKey(text), undefined, JSON.stringify(text))
    }
  })
})
