/** Locations in each version: what a version can express is sent, and what it cannot is named here. */
import { describe, expect, it } from "vitest"
import type { Location, LocationConnector, LocationEvse } from "../../../src/domain/site/Location.ts"
import { locationTexts } from "../../../src/ocpi/objects/location/Texts.ts"
import { wireObjects } from "../../../src/ocpi/objects/WireObjects.ts"
import { schemasOf, type Version } from "../schemas/Schemas.ts"

const now = Date.UTC(2026, 4, 20, 12)
const versions: ReadonlyArray<Version> = ["2.1.1", "2.2", "2.2.1"]

const connector: LocationConnector = {
  id: "1",
  standard: "IEC_62196_T2",
  format: "CABLE",
  powerType: "AC_3_PHASE",
  maxVoltage: 230,
  maxAmperage: 32,
  maxPowerW: 22_080,
  assumed: false,
  tariffId: "01990000-0000-7000-8000-00000000000a",
  laterTariffIds: ["01990000-0000-7000-8000-00000000000b"],
  lastUpdated: now + 123
}

const evse: LocationEvse = {
  uid: "01990000-0000-7000-8000-00000000000c",
  evseId: "NL*ABC*E000001",
  status: "AVAILABLE",
  capabilities: ["RFID_READER", "REMOTE_START_STOP_CAPABLE", "START_SESSION_CONNECTOR_REQUIRED"],
  connectors: [connector],
  lastUpdated: now
}

const location: Location = {
  id: "01990000-0000-7000-8000-000000000001",
  organisationId: "01990000-0000-7000-8000-0000000000aa",
  party: { countryCode: "NL", partyId: "ABC" },
  operator: { name: "Charge AG", website: "https://charge.example" },
  name: "Harbour",
  address: "Quay 12b",
  postalCode: "8232 JX",
  city: "Lelystad",
  state: "Flevoland",
  country: "NLD",
  latitude: 52.5,
  longitude: -5.123_456_78,
  timeZone: "Europe/Amsterdam",
  openingHours: { twentyfourseven: true },
  evses: [evse],
  lastUpdated: now
}

interface Wire {
  readonly [field: string]: unknown
  readonly evses?: ReadonlyArray<Wire & { readonly connectors: ReadonlyArray<Wire> }>
}

const encoded = (version: Version, change: Partial<Location> = {}): Wire =>
  wireObjects[version].location.encode({ ...location, ...change }) as Wire

const of = (version: Version, change: Partial<LocationConnector>): Wire | undefined =>
  encoded(version, { evses: [{ ...evse, connectors: [{ ...connector, ...change }] }] }).evses?.[0]?.connectors[0]

const long = "Ä".repeat(300)

describe.each(versions)("a location in %s", (version) => {
  const faults = (value: unknown) => schemasOf[version].Location(value, "location")

  it("fits the standard's table", () => {
    expect(faults(encoded(version))).toEqual([])
    const texts: Readonly<Record<string, string | undefined>> = locationTexts(location)
    expect(JSON.parse(texts[version] ?? "")).toEqual(JSON.parse(JSON.stringify(encoded(version))))
  })

  it("is cut to the version's lengths, and is valid without any optional field", () => {
    const texts = { name: long, address: long, city: long, state: long, postalCode: long, operator: { name: long } }
    expect(faults(encoded(version, texts))).toEqual([])
    const bare = { postalCode: undefined, state: undefined, openingHours: undefined, evses: [] }
    expect(faults(encoded(version, bare))).toEqual([])
    expect(faults(encoded(version, { name: "a\u0000b\nc" }))).toEqual([])
  })

  it("has six decimals in its coordinates and whole seconds in its times", () => {
    expect(encoded(version)["coordinates"]).toEqual({ latitude: "52.500000", longitude: "-5.123457" })
    expect(of(version, {})?.["last_updated"]).toBe("2026-05-20T12:00:00Z")
  })

  it("has opening times that OCPI can express, and otherwise none", () => {
    const regularHours = [{ weekday: 1, periodBegin: "08:00", periodEnd: "24:00" }]
    const exceptionalClosings = [{ periodBegin: "2026-12-24T00:00:00+01:00", periodEnd: "2026-12-27T00:00:00+01:00" }]
    const hours = encoded(version, { openingHours: { twentyfourseven: false, regularHours, exceptionalClosings } })
    expect(faults(hours)).toEqual([])
    // The last minute of the day is lost, because the standard has no 24:00.
    expect(hours["opening_times"]).toEqual({
      twentyfourseven: false,
      regular_hours: [{ weekday: 1, period_begin: "08:00", period_end: "23:59" }],
      exceptional_closings: [{ period_begin: "2026-12-23T23:00:00Z", period_end: "2026-12-26T23:00:00Z" }]
    })
    expect(encoded(version, { openingHours: { twentyfourseven: false } })["opening_times"]).toBeUndefined()
  })

  it("leaves out connectors of unknown types, and EVSEs that have no other", () => {
    const unknown = { ...connector, id: "2", standard: "MCS" }
    const both = encoded(version, { evses: [{ ...evse, connectors: [connector, unknown] }] })
    expect(both.evses?.[0]?.connectors.map(({ id }) => id)).toEqual(["1"])
    expect(encoded(version, { evses: [{ ...evse, connectors: [unknown] }] })).not.toHaveProperty("evses")
    expect(wireObjects[version].connector.encode(unknown)).toBeUndefined()
    expect(wireObjects[version].evse.encode({ ...evse, connectors: [unknown] })).toBeUndefined()
  })

  it("has EVSEs and connectors that are the same when encoded alone", () => {
    const [inside] = encoded(version).evses ?? []
    expect(wireObjects[version].evse.encode(evse)).toEqual(inside)
    expect(wireObjects[version].connector.encode(connector)).toEqual(inside?.connectors[0])
  })

  it("may have a removed EVSE", () => {
    const removed: LocationEvse = { ...evse, status: "REMOVED", evseId: undefined, capabilities: [] }
    expect(faults(encoded(version, { evses: [removed] }))).toEqual([])
  })
})

