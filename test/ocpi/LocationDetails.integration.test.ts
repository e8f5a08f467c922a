/** The details of locations from REST v2, as partners of each version pull and receive them, and locations with restricted visibility. */
import { describe, expect, it } from "vitest"
import { evseDetails, publishAllowedTo, siteDetails, terms } from "../support/details.ts"
import type { Partner } from "./partner/Partner.ts"
import { Driver, makePlace, type Place } from "./partner/Place.ts"
import { Roaming } from "./partner/Roaming.ts"
import { usualVersions } from "./partner/Usual.ts"
import type { Json } from "./partner/Wire.ts"

const roaming = new Roaming()

const list = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? (value as ReadonlyArray<Json>) : [])

const pushedTo = (partner: Partner, { siteId }: Place): Json | undefined =>
  [...partner.stores.locations.values()].find(({ id }) => id === siteId)

const evsesOf = (location: Json | undefined): ReadonlyArray<Json> => list(location?.["evses"])

const statusesOf = (location: Json | undefined) => evsesOf(location).map(({ status }) => status)

const listedTo = async (partner: Partner, { siteId }: Place): Promise<Json | undefined> =>
  list((await partner.ask("GET", "locations", "?limit=100")).data).find(({ id }) => id === siteId)

const equipment = {
  connectorId: 1,
  standard: "IEC_62196_T2",
  format: "SOCKET",
  powerType: "AC_3_PHASE",
  maxVoltage: 230,
  maxAmperage: 32
}

const change = (path: string, body: Json) => roaming.world.ask("PATCH", path, body)

describe.each(usualVersions)("a partner on %s", (version) => {
  it("gets all details of a location, and their changes", async () => {
    const place = await makePlace(roaming.world, siteDetails)
    await change(`chargers/${place.chargerId}`, {
      evses: [{ evseId: 1, ...evseDetails }],
      connectors: [{ ...equipment, termsAndConditions: terms }]
    })
    const { partner } = await roaming.registered(version)
    await partner.eventually("the location is pushed", () => pushedTo(partner, place) !== undefined)
    const location = pushedTo(partner, place)
    expect(location).toEqual(await listedTo(partner, place))
    expect(location).toMatchObject({
      facilities: version === "2.1.1" ? ["HOTEL", "WIFI"] : ["HOTEL", "BIKE_SHARING", "WIFI"],
      [version === "2.1.1" ? "type" : "parking_type"]: version === "2.1.1" ? "OTHER" : "ALONG_MOTORWAY",
      operator: { name: "Quay Charging", logo: { category: "OPERATOR" } },
      owner: { name: "City of Lelystad" },
      directions: siteDetails.directions,
      images: siteDetails.images,
      charging_when_closed: false,
      energy_mix: { supplier_name: "Polder Power" }
    })
    const [first, second] = evsesOf(location)
    expect(first).toMatchObject({
      physical_reference: "Bay 12",
      floor_level: "-2",
      parking_restrictions: ["EV_ONLY", "CUSTOMERS"]
    })
    expect(list(first?.["connectors"])[0]?.["terms_and_conditions"]).toBe(terms)
    expect(second).not.toHaveProperty("physical_reference")

    await change(`sites/${place.siteId}`, { images: null, facilities: ["MUSEUM"] })
    await partner.eventually(
      "the site's change is pushed",
      () => JSON.stringify(pushedTo(partner, place)?.["facilities"]) === '["MUSEUM"]'
    )
    expect(pushedTo(partner, place)).not.toHaveProperty("images")
    await change(`chargers/${place.chargerId}`, { evses: [{ evseId: 2, floorLevel: "3" }] })
    await partner.eventually(
      "the evse's change is pushed",
      () => evsesOf(pushedTo(partner, place))[1]?.["floor_level"] === "3"
    )
    expect(await listedTo(partner, place)).toEqual(pushedTo(partner, place))
    expect(partner.problems).toEqual([])
  })
})

