/** Details that help drivers find a place, over REST v2: of sites, of a charger's EVSEs and of its connectors. */
import { beforeEach, describe, expect, it } from "vitest"
import { evseDetails, publishAllowedTo, siteDetails, terms } from "../../support/details.ts"
import { fakeApp, type Json } from "../../support/restApp.ts"

type App = Awaited<ReturnType<typeof fakeApp>>
let app: App

beforeEach(async () => {
  app = await fakeApp()
})

const ask = (method: string, path: string, body?: Json) => app.ask(method, `/cpo/v2${path}`, { key: app.key, body })

const equipment = {
  connectorId: 1,
  standard: "IEC_62196_T2",
  format: "SOCKET",
  powerType: "AC_3_PHASE",
  maxVoltage: 230,
  maxAmperage: 32
}

describe("a site", () => {
  it("stores everything that an OCPI Location has, and accepts its own answer in a PATCH", async () => {
    const given = { name: "Harbour", ...siteDetails, publish: false, publishAllowedTo }
    const made = await ask("POST", "/sites", given)
    expect(made.status).toBe(200)
    expect(made.json).toMatchObject(given)
    const { json: shown } = await ask("GET", `/sites/${made.json.id}`)
    const { chargers: _, ocpi, powerW: __, ...read } = shown
    expect(read).toEqual(made.json)
    expect(ocpi.published).toBe(false)
    const again = await ask("PATCH", `/sites/${made.json.id}`, shown)
    expect([again.status, again.json]).toEqual([200, { ...read, updatedAt: again.json.updatedAt }])
  })

  it("changes what a PATCH names, clears what is null, and leaves the rest", async () => {
    const { id } = (await ask("POST", "/sites", { name: "Harbour", ...siteDetails })).json
    const cleared = Object.fromEntries(Object.keys(siteDetails).map((key) => [key, null]))
    const one = (await ask("PATCH", `/sites/${id}`, { facilities: ["CAFE"], owner: null, publish: false })).json
    expect(one).toMatchObject({ ...siteDetails, facilities: ["CAFE"], owner: null, publish: false })
    const none = (await ask("PATCH", `/sites/${id}`, { ...cleared, publish: null })).json
    expect(none).toEqual({
      ...(await ask("POST", "/sites", { name: "Harbour" })).json,
      id,
      groupId: none.groupId,
      createdAt: none.createdAt,
      updatedAt: none.updatedAt
    })
  })

  const url = "https://voltlane.example/a.png"
  const image = { url, category: "CHARGER", type: "png" }
  const refused: ReadonlyArray<readonly [Json, ReadonlyArray<string>]> = [
    [{ publish: "no" }, ["/publish"]],
    [{ publishAllowedTo: [{}] }, ["/publishAllowedTo/0"]],
    [{ publishAllowedTo: [{ issuer: "X" }] }, ["/publishAllowedTo/0"]],
    [{ publishAllowedTo: [{ uid: "1" }] }, ["/publishAllowedTo/0/type"]],
    [{ publishAllowedTo: [{ uid: "1", type: "RFID", visualNumber: "2" }] }, ["/publishAllowedTo/0/issuer"]],
    [{ publishAllowedTo: [{ uid: "ä", type: "RFID" }] }, ["/publishAllowedTo/0/uid"]],
    [{ publishAllowedTo: [{ uid: "1".repeat(37), type: "RFID" }] }, ["/publishAllowedTo/0/uid"]],
    [{ publishAllowedTo: [{ uid: "1", type: "CARD" }] }, ["/publishAllowedTo/0/type"]],
    [{ publishAllowedTo: Array.from({ length: 201 }, () => ({ groupId: "G" })) }, ["/publishAllowedTo"]],
    [{ parkingType: "UNKNOWN" }, ["/parkingType"]],
    [{ facilities: ["HOTEL", "POOL"] }, ["/facilities/1"]],
    [{ facilities: ["HOTEL", "HOTEL"] }, ["/facilities"]],
    [{ directions: [{ language: "eng", text: "Left" }] }, ["/directions/0/language"]],
    [{ directions: [{ language: "en", text: "x".repeat(513) }] }, ["/directions/0/text"]],
    [{ directions: [{ language: "en", text: "one\ntwo" }] }, ["/directions/0/text"]],
    [
      {
        directions: [
          { language: "en", text: "Left" },
          { language: "en", text: "Right" }
        ]
      },
      ["/directions"]
    ],
    [
      { relatedLocations: [{ latitude: 91, longitude: 181 }] },
      ["/relatedLocations/0/latitude", "/relatedLocations/0/longitude"]
    ],
    [{ relatedLocations: Array.from({ length: 51 }, () => ({ latitude: 0, longitude: 0 })) }, ["/relatedLocations"]],
    [{ operator: { name: "x".repeat(101) } }, ["/operator/name"]],
    [{ suboperator: { website: "https://a.example" } }, ["/suboperator/name"]],
    [{ owner: { name: "A", website: "ftp://a.example" } }, ["/owner/website"]],
    [{ owner: { name: "A", logo: { ...image, category: "LOGO" } } }, ["/owner/logo/category"]],
    [{ chargingWhenClosed: 1 }, ["/chargingWhenClosed"]],
    [
      {
        openingHours: {
          twentyfourseven: false,
          regularHours: [
            { weekday: 1, periodBegin: "08:00", periodEnd: "24:00" },
            { weekday: 2, periodBegin: "22:00", periodEnd: "06:00" }
          ],
          exceptionalClosings: [
            { periodBegin: "2026-12-24T00:00:00+01:00", periodEnd: "2026-12-23T23:00:00Z" },
            { periodBegin: "2026-12-24T00:00:00+01:00", periodEnd: "2026-12-23T23:00:01Z" }
          ]
        }
      },
      ["/openingHours/regularHours/1/periodEnd", "/openingHours/exceptionalClosings/0/periodEnd"]
    ],
    [{ images: [{ ...image, url: `https://${"a".repeat(260)}` }] }, ["/images/0/url"]],
    [{ images: [{ ...image, thumbnail: "picture" }] }, ["/images/0/thumbnail"]],
    [{ images: [{ ...image, type: "image/png" }] }, ["/images/0/type"]],
    [{ images: [{ ...image, width: 100_000, height: 0 }] }, ["/images/0/width", "/images/0/height"]],
    [{ images: Array.from({ length: 21 }, () => image) }, ["/images"]],
    [{ energyMix: { energySources: [] } }, ["/energyMix/isGreenEnergy"]],
    [
      { energyMix: { isGreenEnergy: true, energySources: [{ source: "SOLAR", percentage: 101 }] } },
      ["/energyMix/energySources/0/percentage"]
    ],
    [
      { energyMix: { isGreenEnergy: true, environImpact: [{ category: "NOISE", amount: -1 }] } },
      ["/energyMix/environImpact/0/category"]
    ],
    [{ energyMix: { isGreenEnergy: true, supplierName: "x".repeat(65) } }, ["/energyMix/supplierName"]]
  ]

  it("is refused with a pointer to each value that OCPI does not allow, and to lists that are too long", async () => {
    const { id } = (await ask("POST", "/sites", { name: "Harbour" })).json
    for (const [fields, pointers] of refused) {
      for (const answer of [
        await ask("POST", "/sites", { name: "A", ...fields }),
        await ask("PATCH", `/sites/${id}`, fields)
      ]) {
        const faults = answer.json.errors?.map(({ pointer }: Json) => pointer)
        expect([answer.status, faults], JSON.stringify(fields).slice(0, 100)).toEqual([400, pointers])
      }
    }
  })
})

