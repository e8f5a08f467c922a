/** Tariffs in each version: what a version can express is sent, and what it cannot is named here. */
import { describe, expect, it } from "vitest"
import type { TariffBody } from "../../../src/domain/tariff/Tariff.ts"
import { wireObjects } from "../../../src/ocpi/objects/WireObjects.ts"
import { schemasOf, type Version } from "../schemas/Schemas.ts"

const now = Date.UTC(2026, 4, 20, 12)
const versions: ReadonlyArray<Version> = ["2.1.1", "2.2", "2.2.1"]

const body: TariffBody = {
  currency: "EUR",
  type: "REGULAR",
  tariffAltText: [{ language: "en", text: "Cheap" }],
  tariffAltUrl: "https://charge.example/tariff",
  minPrice: { exclVat: 0.5 },
  maxPrice: { exclVat: 20, inclVat: 24 },
  startDateTime: now,
  endDateTime: now + 86_400_000,
  elements: [
    {
      priceComponents: [{ type: "TIME", price: 2, stepSize: 60 }],
      restrictions: { reservation: "RESERVATION" }
    },
    {
      priceComponents: [{ type: "ENERGY", price: 0.2, vat: 20, stepSize: 1 }],
      restrictions: { minCurrent: 16, maxCurrent: 32 }
    },
    {
      priceComponents: [
        { type: "ENERGY", price: 0.3, vat: 0, stepSize: 1 },
        { type: "FLAT", price: 1, stepSize: 1 }
      ],
      restrictions: {
        startTime: "08:00",
        endTime: "20:00",
        startDate: "2026-01-01",
        endDate: "2027-01-01",
        minKwh: 1,
        maxKwh: 50,
        minPower: 1,
        maxPower: 22,
        minDuration: 60,
        maxDuration: 3600,
        dayOfWeek: ["MONDAY", "SUNDAY"]
      }
    },
    { priceComponents: [{ type: "PARKING_TIME", price: 5, stepSize: 900 }] }
  ],
  energyMix: {
    isGreenEnergy: true,
    energySources: [{ source: "SOLAR", percentage: 100 }],
    environImpact: [{ category: "CARBON_DIOXIDE", amount: 12 }],
    supplierName: "Sun"
  }
}

const encoded = (version: Version, change: Partial<TariffBody> = {}) =>
  wireObjects[version].tariff.encode({
    party: { countryCode: "NL", partyId: "ABC" },
    tariff: {
      id: "01990000-0000-7000-8000-000000000001",
      organisationId: "01990000-0000-7000-8000-0000000000aa",
      version: 3,
      body: { ...body, ...change },
      createdAt: now,
      updatedAt: now
    }
  }) as Readonly<Record<string, unknown>> & { readonly elements: ReadonlyArray<object> }

describe.each(versions)("a tariff in %s", (version) => {
  it("fits the standard's table, also with very few fields and with very long texts", () => {
    const faults = (value: unknown) => schemasOf[version].Tariff(value, "tariff")
    expect(faults(encoded(version))).toEqual([])
    expect(
      faults(encoded(version, { elements: [{ priceComponents: [{ type: "FLAT", price: 0, stepSize: 1 }] }] }))
    ).toEqual([])
    const tariffAltText = [{ language: "en", text: "x".repeat(600) }]
    expect(faults(encoded(version, { tariffAltText, tariffAltUrl: `https://x.example/${"y".repeat(300)}` }))).toEqual(
      []
    )
  })

  it("has the common restrictions with their names in OCPI", () => {
    const restricted = encoded(version).elements.at(version === "2.1.1" ? 0 : 2)
    expect(restricted).toMatchObject({
      restrictions: {
        start_time: "08:00",
        end_time: "20:00",
        start_date: "2026-01-01",
        end_date: "2027-01-01",
        min_kwh: 1,
        max_kwh: 50,
        min_power: 1,
        max_power: 22,
        min_duration: 60,
        max_duration: 3600,
        day_of_week: ["MONDAY", "SUNDAY"]
      }
    })
    expect(encoded(version).elements.at(-1)).not.toHaveProperty("restrictions")
  })
})

describe("differences between versions", () => {
  it("2.1.1 has no party, VAT, type, price limits and validity", () => {
    const wire = encoded("2.1.1")
    for (const field of [
      "country_code",
      "party_id",
      "type",
      "min_price",
      "max_price",
      "start_date_time",
      "end_date_time"
    ]) {
      expect(wire).not.toHaveProperty(field)
    }
    expect(JSON.stringify(wire)).not.toContain("vat")
    expect(encoded("2.2.1")).toMatchObject({
      country_code: "NL",
      party_id: "ABC",
      type: "REGULAR",
      min_price: { excl_vat: 0.5 },
      max_price: { excl_vat: 20, incl_vat: 24 },
      start_date_time: "2026-05-20T12:00:00Z",
      end_date_time: "2026-05-21T12:00:00Z"
    })
  })

  it("an unknown VAT is left out, and one of 0% is not", () => {
    const [, , { price_components: components }] = encoded("2.2.1").elements as ReadonlyArray<{
      readonly price_components: unknown
    }> as [unknown, unknown, { readonly price_components: unknown }]
    expect(components).toEqual([
      { type: "ENERGY", price: 0.3, vat: 0, step_size: 1 },
      { type: "FLAT", price: 1, step_size: 1 }
    ])
  })

  it("2.1.1 cannot express elements for reservations or currents, which are left out rather than applied to everything", () => {
    expect(encoded("2.1.1").elements).toHaveLength(2)
    expect(encoded("2.2").elements).toHaveLength(4)
    const [reservation] = body.elements
    if (reservation === undefined) throw new Error("no element")
    expect(encoded("2.1.1", { elements: [reservation] }).elements).toEqual([
      { price_components: [{ type: "FLAT", price: 0, step_size: 1 }] }
    ])
  })

  it("environmental impacts have a source in 2.1.1 and a category later", () => {
    const impact = (version: Version) => (encoded(version)["energy_mix"] as Record<string, unknown>)["environ_impact"]
    expect(impact("2.1.1")).toEqual([{ source: "CARBON_DIOXIDE", amount: 12 }])
    expect(impact("2.2")).toEqual([{ category: "CARBON_DIOXIDE", amount: 12 }])
  })
})
