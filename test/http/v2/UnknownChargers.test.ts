/** Unknown chargers over REST: who may see them, with one organisation or several, and what is shown of them. */
import { describe, expect, it } from "vitest"
import { permissions } from "../../../src/domain/operator/Permission.ts"
import { unknownOf } from "../../support/fakeUnknownChargers.ts"
import { fakeApp } from "../../support/restApp.ts"

const path = "/cpo/v2/unknown-chargers"
const at = Date.UTC(2026, 4, 20, 12)
const operators = permissions.filter((permission) => permission !== "platform:admin")

const appWith = async (...ids: ReadonlyArray<string>) => {
  const app = await fakeApp()
  for (const chargerId of ids) {
    unknownOf(app.world).set(chargerId, {
      chargerId,
      firstSeenAt: at,
      lastSeenAt: at + 61_000,
      attempts: 3,
      remoteAddress: "192.0.2.7",
      subprotocols: ["ocpp1.6"],
      advice: null
    })
  }
  /** A key of the first organisation without the platform's permission, or with the given permissions only. */
  const narrowKey = async (only: ReadonlyArray<string> = operators): Promise<string> =>
    (await app.ask("POST", "/cpo/v2/api-keys", { key: app.key, body: { name: "narrow", permissions: only } })).json.key
  return { ...app, narrowKey }
}

describe("the list of unknown chargers", () => {
  it("shows what is known of each", async () => {
    const { ask, key } = await appWith("NEW-1")
    const { json, status } = await ask("GET", path, { key })
    expect([status, json]).toEqual([
      200,
      {
        items: [
          {
            chargerId: "NEW-1",
            firstSeenAt: "2026-05-20T12:00:00.000Z",
            lastSeenAt: "2026-05-20T12:01:01.000Z",
            attempts: 3,
            remoteAddress: "192.0.2.7",
            subprotocols: ["ocpp1.6"],
            advice: null
          }
        ],
        nextCursor: null
      }
    ])
  })

  it("comes in pages, with a Link to the next page", async () => {
    const { ask, key } = await appWith("NEW-1", "NEW-2", "NEW-3")
    const first = await ask("GET", `${path}?limit=2`, { key })
    const next = /^<https:\/\/cpo\.example([^>]+)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1] ?? ""
    const second = await ask("GET", next, { key })
    expect([first, second].map(({ json }) => json.items.map((one: { chargerId: string }) => one.chargerId))).toEqual([
      ["NEW-1", "NEW-2"],
      ["NEW-3"]
    ])
    expect(second.headers.get("link")).toBeNull()
    expect((await ask("GET", `${path}?limit=0`, { key })).status).toBe(400)
  })

  it("is visible to every operator who may read chargers while there is one organisation", async () => {
    const { ask, narrowKey } = await appWith("NEW-1")
    expect((await ask("GET", path, { key: await narrowKey() })).json.items).toHaveLength(1)
    const other = await ask("GET", path, { key: await narrowKey(["sites:read"]) })
    expect([other.status, other.json.requiredPermissions]).toEqual([403, ["chargers:read"]])
  })

  it("is visible to the platform only if there are several organisations", async () => {
    const { ask, key, narrowKey, organise, world } = await appWith("NEW-1")
    const own = await narrowKey()
    const stranger = await organise(operators)
    for (const one of [own, stranger.key]) {
      for (const method of ["GET", "DELETE"]) {
        const answer = await ask(method, method === "GET" ? path : `${path}/NEW-1`, { key: one })
        expect([answer.status, answer.json.code, answer.json.requiredPermissions]).toEqual([
          403,
          "permission_denied",
          ["platform:admin"]
        ])
        expect(answer.text).not.toContain("192.0.2.7")
      }
    }
    const { paths } = (await ask("GET", "/cpo/swagger.json")).json
    for (const operation of [paths["/v2/unknown-chargers"].get, paths["/v2/unknown-chargers/{chargerId}"].delete]) {
      expect(operation["x-required-permissions-with-several-organisations"]).toEqual(["platform:admin"])
    }
    expect(unknownOf(world).has("NEW-1")).toBe(true)
    expect((await ask("GET", path, { key })).json.items).toHaveLength(1)
  })
})

describe("forgetting an unknown charger", () => {
  it("removes it from the list, and answers 404 for one that does not exist", async () => {
    const { ask, key } = await appWith("NEW-1")
    expect((await ask("DELETE", `${path}/NEW-1`, { key })).status).toBe(204)
    expect((await ask("GET", path, { key })).json.items).toEqual([])
    const again = await ask("DELETE", `${path}/NEW-1`, { key })
    expect([again.status, again.json.code]).toEqual([404, "not_found"])
  })

  it("requires chargers:write", async () => {
    const { ask, narrowKey } = await appWith("NEW-1")
    const answer = await ask("DELETE", `${path}/NEW-1`, { key: await narrowKey(["chargers:read"]) })
    expect([answer.status, answer.json.requiredPermissions]).toEqual([403, ["chargers:write"]])
  })
})
