/** The objects that a partner sees, in REST v2. */
import { expect, it } from "vitest"
import { fakeApp } from "../../support/restApp.ts"

const app = await fakeApp()
const { ask, key } = app

let made = 0

const aPartner = async (): Promise<string> => {
  const body = { name: "Driver's friend", countryCode: "DE", partyId: `AB${made++}`, roles: ["EMSP"] }
  const answer = await ask("POST", "/cpo/v2/partners", { key, body })
  expect(answer.status).toBe(201)
  return String(answer.json.id)
}

it("is paged to its end, with each object once", async () => {
  const path = `/cpo/v2/partners/${await aPartner()}/view/locations`
  const first = await ask("GET", path, { key })
  expect(first.status).toBe(200)
  expect(first.json.items).toHaveLength(50)
  expect(first.json.items[0]).toEqual({ id: "locations 0", partner: "Driver's friend" })
  expect(first.headers.get("link")).toContain(`<https://cpo.example${path}?cursor=`)
  const second = await ask("GET", `${path}?cursor=${first.json.nextCursor}`, { key })
  expect(second.json.items.map(({ id }: { readonly id: string }) => id)).toEqual(
    Array.from({ length: 50 }, (_, n) => `locations ${n + 50}`)
  )
  expect(second.json.nextCursor).toBeNull()
  const small = await ask("GET", `${path}?limit=3`, { key })
  expect(small.json.items).toHaveLength(3)
})

it("refuses a cursor of another list, and unknown modules", async () => {
  const id = await aPartner()
  const view = (module: string, query = "") => ask("GET", `/cpo/v2/partners/${id}/view/${module}${query}`, { key })
  const { nextCursor } = (await view("locations")).json
  const wrong = await view("tariffs", `?cursor=${nextCursor}`)
  expect([wrong.status, wrong.json.errors[0].pointer]).toEqual([400, "/cursor"])
  expect((await view("tariffs", "?cursor=nonsense")).status).toBe(400)
  expect((await view("credentials")).status).toBeGreaterThanOrEqual(400)
})

it("is invisible to other organisations, and requires partners:read", async () => {
  const id = await aPartner()
  const path = `/cpo/v2/partners/${id}/view/locations`
  const stranger = await app.organise()
  expect((await ask("GET", path, { key: stranger.key })).status).toBe(404)
  const blind = await app.organise(["sites:read"])
  const refused = await ask("GET", path, { key: blind.key })
  expect([refused.status, refused.json.requiredPermissions]).toEqual([403, ["partners:read"]])
})
