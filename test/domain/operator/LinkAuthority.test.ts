/** Who may still give what a link gives. The changes of makers and persons are tried over HTTP in `LinkAuthority.integration.test.ts`. */
import { describe, expect, it } from "@effect/vitest"
import { authorOf, credentialsText, isLinkInForce, type LinkMaker } from "../../../src/domain/operator/LinkAuthority.ts"
import { builtInRoles } from "../../../src/domain/operator/Role.ts"

const caller = (permissions: ReadonlyArray<string>, bySingleSignOn = false): LinkMaker => ({
  _tag: "Caller",
  permissions,
  bySingleSignOn
})
const machine: LinkMaker = { _tag: "Machine" }
const membership = (permissions: ReadonlyArray<string>) => ({ _tag: "Membership", permissions }) as const
const account = (permissions: ReadonlyArray<string> | undefined, more: object = {}) =>
  ({ _tag: "Account", permissions, worksElsewhere: false, hasNewCredentials: false, ...more }) as const

describe("a link", () => {
  it("needs a maker who may make links and has everything that it gives", () => {
    expect(isLinkInForce(caller(["operators:write", "sites:read"]), membership(["sites:read"]))).toBe(true)
    expect(isLinkInForce(caller(["sites:read"]), membership(["sites:read"]))).toBe(false)
    expect(isLinkInForce(caller(["operators:write"]), membership(["sites:read"]))).toBe(false)
    expect(isLinkInForce(caller([]), membership([]))).toBe(false)
    expect(isLinkInForce(machine, membership(builtInRoles.Owner))).toBe(true)
  })

  it("of a sign-in by an identity provider never gives the platform's own permissions", () => {
    const all = [...builtInRoles.Owner, "platform:admin"]
    expect(isLinkInForce(caller(all), account(all))).toBe(true)
    expect(isLinkInForce(caller(all, true), account(all))).toBe(false)
    expect(isLinkInForce(caller(all, true), account(builtInRoles.Owner))).toBe(true)
  })

  it("to an account ends with its membership and its credentials, also if the machine made it", () => {
    for (const maker of [caller(builtInRoles.Owner), machine]) {
      expect(isLinkInForce(maker, account(["sites:read"]))).toBe(true)
      expect(isLinkInForce(maker, account(undefined))).toBe(false)
      expect(isLinkInForce(maker, account(["sites:read"], { hasNewCredentials: true }))).toBe(false)
    }
    const elsewhere = account(["sites:read"], { worksElsewhere: true })
    expect([isLinkInForce(machine, elsewhere), isLinkInForce(caller(builtInRoles.Owner), elsewhere)]).toEqual([
      true,
      false
    ])
  })

  it("has the machine as its author only if the machine made it", () => {
    const by = { keyId: "id", operatorId: "person" }
    const without = { ...by, operatorId: undefined }
    const own = { operatorId: undefined, keyId: undefined, bySingleSignOn: false }
    expect(authorOf({ ...without, actor: "command-line:root" })).toEqual(own)
    expect(authorOf({ ...without, actor: "platform" })).toEqual(own)
    expect(authorOf({ ...without, actor: "v1:pair" })).toBeUndefined()
    expect(authorOf({ ...by, actor: "key:id" })).toEqual({ operatorId: "person", keyId: "id", bySingleSignOn: false })
    const signIn = { ...by, actor: "operator:person", bySingleSignOn: true }
    expect(authorOf(signIn)).toEqual({ operatorId: "person", keyId: undefined, bySingleSignOn: true })
  })

  it("sees each change of the credentials, and not the order of passkeys", () => {
    const of = { passwordHash: "hash", totpSecret: undefined, passkeyIds: ["a", "b"] }
    const texts = [
      of,
      { ...of, passwordHash: "other" },
      { ...of, totpSecret: "hash" },
      { ...of, passkeyIds: ["a"] },
      { ...of, passwordHash: undefined, totpSecret: "hash" }
    ].map(credentialsText)
    expect(new Set(texts).size).toBe(texts.length)
    expect(credentialsText({ ...of, passkeyIds: ["b", "a"] })).toBe(texts[0])
  })
})
