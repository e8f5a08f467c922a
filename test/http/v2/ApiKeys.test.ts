/** Keys with an expiry time, keys that are limited to some networks, and the rotation of keys. */
import { beforeEach, describe, expect, it } from "vitest"
import type { FakeKey } from "../../support/fakeRecords.ts"
import { fakeApp, type Json } from "../../support/restApp.ts"

type App = Awaited<ReturnType<typeof fakeApp>>
let app: App

beforeEach(async () => {
  app = await fakeApp({ v2: { addressOf: ({ headers }) => headers["x-test-address"] ?? "" } })
})

const soon = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()

const ask = (method: string, path: string, body?: Json, key = app.key, address?: string) =>
  app.ask(method, `/cpo/v2${path}`, {
    key,
    ...(body === undefined ? {} : { body }),
    ...(address === undefined ? {} : { headers: { "x-test-address": address } })
  })

const make = async (body: Json, key = app.key, address?: string) =>
  (await ask("POST", "/api-keys", { name: "Fleet", ...body }, key, address)).json

/** Changes a stored key directly, for example to let it expire. */
const change = (id: string, more: Partial<FakeKey>): void => {
  const key = app.world.keys.get(id)
  if (key !== undefined) app.world.keys.set(id, { ...key, ...more })
}

const sites = (key: string, address?: string) => ask("GET", "/sites", undefined, key, address)

describe("a key with an expiry time", () => {
  it("works until then and is refused afterwards with the time of its expiry", async () => {
    const expiresAt = soon(3600)
    const made = await make({ expiresAt })
    expect(made).toMatchObject({ expiresAt, networks: null, lastUsedFrom: null })
    expect((await sites(made.key)).status).toBe(200)
    change(made.id, { expiresAt: Date.now() })
    const { json, status } = await sites(made.key)
    expect([status, json.code]).toEqual([401, "key_expired"])
    expect(json.detail).toMatch(/expired at 20\d\d-.*rotate/)
  })

  it("must expire in the future and cannot create a key that lives longer", async () => {
    const past = await ask("POST", "/api-keys", { name: "Late", expiresAt: soon(-1) })
    expect([past.status, past.json.errors[0].pointer]).toEqual([400, "/expiresAt"])
    const made = await make({ expiresAt: soon(3600) })
    expect((await make({}, made.key)).expiresAt).toBe(made.expiresAt)
    const longer = await ask("POST", "/api-keys", { name: "Longer", expiresAt: soon(7200) }, made.key)
    expect([longer.status, longer.json.errors[0].pointer]).toEqual([400, "/expiresAt"])
  })
})

describe("a key limited to some networks", () => {
  const networks = ["203.0.113.0/24", "2001:db8::/32"]

  it("works from these networks only", async () => {
    const made = await make({ networks })
    expect(made.networks).toEqual(networks)
    for (const address of ["203.0.113.9", "::ffff:203.0.113.9", "2001:db8:1::7"]) {
      expect([address, (await sites(made.key, address)).status]).toEqual([address, 200])
    }
    for (const address of ["198.51.100.1", "2001:db9::1", ""]) {
      const { json, status } = await sites(made.key, address)
      expect([address, status, json.code]).toEqual([address, 401, "network_refused"])
    }
  })

  it("cannot create a key that works from other networks", async () => {
    const made = await make({ networks })
    const from = "203.0.113.9"
    expect((await make({}, made.key, from)).networks).toEqual(networks)
    expect((await make({ networks: ["203.0.113.128/25"] }, made.key, from)).networks).toEqual(["203.0.113.128/25"])
    const wider = await ask("POST", "/api-keys", { name: "Wider", networks: ["203.0.0.0/16"] }, made.key, from)
    expect([wider.status, wider.json.errors[0].pointer]).toEqual([400, "/networks"])
  })

  it.each([[[]], [["203.0.113.7/24"]], [["office"]], [Array.from({ length: 51 }, (_, n) => `10.0.0.${n}`)]])(
    "cannot be limited to %j",
    async (wrong) => {
      expect((await ask("POST", "/api-keys", { name: "K", networks: wrong })).status).toBe(400)
    }
  )
})

describe("a rotation", () => {
  it("gives a new key with the same name, permissions and limits once, and the old one works during the overlap", async () => {
    const bounds = { networks: ["203.0.113.0/24"], expiresAt: soon(90 * 86_400) }
    const old = await make({ permissions: ["sites:read"], ...bounds })
    const { json, status } = await ask("POST", `/api-keys/${old.id}/rotate`, { overlapSeconds: 60 })
    expect(status).toBe(201)
    expect(json).toMatchObject({ name: "Fleet", permissions: ["sites:read"], ...bounds, revokedAt: null })
    expect(json.key).not.toBe(old.key)
    for (const key of [old.key, json.key]) expect((await sites(key, "203.0.113.9")).status).toBe(200)
    const { items } = (await ask("GET", "/api-keys")).json
    const listed = items.find((key: Json) => key.id === old.id)
    expect(Math.abs(Date.parse(listed.expiresAt) - Date.now() - 60_000)).toBeLessThan(30_000)
    expect(JSON.stringify(items)).not.toContain(json.key)
  })

  it("ends the old key at once if the overlap is 0 seconds", async () => {
    const old = await make({})
    const { json } = await ask("POST", `/api-keys/${old.id}/rotate`, { overlapSeconds: 0 })
    expect((await sites(old.key)).json.code).toBe("key_expired")
    expect((await sites(json.key)).status).toBe(200)
  })

  it("cannot give a key more than the calling key has", async () => {
    const made = await make({ expiresAt: soon(3600) })
    const forEver = await ask("POST", `/api-keys/${made.id}/rotate`, { expiresAt: null }, made.key)
    expect([forEver.status, forEver.json.errors[0].pointer]).toEqual([400, "/expiresAt"])
    expect((await ask("POST", `/api-keys/${made.id}/rotate`, {}, made.key)).json.expiresAt).toBe(made.expiresAt)
    const narrow = await make({ permissions: ["api-keys:write", "sites:read"] })
    const all = (await ask("GET", "/api-keys")).json.items.find((key: Json) => key.name === "first")
    const { json } = await ask("POST", `/api-keys/${all.id}/rotate`, {}, narrow.key)
    expect(json.permissions ?? json.requiredPermissions).toEqual(["api-keys:write", "sites:read"])
    const none = await ask("POST", "/api-keys/01900000-0000-7000-8000-00000000ffff/rotate", {})
    expect(none.status).toBe(404)
    for (const wrong of [{ overlapSeconds: -1 }, { overlapSeconds: 2_592_001 }, { overlap: 1 }]) {
      expect((await ask("POST", `/api-keys/${made.id}/rotate`, wrong)).status).toBe(400)
    }
  })
})
