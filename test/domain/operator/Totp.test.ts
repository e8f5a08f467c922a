/** One-time passwords agree with the RFCs, and each works once. */
import { createHmac, randomBytes } from "node:crypto"
import { describe, expect, it } from "vitest"
import {
  fromBase32,
  hotp,
  newRecoveryCodes,
  newTotpSecret,
  recoveryHash,
  stepAt,
  stepOf,
  toBase32,
  totpUri
} from "../../../src/domain/operator/Totp.ts"

const mac = (key: Uint8Array, data: Uint8Array): Uint8Array => createHmac("sha1", key).update(data).digest()
const secret = new TextEncoder().encode("12345678901234567890")

describe("codes", () => {
  it("agree with RFC 4226, appendix D", () => {
    const wanted = "755224 287082 359152 969429 338314 254676 287922 162583 399871 520489".split(" ")
    expect(wanted.map((_, counter) => hotp(mac, secret, counter))).toEqual(wanted)
  })

  it("agree with RFC 6238, appendix B", () => {
    const wanted: ReadonlyArray<readonly [number, string]> = [
      [59, "94287082"],
      [1_111_111_109, "07081804"],
      [1_111_111_111, "14050471"],
      [1_234_567_890, "89005924"],
      [2_000_000_000, "69279037"],
      [20_000_000_000, "65353130"]
    ]
    for (const [seconds, code] of wanted) {
      expect([seconds, hotp(mac, secret, stepAt(seconds * 1000), 8)]).toEqual([seconds, code])
    }
  })

  it("are accepted from one step before to one step after, and no step twice", () => {
    const now = 1_234_567_890_000
    const text = toBase32(secret)
    const codeOf = (steps: number) => hotp(mac, secret, stepAt(now) + steps)
    const step = (code: string, used = 0) => stepOf(mac, text, code, used, now)
    expect([-2, -1, 0, 1, 2].map((steps) => step(codeOf(steps)))).toEqual([
      undefined,
      stepAt(now) - 1,
      stepAt(now),
      stepAt(now) + 1,
      undefined
    ])
    expect(step(codeOf(0), stepAt(now))).toBeUndefined()
    expect(step(codeOf(-1), stepAt(now))).toBeUndefined()
    for (const wrong of ["", "12345", "1234567", " 89005924", "abcdef"]) expect(step(wrong)).toBeUndefined()
  })
})

describe("base 32", () => {
  it("follows RFC 4648 without padding, in both directions", () => {
    const text = (bytes: string) => toBase32(new TextEncoder().encode(bytes))
    expect(["f", "fo", "foo", "foob", "fooba", "foobar"].map(text)).toEqual([
      "MY",
      "MZXQ",
      "MZXW6",
      "MZXW6YQ",
      "MZXW6YTB",
      "MZXW6YTBOI"
    ])
    for (let length = 0; length < 40; length++) {
      const bytes = Uint8Array.from(randomBytes(length))
      expect(fromBase32(toBase32(bytes))).toEqual(bytes)
    }
  })

  it("encodes 160 bits in a new secret, which apps read from its URI", () => {
    const made = newTotpSecret({ randomBytes })
    expect(fromBase32(made)).toHaveLength(20)
    const uri = new URL(totpUri(made, "lea+ops@voltlane.example"))
    expect([uri.protocol, uri.host, decodeURIComponent(uri.pathname), uri.searchParams.get("secret")]).toEqual([
      "otpauth:",
      "totp",
      "/Voltlane:lea+ops@voltlane.example",
      made
    ])
  })
})

describe("recovery codes", () => {
  const verifier = (purpose: string, text: Uint8Array | string) =>
    mac(new TextEncoder().encode(purpose), Buffer.from(text))

  it("are ten codes of 80 bits, recognised with any case and separators", () => {
    const codes = newRecoveryCodes({ randomBytes })
    expect(new Set(codes).size).toBe(10)
    for (const code of codes) {
      expect(code).toMatch(/^(?:[a-z2-7]{4}-){3}[a-z2-7]{4}$/)
      const hash = recoveryHash({ verifier }, code)
      expect(recoveryHash({ verifier }, ` ${code.toUpperCase().replaceAll("-", " ")}`)).toBe(hash)
      expect(hash).toMatch(/^[0-9a-f]+$/)
    }
    expect(recoveryHash({ verifier }, "123456")).toBeUndefined()
  })
})
