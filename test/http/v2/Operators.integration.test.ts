/** Who may join an organisation, and what its operators may grant each other. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { builtInRoles } from "../../../src/domain/operator/Role.ts"
import { Browser } from "../../support/browser.ts"
import { email, founded, joined, password, ports, tokenOf, said } from "../../support/people.ts"
import { forEachDriver } from "../../support/databases.ts"
import { type Answer, type Json } from "../../support/restApp.ts"

const actions = async (browser: Browser): Promise<ReadonlyArray<string>> =>
  (await browser.ask("GET", "/audit-log?limit=100")).json.items.map((one: Json) => one.action)

forEachDriver("Operators", ports, (it) => {
  it.effect("join by an invitation that works once, with the invitation's role", () =>
    Effect.gen(function* () {
      const own = yield* founded
      yield* Effect.promise(async () => {
        const { browser, id, me, token } = await joined(own, "Viewer")
        assert.deepStrictEqual([me.role, me.permissions], ["Viewer", builtInRoles.Viewer])
        const again = { token, name: "Eve", password }
        assert.deepStrictEqual(said(await new Browser(own.ask).post("/invitations/accept", again)), [409, "link_void"])
        const refused = await browser.post("/sites", { name: "Site" })
        assert.deepStrictEqual([refused.status, refused.json.requiredPermissions], [403, ["sites:write"]])
        const raised = await own.owner.ask("PATCH", `/operators/${id}`, {
          body: { roleId: "Operations", additions: ["tariffs:write"], removals: ["commands:write"] }
        })
        assert.strictEqual(raised.status, 200, raised.text)
        assert.strictEqual((await browser.post("/sites", { name: "Site" })).status, 200)
        const { permissions } = (await browser.ask("GET", "/me")).json
        assert.deepStrictEqual(
          [permissions.includes("tariffs:write"), permissions.includes("commands:write")],
          [true, false]
        )
        const taken = await own.owner.post("/invitations", { email: email("cy"), roleId: "Money" })
        assert.strictEqual((await own.owner.ask("DELETE", `/invitations/${taken.json.id}`)).status, 204)
        const late = { token: tokenOf(taken.json.link), name: "Cy", password }
        assert.deepStrictEqual(said(await new Browser(own.ask).post("/invitations/accept", late)), [409, "link_void"])
        const log = await actions(own.owner)
        for (const wanted of ["LinkCreated", "LinkUsed", "LinkRevoked", "OperatorAdded", "OperatorChanged"])
          assert.include(log, wanted)
      })
    })
  )

  it.effect("cannot be taken over: an invitation adds an account only to those who know its password", () =>
    Effect.gen(function* () {
      const own = yield* founded
      const other = yield* founded
      const third = yield* founded
      const thief = yield* founded
      yield* Effect.promise(async () => {
        const victim = await joined(own, "Operations")
        const taken = await thief.owner.post("/invitations", { email: victim.address, roleId: "Owner" })
        const eve = { name: "Eve", password: "a new one of the inviter" }
        const stolen = await new Browser(thief.ask).post("/invitations/accept", {
          token: tokenOf(taken.json.link),
          ...eve
        })
        // Eve has an account of her own with that address, which opens nothing of the victim's.
        assert.deepStrictEqual([stolen.status, stolen.json.operator.name], [201, "Eve"])
        assert.deepStrictEqual(
          stolen.json.organisations.map((one: Json) => one.id),
          [thief.organisationId]
        )
        const invited = await other.owner.post("/invitations", { email: victim.address, roleId: "Viewer" })
        const token = tokenOf(invited.json.link)
        const browser = new Browser(other.ask)
        const wrong = await browser.post("/invitations/accept", { token, password: "not the password" })
        assert.deepStrictEqual(said(wrong), [401, "sign_in_refused"])
        const right = await browser.post("/invitations/accept", { token, name: "Eve", password })
        assert.deepStrictEqual([right.status, right.json.operator.name, right.json.role], [201, "Bo", "Viewer"])
        assert.deepStrictEqual(
          right.json.organisations.map((one: Json) => one.id).toSorted(),
          [own.organisationId, other.organisationId].toSorted()
        )
        // Neither organisation's owner can change the person's account.
        for (const { owner } of [own, other]) {
          const reset = await owner.post(`/operators/${victim.id}/reset`, {})
          assert.deepStrictEqual(said(reset), [409, "other_organisations"])
          const renamed = await owner.ask("PATCH", `/operators/${victim.id}`, { body: { name: "Eve" } })
          assert.deepStrictEqual(said(renamed), [409, "other_organisations"])
        }
        const before = browser.cookies.get("__Host-voltlane")
        const there = await browser.ask("PUT", "/me/organisation", { body: { organisationId: own.organisationId } })
        assert.deepStrictEqual([there.status, there.json.role], [200, "Operations"])
        assert.notStrictEqual(browser.cookies.get("__Host-voltlane"), before)
        const old = { cookie: `__Host-voltlane=${before}` }
        assert.strictEqual((await own.ask("GET", "/cpo/v2/me", { headers: old })).status, 401)
        const foreign = third.organisationId
        const nowhere = await browser.ask("PUT", "/me/organisation", { body: { organisationId: foreign } })
        assert.strictEqual(nowhere.status, 404)
        // A person who is disabled in one organisation can still use the other.
        await own.owner.ask("PATCH", `/operators/${victim.id}`, { body: { state: "Disabled" } })
        assert.strictEqual((await browser.ask("GET", "/me")).status, 401)
        const back = await new Browser(own.ask).post("/sign-ins", { email: victim.address, password })
        assert.deepStrictEqual([back.status, back.json.organisation.id], [201, other.organisationId])
      })
    })
  )

  it.effect("cannot be taken over by a reset link from before they joined another organisation", () =>
    Effect.gen(function* () {
      const own = yield* founded
      const other = yield* founded
      yield* Effect.promise(async () => {
        const victim = await joined(own, "Operations")
        const reset = await own.owner.post(`/operators/${victim.id}/reset`, {})
        assert.strictEqual(reset.status, 201, reset.text)
        const invited = await other.owner.post("/invitations", { email: victim.address, roleId: "Viewer" })
        const accepted = { token: tokenOf(invited.json.link), name: "Bo", password }
        assert.strictEqual((await new Browser(other.ask).post("/invitations/accept", accepted)).status, 201)
        const stolen = { token: tokenOf(reset.json.link), password: "a new one of the first owner" }
        assert.deepStrictEqual(said(await new Browser(own.ask).post("/invitations/accept", stolen)), [409, "link_void"])
        const back = await new Browser(own.ask).post("/sign-ins", { email: victim.address, password })
        assert.strictEqual(back.status, 201, back.text)
      })
    })
  )

  it.effect("cannot grant more than they have", () =>
    Effect.gen(function* () {
      const own = yield* founded
      yield* Effect.promise(async () => {
        const clerk = await joined(own, "Viewer")
        await own.owner.ask("PATCH", `/operators/${clerk.id}`, {
          body: { additions: ["operators:read", "operators:write", "roles:write"] }
        })
        const lacks = async (asked: Promise<Answer>) => {
          const { json, status } = await asked
          assert.strictEqual(status, 403, JSON.stringify(json))
          return json.requiredPermissions
        }
        const { browser } = clerk
        assert.include(await lacks(browser.post("/invitations", { email: email("x"), roleId: "Owner" })), "sites:write")
        assert.deepStrictEqual(await lacks(browser.post("/roles", { name: "Mine", permissions: ["sites:write"] })), [
          "sites:write"
        ])
        const self = `/operators/${clerk.id}`
        assert.deepStrictEqual(await lacks(browser.ask("PATCH", self, { body: { additions: ["sites:write"] } })), [
          "sites:write"
        ])
        assert.include(await lacks(browser.ask("PATCH", self, { body: { roleId: "Owner" } })), "sites:write")
        const owner = `/operators/${own.operatorId}`
        assert.include(await lacks(browser.ask("PATCH", owner, { body: { state: "Disabled" } })), "sites:write")
        assert.include(await lacks(browser.post(`${owner}/reset`, {})), "sites:write")
        assert.strictEqual((await browser.post("/invitations", { email: email("x"), roleId: "Viewer" })).status, 201)
        // The operator's own role cannot be raised either.
        const role = (await browser.post("/roles", { name: "Lookers", permissions: ["sites:read"] })).json
        assert.deepStrictEqual(
          await lacks(browser.ask("PATCH", `/roles/${role.id}`, { body: { permissions: ["sites:write"] } })),
          ["sites:write"]
        )
      })
    })
  )

  it.effect("cannot remove the last owner or a role that an operator has", () =>
    Effect.gen(function* () {
      const own = yield* founded
      yield* Effect.promise(async () => {
        const self = `/operators/${own.operatorId}`
        for (const body of [{ state: "Disabled" }, { roleId: "Viewer" }, { removals: ["operators:write"] }]) {
          assert.deepStrictEqual(said(await own.owner.ask("PATCH", self, { body })), [409, "last_owner"])
        }
        const second = await joined(own, "Owner")
        assert.strictEqual((await second.browser.ask("PATCH", self, { body: { roleId: "Viewer" } })).status, 200)
        assert.deepStrictEqual(
          said(await second.browser.ask("PATCH", `/operators/${second.id}`, { body: { roleId: "Viewer" } })),
          [409, "last_owner"]
        )
        const role = (await second.browser.post("/roles", { name: "Night shift", permissions: ["sites:read"] })).json
        assert.deepStrictEqual(said(await second.browser.post("/roles", { name: "night SHIFT", permissions: [] })), [
          409,
          "role_exists"
        ])
        await second.browser.ask("PATCH", self, { body: { roleId: role.id } })
        const me = (await own.owner.ask("GET", "/me")).json
        assert.deepStrictEqual([me.role, me.permissions], ["Night shift", ["sites:read"]])
        const path = `/roles/${role.id}`
        assert.deepStrictEqual(said(await second.browser.ask("DELETE", path)), [409, "role_in_use"])
        assert.deepStrictEqual(said(await second.browser.ask("PATCH", "/roles/Owner", { body: { name: "Boss" } })), [
          409,
          "built_in_role"
        ])
        await second.browser.ask("PATCH", path, { body: { permissions: ["sites:read", "cdrs:read"] } })
        assert.deepStrictEqual((await own.owner.ask("GET", "/me")).json.permissions, ["sites:read", "cdrs:read"])
        await second.browser.ask("PATCH", self, { body: { roleId: "Viewer" } })
        assert.strictEqual((await second.browser.ask("DELETE", path)).status, 204)
      })
    })
  )

  it.effect("leave behind what an owner can see and close: keys, webhooks, links and partners' invitations", () =>
    Effect.gen(function* () {
      const own = yield* founded
      yield* Effect.promise(async () => {
        const { browser, id } = await joined(own, "Owner")
        const made = async (path: string, body: object, by = browser) => {
          const answer = await by.post(path, body)
          assert.isBelow(answer.status, 300, answer.text)
          return answer.json
        }
        const key = await made("/api-keys", { name: "script" })
        const hook = await made("/webhooks", { url: "https://hooks.example/a" })
        // The person replaced the secret of another one's webhook, and so knows it.
        const shared = await made("/webhooks", { url: "https://hooks.example/b" }, own.owner)
        await made(`/webhooks/${shared.id}/rotate-secret`, {})
        const foreign = await made("/webhooks", { url: "https://hooks.example/c" }, own.owner)
        const party = { countryCode: "SE", partyId: "EVR", roles: ["EMSP"] }
        const partner = await made("/partners", { name: "Roamer", ...party })
        const invitation = await made("/invitations", { email: email("x"), roleId: "Viewer" })
        const byKey = await own.ask("POST", `/cpo/v2/operators/${own.operatorId}/reset`, { key: key.key })
        assert.strictEqual(byKey.status, 201, byKey.text)
        const left = async (viewer = own.owner) => {
          const { items } = (await viewer.ask("GET", `/operators/${id}/access`)).json
          return items.map((one: Json) => [one.kind, one.name, one.works])
        }
        const keyRow = ["ApiKey", "script"]
        const hooks = [
          ["Webhook", shared.url, true],
          ["Webhook", hook.url, true]
        ]
        const roamer = ["PartnerInvitation", "Roamer", true]
        const links = [
          ["Invitation", invitation.email, true],
          ["Reset", own.address, true]
        ]
        assert.deepStrictEqual(await left(), [[...keyRow, true], ...hooks, roamer, ...links])
        // Those who may not see a kind do not see it here.
        const desk = await joined(own, "Viewer")
        await own.owner.ask("PATCH", `/operators/${desk.id}`, { body: { additions: ["operators:read"] } })
        assert.deepStrictEqual(await left(desk.browser), [roamer, ...links])

        await own.owner.ask("PATCH", `/operators/${id}`, { body: { state: "Disabled" } })
        assert.deepStrictEqual(await left(), [[...keyRow, false], ...hooks, roamer])
        const items = [
          { kind: "ApiKey", id: key.id },
          { kind: "Webhook", id: hook.id },
          { kind: "Webhook", id: foreign.id },
          { kind: "PartnerInvitation", id: partner.id }
        ]
        const close = (by: Browser) => by.post(`/operators/${id}/access/close`, { items })
        await own.owner.ask("PATCH", `/operators/${desk.id}`, { body: { additions: ["operators:write"] } })
        const refused = await close(desk.browser)
        assert.deepStrictEqual(
          [refused.status, refused.json.requiredPermissions],
          [403, ["api-keys:write", "webhooks:write", "partners:write"]]
        )
        const { closed } = (await close(own.owner)).json
        // What another operator made is left as it is.
        assert.deepStrictEqual(
          closed.map((one: Json) => one.id),
          [key.id, hook.id, partner.id]
        )
        assert.deepStrictEqual(await left(), [["Webhook", shared.url, true]])
        assert.deepStrictEqual((await close(own.owner)).json.closed, [])
        const activeOf = async (webhook: Json) => (await own.owner.ask("GET", `/webhooks/${webhook.id}`)).json.active
        assert.deepStrictEqual([await activeOf(hook), await activeOf(foreign)], [false, true])
        assert.strictEqual((await own.owner.ask("GET", `/partners/${partner.id}`)).json.status, "Unregistered")
        await own.owner.ask("PATCH", `/operators/${id}`, { body: { state: "Active" } })
        assert.strictEqual((await own.ask("GET", "/cpo/v2/me", { key: key.key })).status, 401)
        const log = await actions(own.owner)
        for (const wanted of ["ApiKeyRevoked", "WebhookChanged", "PartnerUnregistered"]) assert.include(log, wanted)
      })
    })
  )
})
