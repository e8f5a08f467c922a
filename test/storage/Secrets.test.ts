/** The service's secrets: keyed, separated by purpose, the same in every process of the service and useless without its key. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { isUuid } from "../../src/domain/values/Uuid7.ts"
import { make } from "../../src/storage/operators/Secrets.ts"
import { nastyTexts } from "../support/nastyText.ts"

const from = (key: string) => make({ hashing: Redacted.make(key), sealing: Redacted.make(key) })

const ours = from("a secret key of the service")
const again = from("a secret key of the service")
const other = from("another secret key")

describe("verifiers", () => {
  it("prove a secret in every process that has the key", () => {
    const verifier = ours.verifier("api-key", "secret")
    expect(verifier).toHaveLength(32)
    expect(again.verify("api-key", "secret", verifier)).toBe(true)
    expect(again.verify("api-key", new TextEncoder().encode("secret"), verifier)).toBe(true)
  })

  it("prove no other secret, and none for another purpose or key", () => {
    const verifier = ours.verifier("api-key", "secret")
    expect(ours.verify("api-key", "Secret", verifier)).toBe(false)
    expect(ours.verify("api-key", "", verifier)).toBe(false)
    expect(ours.verify("charger-password", "secret", verifier)).toBe(false)
    expect(other.verify("api-key", "secret", verifier)).toBe(false)
    for (const wrong of [new Uint8Array(0), verifier.subarray(0, 31), new Uint8Array(33), new Uint8Array(32)]) {
      expect(ours.verify("api-key", "secret", wrong)).toBe(false)
    }
  })

  it("accept raw bytes that are not text, as passwords of chargers may be", () => {
    const bytes = Uint8Array.from({ length: 20 }, (_, i) => 255 - i)
    const verifier = ours.verifier("charger-password", bytes)
    expect(ours.verify("charger-password", bytes, verifier)).toBe(true)
    expect(ours.verify("charger-password", bytes.with(0, 0), verifier)).toBe(false)
  })

  it("are HMAC-SHA-256 under a key of the purpose: a change here would lock every stored key out", () => {
    expect(Buffer.from(ours.verifier("api-key", "secret")).toString("hex")).toBe(
      "e6851fd9c82e99af3516b813d3be79f3a0f564cc5d47dd2ec9665f7d999a0ece"
    )
  })
})

describe("seals", () => {
  it("return what was sealed, and are never the same", () => {
    for (const text of ["", ...nastyTexts, "x".repeat(100_000)]) {
      const sealed = ours.seal("answer", text)
      expect(sealed).toMatch(/^[\w-]+$/)
      expect(again.open("answer", sealed)).toBe(text)
      expect(ours.seal("answer", text)).not.toBe(sealed)
    }
  })

  it("do not open with another key, for another purpose, or after a change", () => {
    const sealed = ours.seal("answer", "the secret")
    expect(other.open("answer", sealed)).toBeUndefined()
    expect(ours.open("question", sealed)).toBeUndefined()
    const changed = (i: number) => sealed.slice(0, i) + (sealed[i] === "A" ? "B" : "A") + sealed.slice(i + 1)
    for (let i = 0; i < sealed.length - 1; i++) expect(ours.open("answer", changed(i))).toBeUndefined()
    for (const text of ["", "A", "no seal!", "é", "A".repeat(1000), sealed.slice(0, -4)]) {
      expect(ours.open("answer", text)).toBeUndefined()
    }
  })
})

describe("random material", () => {
  it("has the requested length and is never the same", () => {
    expect(ours.randomBytes(32)).toHaveLength(32)
    expect(ours.randomBytes(32)).not.toEqual(ours.randomBytes(32))
  })

  it("includes UUIDs that sort by their time", () => {
    const [early, late] = [ours.uuid(1_000_000), ours.uuid(1_000_001)]
    expect([isUuid(early), isUuid(late), early < late]).toEqual([true, true, true])
    expect(ours.uuid(1_000_000)).not.toBe(early)
  })

  it("includes keys for transaction ids that depend on the secret key alone", () => {
    expect(ours.transactionIdKeys).toHaveLength(4)
    expect(ours.transactionIdKeys).toEqual(again.transactionIdKeys)
    expect(ours.transactionIdKeys).not.toEqual(other.transactionIdKeys)
    for (const key of ours.transactionIdKeys) expect(key >>> 0).toBe(key)
  })
})

describe("passwords of people", () => {
  it.effect("are hashed with a salt and parameters that the hash contains", () =>
    Effect.gen(function* () {
      const address = "ada@example.com"
      const [one, two] = yield* Effect.all([
        ours.hashPassword("pässword", address),
        ours.hashPassword("pässword", "bo@example.com")
      ])
      expect(one).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[\w-]{22}\$[\w-]{43}$/)
      expect(one).not.toBe(two)
      expect(yield* ours.verifyPassword("pässword", one)).toBe(true)
      expect(yield* other.verifyPassword("pässword", one)).toBe(true)
      expect(yield* ours.verifyPassword("password", one)).toBe(false)
      // "ä" may be typed as one code point or as two.
      expect(yield* ours.verifyPassword("pa\u0308ssword", two)).toBe(true)
    })
  )

  it.effect("are compared with all accounts of an address at the cost of one", () =>
    Effect.gen(function* () {
      const hashes: Array<string> = []
      for (let n = 0; n < 8; n++)
        hashes.push(yield* ours.hashPassword(`password ${n}`, n % 2 === 0 ? "a@b.c" : "A@b.c"))
      const millis = (given: ReadonlyArray<string>, wanted: number | undefined) =>
        Effect.gen(function* () {
          const since = performance.now()
          expect(yield* ours.matchPassword(`password ${wanted ?? "unknown"}`, given)).toBe(wanted)
          return performance.now() - since
        })
      const one = Math.min(yield* millis([], undefined), yield* millis([], undefined))
      const all = Math.min(yield* millis(hashes, 6), yield* millis(hashes, undefined))
      expect(all / one).toBeLessThan(4)
      // After a change of the service's key, the salts differ, and the passwords still work.
      expect(yield* other.matchPassword("password 1", [yield* other.hashPassword("x", "a@b.c"), ...hashes])).toBe(2)
    })
  )

  it.effect("are refused for a hash that is not ours or would cost too much", () =>
    Effect.gen(function* () {
      const salt = "A".repeat(22)
      const hash = "A".repeat(43)
      const foreign = [
        "",
        "plain",
        "$2b$10$abcdefghijklmnopqrstuv",
        `$scrypt$ln=31,r=8,p=3$${salt}$${hash}`,
        `$scrypt$ln=15,r=99,p=3$${salt}$${hash}`,
        `$scrypt$ln=15,r=8,p=0$${salt}$${hash}`,
        `$scrypt$ln=15,r=8,p=3$${salt}$`
      ]
      for (const stored of foreign) expect(yield* ours.verifyPassword("x", stored)).toBe(false)
    })
  )
})

describe("slow hashes", () => {
  it.effect("take as long when there is no password to compare with", () =>
    Effect.gen(function* () {
      const hash = yield* ours.hashPassword("a password", "ada@example.com")
      const millis = (stored: string | undefined) =>
        Effect.gen(function* () {
          const times: Array<number> = []
          for (let n = 0; n < 3; n++) {
            const since = performance.now()
            expect(yield* ours.verifyPassword("another password", stored)).toBe(false)
            times.push(performance.now() - since)
          }
          return Math.min(...times)
        })
      // Without the work it takes a thousandth of the time, so that a busy machine does not matter.
      expect((yield* millis(undefined)) / (yield* millis(hash))).toBeGreaterThan(0.2)
    })
  )

  it.effect("wait in a bounded queue, two at a time, and are refused beyond it", () =>
    Effect.gen(function* () {
      const key = Redacted.make("a secret key of the service")
      // The cost makes no difference: all are asked for before the first one is computed.
      const quick = make({ hashing: key, sealing: key }, { log2N: 10, r: 8, p: 1 })
      const all = yield* Effect.all(
        Array.from({ length: 40 }, () => Effect.result(quick.verifyPassword("a password", undefined))),
        { concurrency: "unbounded" }
      )
      const refused = all.filter((one) => one._tag === "Failure")
      expect(refused.length).toBe(6)
      for (const one of refused) expect(one.failure.code).toBe("passwords_at_once")
      expect(all.filter((one) => one._tag === "Success" && one.success)).toEqual([])
      // The queue is empty again.
      expect(yield* quick.verifyPassword("a password", undefined)).toBe(false)
    })
  )
})
