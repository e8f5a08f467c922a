/** A passkey challenge is recognised by what it contains: for one person, for five minutes, and unchanged. */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { describe, expect, it } from "vitest"
import { challengeMillis, newChallenge, readChallenge } from "../../../src/domain/operator/Passkeys.ts"

const noon = Date.UTC(2026, 4, 20, 12)

const mac = (purpose: string, secret: Uint8Array | string) =>
  Uint8Array.from(createHmac("sha256", "a key").update(purpose).update("\0").update(secret).digest())
const secrets = {
  randomBytes: (length: number) => Uint8Array.from(randomBytes(length)),
  verifier: mac,
  verify: (purpose: string, secret: Uint8Array | string, expected: Uint8Array) =>
    timingSafeEqual(mac(purpose, secret), expected)
}

const person = "0197f3a0-0000-7000-8000-000000000001"

describe("a passkey challenge", () => {
  it("is valid for five minutes", () => {
    const made = newChallenge(secrets, person, noon)
    expect(readChallenge(secrets, made, person, noon)?.expiresAt).toBe(noon + challengeMillis)
    expect(readChallenge(secrets, made, person, noon + challengeMillis - 1)?.text).toBe(made)
    expect(readChallenge(secrets, made, person, noon + challengeMillis)).toBeUndefined()
  })

  it("is valid for one person, or for a sign-in", () => {
    const own = newChallenge(secrets, person, noon)
    const signIn = newChallenge(secrets, undefined, noon)
    expect(readChallenge(secrets, own, undefined, noon)).toBeUndefined()
    expect(readChallenge(secrets, own, person.replace(/1$/, "2"), noon)).toBeUndefined()
    expect(readChallenge(secrets, signIn, person, noon)).toBeUndefined()
    expect(readChallenge(secrets, signIn, undefined, noon)).toBeDefined()
  })

  it("is void when any letter of it was changed, and has a hash of its own otherwise", () => {
    const made = newChallenge(secrets, undefined, noon)
    const other = (letter: string) => (letter === "A" ? "Q" : "A")
    for (let n = 0; n < made.length; n++) {
      const changed = `${made.slice(0, n)}${other(made[n] ?? "")}${made.slice(n + 1)}`
      expect([n, readChallenge(secrets, changed, undefined, noon)]).toEqual([n, undefined])
    }
    for (const text of ["", made.slice(1), `${made}A`, "A".repeat(75), `${made.slice(1)}=`, "é".repeat(75)]) {
      expect(readChallenge(secrets, text, undefined, noon)).toBeUndefined()
    }
    const another = newChallenge(secrets, undefined, noon)
    expect(readChallenge(secrets, another, undefined, noon)?.hash).not.toBe(
      readChallenge(secrets, made, undefined, noon)?.hash
    )
  })
})
