/** Sites and lists over REST v2. */
import { beforeEach, expect, it } from "vitest"
import { fakeApp, type Json } from "../../support/restApp.ts"

type App = Awaited<ReturnType<typeof fakeApp>>
let app: App

beforeEach(async () => {
  app = await fakeApp()
})

const ask = (method: string, path: string, body?: Json) => app.ask(method, `/cpo/v2${path}`, { key: app.key, body })

const openingHours = {
  twentyfourseven: false,
  regularHours: [{ weekday: 1, periodBegin: "08:00", periodEnd: "24:00" }],
  exceptionalClosings: [{ periodBegin: "2026-12-24T00:00:00+01:00", periodEnd: "2026-12-27T00:00:00+01:00" }]
}

it("makes a site of a name alone, 200 with its ids and where it is", async () => {
  const made = await ask("POST", "/sites", { name: "Harbour" })
  expect(made.status).toBe(200)
  expect(made.json).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    groupId: expect.any(Number),
    name: "Harbour",
    timeZone: "UTC",
    streetAddress: null,
    streetNumber: null,
    houseLetter: null,
    postalNumber: null,
    city: null,
    area: null,
    country: null,
    latitude: null,
    longitude: null,
    openingHours: null,
    publish: true,
    publishAllowedTo: [],
    parkingType: null,
    directions: [],
    relatedLocations: [],
    facilities: [],
    operator: null,
    suboperator: null,
    owner: null,
    chargingWhenClosed: null,
    images: [],
    energyMix: null,
    cpoPartyId: null,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    updatedAt: expect.stringMatching(/Z$/)
  })
  expect(made.headers.get("location")).toBe(`https://cpo.example/cpo/v2/sites/${made.json.id}`)
  // Partners do not see it yet.
  const missing = ["streetAddress", "city", "country", "latitude", "longitude", "chargers"]
  const read = await ask("GET", `/sites/${made.json.id}`)
  expect(read.json).toEqual({ ...made.json, ocpi: { published: false, missing } })
})

it("keeps everything a site can have, countries as alpha-3", async () => {
  const given = {
    name: "Harbour",
    timeZone: "Europe/Helsinki",
    streetAddress: "Satamakatu",
    streetNumber: "7",
    houseLetter: "B",
    postalNumber: "00160",
    city: "Helsinki",
    area: "Uusimaa",
    country: "fi",
    latitude: 60.16,
    longitude: 24.96,
    openingHours
  }
  const made = await ask("POST", "/sites", given)
  expect(made.json).toMatchObject({ ...given, country: "FIN" })
})

it("changes what a PATCH names, clears what is null, and leaves the rest", async () => {
  const { id } = (await ask("POST", "/sites", { name: "Harbour", city: "Turku", area: "West" })).json
  const changed = await ask("PATCH", `/sites/${id}`, { city: null, country: "FI" })
  expect([changed.status, changed.json.name, changed.json.city, changed.json.area, changed.json.country]).toEqual([
    200,
    "Harbour",
    null,
    "West",
    "FIN"
  ])
})

it("deletes an empty site with 204 and no body, and no other", async () => {
  const { id } = (await ask("POST", "/sites", { name: "Harbour" })).json
  await ask("POST", "/chargers", { name: "C", chargerId: "CP-1" })
  const refused = await ask("DELETE", `/sites/${id}`)
  expect([refused.status, refused.json.code]).toEqual([409, "site_not_empty"])
  await ask("DELETE", "/chargers/CP-1")
  const deleted = await ask("DELETE", `/sites/${id}`)
  expect([deleted.status, deleted.text]).toEqual([204, ""])
  expect((await ask("GET", `/sites/${id}`)).status).toBe(404)
})

it("lists 50 without a limit, and links to the next page by an absolute URL", async () => {
  for (let n = 0; n < 60; n++) await ask("POST", "/sites", { name: `Site ${n}` })
  const first = await ask("GET", "/sites")
  expect([first.status, first.json.items.length]).toEqual([200, 50])
  const link = `<https://cpo.example/cpo/v2/sites?cursor=${encodeURIComponent(first.json.nextCursor)}>; rel="next"`
  expect(first.headers.get("link")).toBe(link)

  const second = await ask("GET", `/sites?cursor=${encodeURIComponent(first.json.nextCursor)}&limit=500`)
  expect([second.json.items.length, second.json.nextCursor, second.headers.get("link")]).toEqual([10, null, null])
  const names = [...first.json.items, ...second.json.items].map((site: Json) => site.name)
  expect(new Set(names).size).toBe(60)
})

it("keeps filters and limit in the link to the next page", async () => {
  const { id } = (await ask("POST", "/sites", { name: "Harbour" })).json
  for (const chargerId of ["A", "B", "C"]) await ask("POST", "/chargers", { name: chargerId, chargerId, siteId: id })
  const page = await ask("GET", `/chargers?siteId=${id}&limit=2`)
  const next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1] ?? ""
  expect(new URL(next).searchParams.get("siteId")).toBe(id)
  expect(new URL(next).searchParams.get("limit")).toBe("2")
  const { pathname, search } = new URL(next)
  expect((await app.ask("GET", `${pathname}${search}`, { key: app.key })).json.items).toHaveLength(1)
})

it("answers an empty list as an empty list", async () => {
  const list = await ask("GET", "/sites")
  expect(list.json).toEqual({ items: [], nextCursor: null })
})
