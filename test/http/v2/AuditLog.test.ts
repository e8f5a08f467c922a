/** The audit log over REST. */
import { afterEach, beforeEach, expect, it } from "vitest"
import { auditOf } from "../../support/fakeAudit.ts"
import { fakeApp } from "../../support/restApp.ts"

let app: Awaited<ReturnType<typeof fakeApp>>

beforeEach(async () => {
  app = await fakeApp()
})
afterEach(() => app.close())

const at = Date.UTC(2026, 4, 20, 12)

it("lists the organisation's entries, all or those of one subject, without empty fields", async () => {
  const { organisationId } = app.own
  const base = { organisationId, at, actor: "key:1", before: undefined, after: undefined }
  auditOf(app.world).push(
    { ...base, id: "2", action: "SiteRemoved", subject: "site:1", before: { name: "Old" } },
    { ...base, id: "1", action: "TokenCreated", subject: "token:CARD", after: { uid: "CARD" } },
    { ...base, id: "0", action: "TokenCreated", subject: "token:X", organisationId: "another" }
  )
  const time = new Date(at).toISOString()
  const removed = {
    id: "2",
    at: time,
    actor: "key:1",
    action: "SiteRemoved",
    subject: "site:1",
    before: { name: "Old" }
  }
  const all = await app.ask("GET", "/cpo/v2/audit-log", { key: app.key })
  expect([all.status, all.json.items.length, all.json.items[0]]).toEqual([200, 2, removed])
  const one = await app.ask("GET", "/cpo/v2/audit-log?subject=token%3ACARD&limit=1", { key: app.key })
  expect(one.json.items).toEqual([
    { id: "1", at: time, actor: "key:1", action: "TokenCreated", subject: "token:CARD", after: { uid: "CARD" } }
  ])
})

it("writes times in entries like all other times, and leaves a command's parameters unchanged", async () => {
  const { organisationId } = app.own
  const after = {
    expiresAt: at,
    name: "At",
    grants: [{ revokedAt: null, usedAt: at }],
    parameters: { data: "x", sentAt: 1 }
  }
  const entry = { id: "1", at, organisationId, actor: "key:1", action: "CommandIssued", subject: "charger:1" }
  auditOf(app.world).push({ ...entry, before: undefined, after })
  const time = new Date(at).toISOString()
  const { json } = await app.ask("GET", "/cpo/v2/audit-log", { key: app.key })
  expect(json.items[0].after).toEqual({
    expiresAt: time,
    name: "At",
    grants: [{ revokedAt: null, usedAt: time }],
    parameters: { data: "x", sentAt: 1 }
  })
})

it("requires audit:read", async () => {
  const { key } = await app.organise(["commands:read"])
  const answer = await app.ask("GET", "/cpo/v2/audit-log", { key })
  expect([answer.status, answer.json.requiredPermissions]).toEqual([403, ["audit:read"]])
})

it("filters entries by actor, action and time", async () => {
  const { organisationId } = app.own
  const entry = (n: number, actor: string, action: string) => ({
    id: String(n),
    at: at + n * 60_000,
    organisationId,
    actor,
    action,
    subject: "site:1",
    before: undefined,
    after: undefined
  })
  auditOf(app.world).push(
    entry(3, "key:2", "SiteRemoved"),
    entry(2, "key:2", "SiteChanged"),
    entry(1, "key:1", "SiteCreated")
  )
  const found = async (query: string) => {
    const { json, status } = await app.ask("GET", `/cpo/v2/audit-log?${query}`, { key: app.key })
    return status === 200 ? json.items.map(({ id }: { readonly id: string }) => id) : [status, json.code]
  }
  const time = (n: number) => new Date(at + n * 60_000).toISOString()
  expect(await found("actor=key:2")).toEqual(["3", "2"])
  expect(await found("action=SiteCreated")).toEqual(["1"])
  expect(await found(`from=${time(2)}&to=${time(3)}`)).toEqual(["2"])
  expect(await found(`actor=key:2&from=${time(3)}`)).toEqual(["3"])
  expect(await found("by=key:2")).toEqual([400, "invalid_input"])
})
