import { describe, expect, it } from "vitest"
import type { ChargerCommand } from "../../../src/domain/command/ChargerCommand.ts"
import { checkRaise, maxUnsettledPasswords, type SecurityState } from "../../../src/domain/charger/SecurityRaise.ts"

const everything: SecurityState = {
  securityProfile: 0,
  hasPassword: true,
  unsettledPasswords: 0,
  tls: true,
  clientCertificates: true
}
const change = (key: string, value: string): ChargerCommand => ({ _tag: "ChangeConfiguration", key, value })
const raise = (current: Partial<SecurityState>, value: string) =>
  checkRaise({ ...everything, ...current }, change("SecurityProfile", value))

describe("raising a security profile", () => {
  it.each([
    [0, "1"],
    [0, "2"],
    [0, "3"],
    [1, "2"],
    [1, "3"],
    [2, " 3 "]
  ] as const)("from %s to %s is allowed when all requirements are met", (securityProfile, value) => {
    expect(raise({ securityProfile }, value)).toBeUndefined()
  })

  it.each([
    [0, "0"],
    [1, "1"],
    [2, "1"],
    [3, "0"],
    [3, "3"]
  ] as const)("from %s to %s is refused, since it is not a raise", (securityProfile, value) => {
    expect(raise({ securityProfile }, value)).toContain("can only raise")
  })

  it.each(["", "4", "-1", "1.5", "two", "11"])("to %j is refused, since there is no such profile", (value) => {
    expect(raise({}, value)).toContain("1, 2 or 3")
  })

  it("to 1 or 2 needs a password, and to 3 none", () => {
    expect(raise({ hasPassword: false }, "1")).toContain("AuthorizationKey")
    expect(raise({ hasPassword: false }, "2")).toContain("AuthorizationKey")
    expect(raise({ hasPassword: false }, "3")).toBeUndefined()
  })

  it("to 2 or 3 needs TLS, and to 3 also client certificates", () => {
    expect(raise({ tls: false }, "1")).toBeUndefined()
    expect(raise({ tls: false }, "2")).toContain("TLS_CERT_FILE")
    expect(raise({ tls: false }, "3")).toContain("TLS_CERT_FILE")
    expect(raise({ clientCertificates: false }, "2")).toBeUndefined()
    expect(raise({ clientCertificates: false }, "3")).toContain("TLS_CLIENT_CA_FILE")
  })

  it("is recognised however the key is spelt", () => {
    expect(checkRaise(everything, change(" securityPROFILE ", "0"))).toContain("can only raise")
  })
})

describe("a new password", () => {
  it("is refused while the maximum number of passwords is unsettled", () => {
    const withUnsettled = (unsettledPasswords: number) => ({ ...everything, unsettledPasswords })
    const command = change("authorizationKEY", "0123456789abcdef")
    expect(checkRaise(withUnsettled(maxUnsettledPasswords - 1), command)).toBeUndefined()
    expect(checkRaise(withUnsettled(maxUnsettledPasswords), command)).toContain("PATCH")
  })
})

it("does not limit any other command", () => {
  const current = { ...everything, unsettledPasswords: 9, tls: false }
  expect(checkRaise(current, change("HeartbeatInterval", "0"))).toBeUndefined()
  expect(checkRaise(current, { _tag: "Reset", kind: "Hard" })).toBeUndefined()
})