describe("a location that is not public", () => {
  it("is pushed to and listed for partners from 2.2 on, with those it is for, and does not exist in 2.1.1", async () => {
    const place = await makePlace(roaming.world, { publish: false, publishAllowedTo })
    const partner221 = (await roaming.registered("2.2.1")).partner
    const { id, partner: partner211 } = await roaming.registered("2.1.1")
    const open = await makePlace(roaming.world)
    for (const partner of [partner221, partner211]) {
      await partner.eventually("the open place is pushed", () => pushedTo(partner, open) !== undefined)
    }
    await partner221.eventually("it is pushed", () => pushedTo(partner221, place) !== undefined)
    expect(pushedTo(partner221, place)).toMatchObject({
      publish: false,
      publish_allowed_to: [
        { visual_number: "12345-67", issuer: "NewMotion" },
        { uid: "12345678905880", type: "RFID" },
        { group_id: "EMPLOYEES" }
      ]
    })
    expect(await listedTo(partner221, place)).toEqual(pushedTo(partner221, place))
    const [evse] = evsesOf(pushedTo(partner221, place))

    expect(pushedTo(partner211, place)).toBeUndefined()
    expect(await listedTo(partner211, place)).toBeUndefined()
    expect(await listedTo(partner211, open)).toBeDefined()
    for (const path of [`/${place.siteId}`, `/${place.siteId}/${String(evse?.["uid"])}`]) {
      expect((await partner211.ask("GET", "locations", path)).http).toBe(404)
    }
    const view = await roaming.world.get(`partners/${id}/view/locations?limit=100`)
    expect(list(view["items"]).map((one) => one["id"])).not.toContain(place.siteId)
    // Status changes of its EVSEs are sent to one partner only.
    await place.station.status(1, "Faulted")
    await partner221.eventually("the status is pushed", () =>
      statusesOf(pushedTo(partner221, place)).includes("OUTOFORDER")
    )
    await open.station.status(1, "Faulted")
    await partner211.eventually("another status is pushed", () =>
      statusesOf(pushedTo(partner211, open)).includes("OUTOFORDER")
    )
    expect(partner211.server.heard.filter(({ path }) => path.includes(place.siteId))).toEqual([])
    expect([...partner221.problems, ...partner211.problems]).toEqual([])
  })

  it("is removed in 2.1.1 when it stops being public, and sent again when it becomes public", async () => {
    const place = await makePlace(roaming.world)
    const { partner } = await roaming.registered("2.1.1")
    await partner.eventually("the location is pushed", () => statusesOf(pushedTo(partner, place)).length === 2)
    await change(`sites/${place.siteId}`, { publish: false })
    await partner.eventually("it is taken away", () =>
      statusesOf(pushedTo(partner, place)).every((status) => status === "REMOVED")
    )
    expect(statusesOf(await listedTo(partner, place))).toEqual(["REMOVED", "REMOVED"])
    await change(`sites/${place.siteId}`, { publish: true })
    await partner.eventually("it is given back", () => statusesOf(pushedTo(partner, place)).includes("AVAILABLE"))
    expect(partner.problems).toEqual([])
  })
})

describe("the location of a session in 2.1.1", () => {
  it("has all details of the location, with the EVSE and connector that were used, and does not change in the record", async () => {
    const place = await makePlace(roaming.world, siteDetails)
    await change(`chargers/${place.chargerId}`, {
      evses: [1, 2].map((evseId) => ({ evseId, ...evseDetails, physicalReference: `Bay ${evseId}` })),
      connectors: [1, 2].map((connectorId) => ({ ...equipment, connectorId, termsAndConditions: terms }))
    })
    const { partner } = await roaming.registered("2.1.1")
    await partner.eventually("the location is pushed", () => pushedTo(partner, place) !== undefined)
    expect((await partner.putToken(partner.cards.make("DETAILS1"))).code).toBe(1000)
    const driver = new Driver(place)
    await driver.start("DETAILS1")
    const session = () => [...partner.stores.sessions.values()].find(({ status }) => status === "ACTIVE")
    await partner.eventually("the session is pushed", () => session() !== undefined)

    const whole = pushedTo(partner, place) ?? {}
    const timeless = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value, (key, item: unknown) => (key === "last_updated" ? undefined : item)))
    const [used] = evsesOf(whole)
    const expected = (status: string) => timeless({ ...whole, evses: [{ ...used, status }] })
    expect(timeless(session()?.["location"])).toEqual(expected("CHARGING"))

    await driver.stop()
    await partner.eventually("the record is sent", () => partner.stores.cdrs.size === 1)
    await change(`sites/${place.siteId}`, { images: null, owner: null, parkingType: null })
    const [record] = [...partner.stores.cdrs.values()]
    expect(timeless(record?.["location"])).toEqual(expected("UNKNOWN"))
    // The record is the same when it is pulled later.
    expect(await partner.pull("cdrs")).toEqual([record])
    expect(partner.problems).toEqual([])
  })
})