describe("differences between versions", () => {
  it("2.1.1 has a type, UNKNOWN by default, and no party, state and publish", () => {
    const wire = encoded("2.1.1")
    expect(wire).toMatchObject({ type: "UNKNOWN", postal_code: "8232 JX" })
    for (const field of ["country_code", "party_id", "publish", "state"]) expect(wire).not.toHaveProperty(field)
    expect(encoded("2.2")).toMatchObject({ country_code: "NL", party_id: "ABC", publish: true, state: "Flevoland" })
  })

  it("2.1.1 requires a postal code, and gets a dash", () => {
    expect(encoded("2.1.1", { postalCode: undefined })["postal_code"]).toBe("-")
    expect(encoded("2.2.1", { postalCode: undefined })).not.toHaveProperty("postal_code")
  })

  it("no text is longer in a later version, and 2.1.1 has no state", () => {
    const texts = { name: long, address: long, city: long, state: long, postalCode: long, operator: { name: long } }
    const lengths = versions.map((version) => {
      const { address, city, name, operator, postal_code, state } = encoded(version, texts) as Record<string, string>
      const operatorName = (operator as unknown as Wire)["name"]
      return [name, operatorName, address, city, postal_code, state].map((text) => [...String(text ?? "")].length)
    })
    expect(lengths).toEqual([
      [255, 100, 45, 45, 10, 0],
      [255, 100, 45, 45, 10, 20],
      [255, 100, 45, 45, 10, 20]
    ])
  })

  it("2.1.1 has one tariff, the current one, and other names of fields", () => {
    const { laterTariffIds, tariffId } = connector
    expect(of("2.1.1", {})).toMatchObject({ voltage: 230, amperage: 32, tariff_id: tariffId })
    expect(of("2.1.1", { tariffId: undefined })).not.toHaveProperty("tariff_id")
    expect(of("2.2.1", {})).toMatchObject({
      max_voltage: 230,
      max_amperage: 32,
      max_electric_power: 22_080,
      tariff_ids: [tariffId, ...laterTariffIds]
    })
    expect(of("2.2", { tariffId: undefined, laterTariffIds: [] })).not.toHaveProperty("tariff_ids")
  })

  it("some connector types and AC_2_PHASE exist in later versions only", () => {
    const takes = (standard: string) => versions.filter((version) => of(version, { standard }) !== undefined)
    expect(takes("CHADEMO")).toEqual(versions)
    expect(takes("PANTOGRAPH_TOP_DOWN")).toEqual(["2.2", "2.2.1"])
    expect(takes("NEMA_14_50")).toEqual(["2.2.1"])
    expect(versions.map((version) => of(version, { powerType: "AC_2_PHASE" })?.["power_type"])).toEqual([
      "AC_1_PHASE",
      "AC_1_PHASE",
      "AC_2_PHASE"
    ])
  })

  it("CHARGING_PREFERENCES_CAPABLE exists from 2.2 on", () => {
    const wished: LocationEvse = { ...evse, capabilities: ["RFID_READER", "CHARGING_PREFERENCES_CAPABLE"] }
    const said = versions.map((version) => encoded(version, { evses: [wished] }).evses?.[0]?.["capabilities"])
    const both = ["RFID_READER", "CHARGING_PREFERENCES_CAPABLE"]
    expect(said).toEqual([["RFID_READER"], both, both])
  })

  it("START_SESSION_CONNECTOR_REQUIRED exists in 2.2.1 only", () => {
    const said = versions.filter((version) =>
      JSON.stringify(encoded(version)).includes("START_SESSION_CONNECTOR_REQUIRED")
    )
    expect(said).toEqual(["2.2.1"])
  })
})
