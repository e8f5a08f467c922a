/** Roles grant what their table says, plus and minus the operator's own permissions, and the last owner is protected. */
import { describe, expect, it } from "vitest"
import { permissions } from "../../../src/domain/operator/Permission.ts"
import {
  builtInRoleNames,
  builtInRoles,
  type Grant,
  grantedBy,
  losesLastOwner,
  type Member,
  ownerWith
} from "../../../src/domain/operator/Role.ts"

const grant = (rest: Partial<Grant> = {}): Grant => ({
  role: "Viewer",
  ownRole: undefined,
  additions: [],
  removals: [],
  ...rest
})
const member = (id: string, rest: Partial<Member> = {}): Member => ({
  ...grant({ role: "Owner" }),
  id,
  active: true,
  ...rest
})

describe("built-in roles", () => {
  it("give an owner everything except platform:admin, and no other role access to operators, roles or keys", () => {
    expect(builtInRoles.Owner).toEqual(permissions.filter((one) => one !== "platform:admin"))
    for (const name of builtInRoleNames.filter((one) => one !== "Owner")) {
      expect([name, builtInRoles[name].filter((one) => /^(?:operators|roles|api-keys|platform):/.test(one))]).toEqual([
        name,
        []
      ])
      expect([name, builtInRoles[name].includes("sites:read")]).toEqual([name, true])
    }
    expect(builtInRoles.Viewer.filter((one) => !one.endsWith(":read"))).toEqual([])
    expect(builtInRoles.Money.filter((one) => one.startsWith("commands:"))).toEqual(["commands:read"])
  })
})

describe("a grant", () => {
  it("is the role plus the operator's additions minus the removals", () => {
    const given = grantedBy(grant({ additions: ["sites:write"], removals: ["tokens:read", "sites:read"] }))
    const wanted = permissions.filter((one) => builtInRoles.Viewer.includes(one) || one === "sites:write")
    expect(given).toEqual(wanted.filter((one) => one !== "tokens:read" && one !== "sites:read"))
  })

  it("follows an organisation's own role, and ignores unknown permissions", () => {
    const ownRole = { id: "1", name: "Night shift", permissions: ["commands:write", "launch:missiles"] }
    expect(grantedBy(grant({ role: undefined, ownRole }))).toEqual(["commands:write"])
    expect(grantedBy(grant({ role: undefined }))).toEqual([])
  })

  it("for a first operator is exactly the permissions that were requested", () => {
    for (const wanted of [permissions, ["sites:read"], [], ["platform:admin", "sites:write"]] as const) {
      expect(grantedBy(ownerWith(wanted))).toEqual(permissions.filter((one) => wanted.some((known) => known === one)))
    }
    expect(ownerWith(permissions).removals).toEqual([])
  })
})

describe("the last owner", () => {
  it("can be neither disabled nor demoted nor restricted", () => {
    const owners = [member("a"), member("b", { active: false }), member("c", { removals: ["sites:write"] })]
    expect(losesLastOwner(owners, member("a", { active: false }))).toBe(true)
    expect(losesLastOwner(owners, member("a", { role: "Viewer" }))).toBe(true)
    expect(losesLastOwner(owners, member("a", { removals: ["api-keys:write"] }))).toBe(true)
    expect(losesLastOwner(owners, member("a", { additions: ["platform:admin"] }))).toBe(false)
  })

  it("can be disabled while another active owner has every permission", () => {
    const owners = [member("a"), member("b")]
    expect(losesLastOwner(owners, member("a", { active: false }))).toBe(false)
    expect(losesLastOwner(owners, member("c", { active: false }))).toBe(false)
  })
})
