/** What is stored of an issued secret, and how a presented one is found and verified. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import {
  keyLookup,
  keyMaxLength,
  newChargerPassword,
  newKey,
  newKeyFrom,
  newV1Pair,
  purposes
} from "../../../src/domain/operator/Keys.ts"
import * as NodeSecrets from "../../../src/storage/operators/Secrets.ts"

const secrets = NodeSecrets.make({
  hashing: Redacted.make("a secret of the tests"),
  sealing: Redacted.make("a secret of the tests")
})

const proves = (presented: string, stored: { readonly publicId: string; readonly verifier: Uint8Array }): boolean => {
  const lookup = keyLookup(secrets, presented)
  return lookup?.publicId === stored.publicId && secrets.verify(purposes.apiKey, lookup.proof, stored.verifier)
}

describe("Keys", () => {
  it("finds and verifies a generated key", () => {
    const made = newKey(secrets)
    assert.isTrue(proves(made.text, made))
    assert.isTrue(made.text.startsWith(`${made.prefix}_`))
    assert.isFalse(proves(newKey(secrets).text, made))
  })

  it("finds and verifies a key that was given as text", () => {
    const text = "a-bootstrap-key-of-one's-own"
    const stored = newKeyFrom(secrets, text)
    assert.isDefined(stored)
    assert.isTrue(stored !== undefined && proves(text, stored))
    assert.match(stored?.publicId ?? "", /^[0-9a-f]{16}$/)
    assert.strictEqual(stored?.prefix, "a-bo")
    assert.isFalse(stored !== undefined && proves(`${text}!`, stored))
  })

  it("stores a generated key that is given as text as if it had been made here", () => {
    const made = newKey(secrets)
    const stored = newKeyFrom(secrets, made.text)
    assert.deepStrictEqual(stored, { publicId: made.publicId, prefix: made.prefix, verifier: made.verifier })
  })

  it("looks nothing up for text that is too short or too long to be a key", () => {
    assert.isUndefined(keyLookup(secrets, ""))
    assert.isDefined(keyLookup(secrets, "by-hand"))
    assert.isUndefined(keyLookup(secrets, "x".repeat(keyMaxLength + 1)))
    assert.isUndefined(newKeyFrom(secrets, ""))
  })

  it("stores no part of a secret or code", () => {
    const made = newKey(secrets)
    const pair = newV1Pair(secrets)
    const stored = JSON.stringify([
      made.publicId,
      made.prefix,
      [...made.verifier],
      pair.clientId,
      [...pair.codeVerifier]
    ])
    assert.isFalse(stored.includes(made.text.split("_")[2] ?? made.text))
    assert.isFalse(stored.includes(pair.code))
  })

  it("verifies a v1 code only for its own purpose", () => {
    const pair = newV1Pair(secrets)
    assert.isTrue(secrets.verify(purposes.v1Code, pair.code, pair.codeVerifier))
    assert.isFalse(secrets.verify(purposes.apiKey, pair.code, pair.codeVerifier))
  })

  it("generates charger passwords of 20 letters and digits, which OCPP 1.6 can carry", () => {
    const made = new Set(Array.from({ length: 200 }, () => newChargerPassword(secrets)))
    assert.strictEqual(made.size, 200)
    for (const password of made) assert.match(password, /^[0-9A-Za-z]{20}$/)
  })
})
