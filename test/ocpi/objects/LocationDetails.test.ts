/** The optional details of locations in each version. */
import { describe, expect, it } from "vitest"
import type { Location } from "../../../src/domain/site/Location.ts"
import { locationTexts } from "../../../src/ocpi/objects/location/Texts.ts"
import { wireObjects } from "../../../src/ocpi/objects/WireObjects.ts"
import { evseDetails, publishAllowedTo, siteDetails, terms } from "../../support/details.ts"
import { schemasOf, type Version } from "../schemas/Schemas.ts"
import { bare, details, now, whole } from "./located.ts"

const versions: ReadonlyArray<Version> = ["2.1.1", "2.2", "2.2.1"]

interface Wire {
  readonly [field: string]: unknown
  readonly evses: ReadonlyArray<Wire & { readonly connectors: ReadonlyArray<Wire> }>
}

const encoded = (version: Version, location: Location = whole): Wire =>
  wireObjects[version].location.encode(location) as Wire

describe.each(versions)("a location with all details, in %s", (version) => {
  const faults = (value: unknown) => schemasOf[version].Location(value, "location")

  it("fits the standard's table, and has all that the version can express", () => {
    const wire = encoded(version)
    expect(faults(wire)).toEqual([])
    expect(wire).toMatchObject({
      related_locations: [
        { latitude: "52.510000", longitude: "5.260000", name: { language: "en", text: "Entrance" } },
        { latitude: "-33.500000", longitude: "-70.123457" }
      ],
      directions: siteDetails.directions,
      operator: {
        name: "Quay Charging",
        website: "https://quay.example",
        logo: { ...siteDetails.operator.logo }
      },
      suboperator: { name: "Harbour Services" },
      owner: { name: "City of Lelystad", website: "https://lelystad.example" },
      charging_when_closed: false,
      images: siteDetails.images,
      energy_mix: {
        is_green_energy: true,
        energy_sources: [
          { source: "SOLAR", percentage: 33.3333 },
          { source: "WIND", percentage: 66.6 }
        ],
        supplier_name: "Polder Power",
        energy_product_name: "Polder Green"
      }
    })
    expect(wire.evses[0]).toMatchObject({
      physical_reference: "Bay 12",
      floor_level: "-2",
      coordinates: { latitude: "52.500001", longitude: "5.249999" },
      directions: evseDetails.directions,
      images: evseDetails.images,
      parking_restrictions: ["EV_ONLY", "CUSTOMERS"]
    })
    expect(wire.evses[0]?.connectors[0]?.["terms_and_conditions"]).toBe(terms)
  })

  it("has none of them if there are no details", () => {
    const wire = encoded(version, bare)
    const added = Object.keys(encoded(version)).filter((field) => !Object.hasOwn(wire, field))
    const parking = version === "2.1.1" ? [] : ["parking_type"]
    expect(added.toSorted()).toEqual(
      [
        "charging_when_closed",
        "directions",
        "energy_mix",
        "facilities",
        "images",
        "owner",
        ...parking,
        "related_locations",
        "suboperator"
      ].toSorted()
    )
    expect(Object.keys(wire.evses[0] ?? {}).toSorted()).toEqual(
      ["capabilities", "connectors", "evse_id", "last_updated", "status", "uid"].toSorted()
    )
  })

  it("is cut to the lengths of the version", () => {
    const long = "ä".repeat(600)
    const directions = [{ language: "en", text: long }]
    const [evse] = whole.evses
    const cut: Location = {
      ...whole,
      operator: { name: long },
      details: {
        ...details,
        directions,
        owner: { name: long },
        energyMix: { isGreenEnergy: false, supplierName: long }
      },
      evses: [{ ...evse!, details: { physicalReference: long, floorLevel: long, directions } }]
    }
    expect(faults(encoded(version, cut))).toEqual([])
  })
})

it("later kinds of parking are OTHER in 2.1.1, and an unknown one is UNKNOWN there", () => {
  const typeOf = (parkingType: NonNullable<Location["details"]>["parkingType"] & string) =>
    versions.map((version) => {
      const wire = encoded(version, { ...bare, details: { parkingType } })
      expect(schemasOf[version].Location(wire, parkingType)).toEqual([])
      return wire["type"] ?? wire["parking_type"]
    })
  expect(typeOf("ALONG_MOTORWAY")).toEqual(["OTHER", "ALONG_MOTORWAY", "ALONG_MOTORWAY"])
  expect(typeOf("ON_DRIVEWAY")).toEqual(["OTHER", "ON_DRIVEWAY", "ON_DRIVEWAY"])
  expect(typeOf("ON_STREET")).toEqual(["ON_STREET", "ON_STREET", "ON_STREET"])
  expect(typeOf("UNDERGROUND_GARAGE")).toEqual(["UNDERGROUND_GARAGE", "UNDERGROUND_GARAGE", "UNDERGROUND_GARAGE"])
  expect(versions.map((version) => encoded(version, bare)["type"])).toEqual(["UNKNOWN", undefined, undefined])
})

it("later facilities are left out in 2.1.1, and the environmental impact has another name", () => {
  expect(versions.map((version) => encoded(version)["facilities"])).toEqual([
    ["HOTEL", "WIFI"],
    ["HOTEL", "BIKE_SHARING", "WIFI"],
    ["HOTEL", "BIKE_SHARING", "WIFI"]
  ])
  expect(versions.map((version) => (encoded(version)["energy_mix"] as Wire)["environ_impact"])).toEqual([
    [{ source: "CARBON_DIOXIDE", amount: 0.5 }],
    [{ category: "CARBON_DIOXIDE", amount: 0.5 }],
    [{ category: "CARBON_DIOXIDE", amount: 0.5 }]
  ])
})

describe("a location that is not public", () => {
  const limited: Location = { ...whole, details: { ...details, publish: false, publishAllowedTo } }

  it("says for whom it is from 2.2 on, and does not exist in 2.1.1", () => {
    const texts = locationTexts(limited)
    expect(texts["2.1.1"]).toBeUndefined()
    for (const version of ["2.2", "2.2.1"] as const) {
      const wire: unknown = JSON.parse(texts[version] ?? "")
      expect(schemasOf[version].Location(wire, "location")).toEqual([])
      expect(wire).toMatchObject({
        publish: false,
        publish_allowed_to: [
          { visual_number: "12345-67", issuer: "NewMotion" },
          { uid: "12345678905880", type: "RFID" },
          { group_id: "EMPLOYEES" }
        ]
      })
    }
  })

  it("may be for no one at all, and has no list of allowed tokens if it is public", () => {
    const forNoOne = encoded("2.2.1", { ...bare, details: { publish: false } })
    expect(forNoOne["publish"]).toBe(false)
    expect(forNoOne).not.toHaveProperty("publish_allowed_to")
    const forEveryone = encoded("2.2.1", { ...bare, details: { publishAllowedTo } })
    expect(forEveryone["publish"]).toBe(true)
    expect(forEveryone).not.toHaveProperty("publish_allowed_to")
  })

  it("is marked as removed in 2.1.1 if it was shown before", () => {
    const wire: unknown = JSON.parse(locationTexts({ ...limited, unpublishedAt: now })["2.1.1"] ?? "")
    expect(schemasOf["2.1.1"].Location(wire, "location")).toEqual([])
    expect(wire).toMatchObject({ evses: [{ status: "REMOVED" }] })
  })
})
