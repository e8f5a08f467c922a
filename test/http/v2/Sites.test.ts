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

it("creates a site from just a name, and answers 200 with its ids and location", async () => {
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
  // Partners cannot see it yet.
  const missing = ["streetAddress", "city", "country", "latitude", "longitude", "chargers"]
  const read = await ask("GET", `/sites/${made.json.id}`)
  const chargers = { total: 0, byState: expect.anything() }
  expect(read.json).toEqual({ ...made.json, chargers, powerW: 0, ocpi: { published: false, missing } })
})

it("stores all fields of a site, with countries as alpha-3", async () => {
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

it("stores a time zone as the IANA database spells it, in any case of letters", async () => {
  const made = await ask("POST", "/sites", { name: "Zoned", timeZone: "europe/berlin" })
  expect([made.status, made.json.timeZone]).toEqual([200, "Europe/Berlin"])
  const changed = await ask("PATCH", `/sites/${made.json.id}`, { timeZone: "AMERICA/PORT_OF_SPAIN" })
  expect(changed.json.timeZone).toBe("America/Port_of_Spain")
})

it("refuses exceptional hours without regular ones, which no partner could be sent", async () => {
  const { regularHours: _, ...exceptions } = openingHours
  for (const hours of [exceptions, { ...exceptions, regularHours: [] }]) {
    const refused = await ask("POST", "/sites", { name: "Harbour", openingHours: hours })
    expect([refused.status, JSON.stringify(refused.json)]).toEqual([400, expect.stringContaining("usual hours")])
  }
  const always = await ask("POST", "/sites", { name: "Always", openingHours: { ...exceptions, twentyfourseven: true } })
  expect(always.status).toBe(200)
  expect((await ask("POST", "/sites", { name: "Never", openingHours: { twentyfourseven: false } })).status).toBe(200)
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

it("deletes an empty site with 204 and no body, and refuses one with chargers", async () => {
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

it("shows the chargers of each site by state, and whether partners can see it", async () => {
  const address = { streetAddress: "Quay", city: "Turku", country: "FIN", latitude: 60.4, longitude: 22.2 }
  const { id } = (await ask("POST", "/sites", { name: "Harbour", ...address })).json
  const other = (await ask("POST", "/sites", { name: "Depot" })).json
  for (const chargerId of ["A", "B", "C"]) await ask("POST", "/chargers", { name: chargerId, chargerId, siteId: id })
  const reported = { evseId: 1, connectorId: 1, status: "Charging", statusAt: 0 } as Json
  const charger = app.world.chargers.get("A")
  if (charger !== undefined) {
    app.world.chargers.set("A", { ...charger, connected: true, epoch: 1, connectors: [reported] } as typeof charger)
  }
  const { items } = (await ask("GET", "/sites")).json
  expect(items.map(({ chargers, id, ocpi, powerW }: Json) => ({ chargers, id, ocpi, powerW }))).toMatchObject([
    { id, chargers: { total: 3, byState: { Charging: 1, NeverConnected: 2, Faulted: 0 } }, powerW: 0 },
    { id: other.id, chargers: { total: 0, byState: { Charging: 0 } }, powerW: 0 }
  ])
  expect(items.map((site: Json) => site.ocpi)).toEqual([{ published: true }, { published: false }])
  const one = await ask("GET", `/sites/${id}`)
  expect([one.json.chargers, one.json.ocpi]).toEqual([items[0].chargers, { published: true, missing: [] }])
  // A site can be sent back as it was read.
  const again = await ask("PATCH", `/sites/${id}`, one.json)
  expect([again.status, again.json.name]).toEqual([200, "Harbour"])
  expect((await ask("PATCH", `/sites/${id}`, items[0])).status).toBe(200)
})

it("answers an empty list as an empty list", async () => {
  const list = await ask("GET", "/sites")
  expect(list.json).toEqual({ items: [], nextCursor: null })
})
