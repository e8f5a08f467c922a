/** The state of a charger's local authorisation list over REST. */
import { afterEach, beforeEach, expect, it } from "vitest"
import { localListsOf } from "../../support/fakeLocalLists.ts"
import { fakeApp, withCharger } from "../../support/restApp.ts"

let app: Awaited<ReturnType<typeof fakeApp>>

beforeEach(async () => {
  app = await fakeApp()
  await withCharger(app.ask, app.key, "CP-1")
})
afterEach(() => app.close())

it("shows the version, whether the list is in step, and since when", async () => {
  const path = "/cpo/v2/chargers/CP-1/local-list"
  const before = await app.ask("GET", path, { key: app.key })
  expect([before.status, before.json]).toEqual([
    200,
    { version: null, inStep: false, state: "Unknown", reason: null, updatedAt: null }
  ])
  const at = Date.UTC(2026, 4, 20, 12)
  localListsOf(app.world).set("CP-1", { version: 7, state: "InStep", inStep: true, reason: undefined, updatedAt: at })
  expect((await app.ask("GET", path, { key: app.key })).json).toEqual({
    version: 7,
    inStep: true,
    state: "InStep",
    reason: null,
    updatedAt: new Date(at).toISOString()
  })
  const unsupported = { version: 0, state: "Unsupported", inStep: false, reason: "it has none", updatedAt: at } as const
  localListsOf(app.world).set("CP-1", unsupported)
  expect((await app.ask("GET", path, { key: app.key })).json).toMatchObject({
    state: "Unsupported",
    reason: "it has none"
  })
  expect((await app.ask("GET", "/cpo/v2/chargers/CP-2/local-list", { key: app.key })).status).toBe(404)
})

it("is managed manually until the organisation changes the setting", async () => {
  const path = "/cpo/v2/organisation"
  expect((await app.ask("GET", path, { key: app.key })).json.localLists).toBe("Manual")
  const changed = await app.ask("PATCH", path, { key: app.key, body: { localLists: "Managed" } })
  expect([changed.status, changed.json.localLists]).toEqual([200, "Managed"])
  const wrong = await app.ask("PATCH", path, { key: app.key, body: { localLists: "Sometimes" } })
  expect([wrong.status, wrong.json.errors[0].pointer]).toEqual([400, "/localLists"])
})
