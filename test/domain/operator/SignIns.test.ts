/** Sign-ins expire, repeated failures are delayed, and common passwords are refused. */
import { describe, expect, it } from "vitest"
import { passwordProblem } from "../../../src/domain/operator/Password.ts"
import { idleMillis, isOver, secretHash, signInPermissions, wholeMillis } from "../../../src/domain/operator/SignIn.ts"
import { delayAfter, SignInDelays } from "../../../src/domain/operator/SignInDelays.ts"

const noon = Date.UTC(2026, 4, 20, 12)

describe("a sign-in", () => {
  it("expires after 12 hours without use, and after 7 days in any case", () => {
    const at = (createdAt: number, seenAt: number) => isOver({ createdAt, seenAt }, noon)
    expect(at(noon - 13 * 3_600_000, noon - idleMillis + 1)).toBe(false)
    expect(at(noon - 13 * 3_600_000, noon - idleMillis)).toBe(true)
    expect(at(noon - wholeMillis + 1, noon)).toBe(false)
    expect(at(noon - wholeMillis, noon)).toBe(true)
  })

  it("has no permissions when its operator is disabled, or lacks a required second factor", () => {
    const may = (active: boolean, strength: "Password" | "SecondFactor", requiresSecondFactor: boolean) =>
      signInPermissions({
        active,
        strength,
        requiresSecondFactor,
        singleSignOn: false,
        passwordForOwnersOnly: false,
        role: "Viewer",
        permissions: ["sites:read"]
      }).length > 0
    expect([may(true, "Password", false), may(true, "SecondFactor", true), may(true, "Password", true)]).toEqual([
      true,
      true,
      false
    ])
    expect(may(false, "SecondFactor", false)).toBe(false)
  })

  it("has no permissions by password when only owners may use one, and no platform permissions by single sign-on", () => {
    const may = (singleSignOn: boolean, passwordForOwnersOnly: boolean, role: "Owner" | "Money") =>
      signInPermissions({
        active: true,
        strength: "Password",
        requiresSecondFactor: false,
        singleSignOn,
        passwordForOwnersOnly,
        role,
        permissions: ["sites:read", "platform:admin"]
      })
    expect(may(false, true, "Money")).toEqual([])
    expect(may(false, true, "Owner")).toEqual(["sites:read", "platform:admin"])
    expect(may(false, false, "Money")).toEqual(["sites:read", "platform:admin"])
    expect(may(true, true, "Money")).toEqual(["sites:read"])
    expect(may(true, false, "Owner")).toEqual(["sites:read"])
  })

  it("is not looked up for text that cannot be its secret", () => {
    const verifier = () => Uint8Array.from([1])
    expect(secretHash({ verifier }, "sign-in", "x".repeat(43))).toBe("01")
    for (const text of ["", "x", "x".repeat(42), "x".repeat(44), `${"x".repeat(42)}'`, "\0".repeat(43)]) {
      expect(secretHash({ verifier }, "sign-in", text)).toBeUndefined()
    }
  })
})

describe("delays", () => {
  it("begin with one second at the fifth failure, double, and end at 15 minutes", () => {
    expect([0, 1, 4, 5, 6, 7, 14, 15, 100, 1_000_000].map((failures) => delayAfter(failures) / 1000)).toEqual([
      0, 0, 0, 1, 2, 4, 512, 900, 900, 900
    ])
  })

  it("apply to one pair of name and network only, and end when they have passed", () => {
    const delays = new SignInDelays()
    for (let n = 0; n < 6; n++) delays.count("ada 198.51.100.0/24", noon)
    expect(delays.wait("ada 198.51.100.0/24", noon)).toBe(2000)
    expect(delays.wait("ada 198.51.100.0/24", noon + 1999)).toBe(1)
    expect(delays.wait("ada 198.51.100.0/24", noon + 2000)).toBe(0)
    expect(delays.wait("ada 203.0.113.0/24", noon)).toBe(0)
    expect(delays.wait("bo 198.51.100.0/24", noon)).toBe(0)
  })

  it("count concurrent attempts, each before its password is checked", () => {
    const delays = new SignInDelays()
    const tried = Array.from({ length: 20 }, () => (delays.wait("ada", noon) > 0 ? 0 : delays.count("ada", noon)))
    expect(tried.filter((failures) => failures > 0)).toHaveLength(5)
  })

  it("forget a pair that signed in, and take back an attempt that did not fail, with the time of the one before", () => {
    const delays = new SignInDelays()
    for (let n = 0; n < 5; n++) delays.count("ada", noon)
    delays.count("ada", noon + 60_000)
    delays.uncount("ada")
    expect(delays.wait("ada", noon + 60_000)).toBe(0)
    expect(delays.count("ada", noon + 60_000)).toBe(6)
    delays.forget("ada")
    expect(delays.count("ada", noon)).toBe(1)
  })

  it("forget the pair that has been idle longest when there are too many, and every pair after a day", () => {
    const delays = new SignInDelays()
    for (let n = 0; n < 20_100; n++) delays.count(`guess ${n}`, noon)
    expect(delays.size).toBe(20_000)
    const one = new SignInDelays()
    for (let n = 0; n < 30; n++) one.count("ada", noon)
    expect(one.count("ada", noon + 25 * 3_600_000)).toBe(1)
  })
})

describe("a password", () => {
  const about = ["lea.lindqvist@voltlane.example", "Lea Lindqvist"]

  it("needs at least 12 characters, counted as people count them", () => {
    expect(passwordProblem("grün-lämp-ü", about)).toContain("at least 12")
    expect(passwordProblem("grün-lämp-üb", about)).toBeUndefined()
    expect(passwordProblem("🚋".repeat(11), about)).toContain("at least 12")
    expect(passwordProblem("x".repeat(257), about)).toContain("at most 256")
  })

  it("is refused if it is a common one, whatever is added to it", () => {
    const common = [
      "password1234",
      "Password1234!",
      "P@ssw0rd2026!",
      "passwordpassword",
      "123456789012",
      "1234567890987654321",
      "qwertyuiop12",
      "Qwertyuiop[]",
      "1qaz2wsx3edc",
      "q1w2e3r4t5y6",
      "aaaaaaaaaaaa",
      "abcabcabcabc",
      "abcdefghijkl",
      "Welcome2026!!",
      "letmein12345",
      "iloveyou1234",
      "Summer2026!!!",
      "changeme1234",
      "adminadmin12",
      "Willkommen123",
      "lindqvist2026",
      "voltlane1234",
      "Charging2026!",
      "monkeydragon1",
      "19840312 1990"
    ]
    expect(common.filter((one) => passwordProblem(one, about) === undefined)).toEqual([])
  })

  it("is accepted otherwise, without rules about character classes", () => {
    const good = [
      "violet tram over nine hills",
      "zebra-quilt-omen",
      "kortbyxor i regn",
      "x7Kp2mQ9vRt4",
      "blåbär och ostkaka",
      "tractor lamp 77 fjord",
      "passionate gardener",
      "73914088261509347712"
    ]
    expect(good.filter((one) => passwordProblem(one, about) !== undefined)).toEqual([])
  })
})