describe("a charger", () => {
  beforeEach(async () => {
    await ask("POST", "/sites", { name: "Harbour" })
    await ask("POST", "/chargers", { name: "Left", chargerId: "CP-1" })
    const charger = app.world.chargers.get("CP-1")
    const reported = { status: "Available", statusAt: 0, connectorId: 1 } as const
    const none = { errorCode: undefined, info: undefined, vendorId: undefined, vendorErrorCode: undefined }
    const connectors = [1, 2].map((evseId) => ({ ...reported, ...none, evseId, equipment: undefined }))
    if (charger !== undefined) app.world.chargers.set("CP-1", { ...charger, connectors })
  })

  it("accepts details of its EVSEs, field by field", async () => {
    const described = await ask("PATCH", "/chargers/CP-1", { evses: [{ evseId: 2, ...evseDetails }] })
    expect(described.status).toBe(200)
    expect(described.json.evses).toMatchObject([
      { evseId: 1, physicalReference: null, images: [] },
      { evseId: 2, ...evseDetails }
    ])
    const changed = await ask("PATCH", "/chargers/CP-1", { evses: [{ evseId: 2, floorLevel: "1", images: null }] })
    expect(changed.json.evses[1]).toMatchObject({ ...evseDetails, floorLevel: "1", images: [] })
    expect((await ask("GET", "/chargers/CP-1")).json.evses).toEqual(changed.json.evses)
  })

  it("accepts terms and conditions of its connectors, which remain until they are set to null", async () => {
    const shown = async (fields: Json) =>
      (await ask("PATCH", "/chargers/CP-1", { connectors: [fields] })).json.evses[0].connectors[0].termsAndConditions
    expect(await shown(equipment)).toBeNull()
    expect(await shown({ ...equipment, termsAndConditions: terms })).toBe(terms)
    expect(await shown({ ...equipment, maxAmperage: 16 })).toBe(terms)
    expect(await shown({ ...equipment, termsAndConditions: null })).toBeNull()
  })

  it("is refused with a pointer to each value that OCPI does not allow", async () => {
    const refused: ReadonlyArray<readonly [Json, ReadonlyArray<string>]> = [
      [{ evses: [{}] }, ["/evses/0/evseId"]],
      [{ evses: [{ evseId: 1 }, { evseId: 1 }] }, ["/evses"]],
      [{ evses: [{ evseId: 1, floorLevel: "basement" }] }, ["/evses/0/floorLevel"]],
      [{ evses: [{ evseId: 1, physicalReference: "x".repeat(17) }] }, ["/evses/0/physicalReference"]],
      [{ evses: [{ evseId: 1, coordinates: { latitude: 1 } }] }, ["/evses/0/coordinates/longitude"]],
      [{ evses: [{ evseId: 1, parkingRestrictions: ["TAXIS"] }] }, ["/evses/0/parkingRestrictions/0"]],
      [{ connectors: [{ ...equipment, termsAndConditions: "read them" }] }, ["/connectors/0/termsAndConditions"]]
    ]
    for (const [fields, pointers] of refused) {
      const { json, status } = await ask("PATCH", "/chargers/CP-1", fields)
      const faults = json.errors?.map(({ pointer }: Json) => pointer)
      expect([status, faults], JSON.stringify(fields)).toEqual([400, pointers])
    }
  })
})
