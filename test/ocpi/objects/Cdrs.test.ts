/** Charge detail records in each version, against the standard's tables. What a version cannot express is named here. */
import { describe, expect, it } from "vitest"
import { creditOf } from "../../../src/domain/cdr/Cdr.ts"
import { isPricedPlainly, type RoamingCdr, versionsWithoutCredits } from "../../../src/domain/cdr/RoamingCdr.ts"
import { versionsWithPlainTariffs } from "../../../src/domain/tariff/Plain.ts"
import type { TariffElement } from "../../../src/domain/tariff/Tariff.ts"
import { wireObjects } from "../../../src/ocpi/objects/WireObjects.ts"
import { schemasOf, type Version } from "../schemas/Schemas.ts"
import { cdr, chargerId, ids, place, roaming } from "./charged.ts"

type Json = Readonly<Record<string, unknown>>

const said = (version: Version, given: RoamingCdr = cdr) => wireObjects[version].cdrs.encode(given) as Json

const versions: ReadonlyArray<Version> = ["2.1.1", "2.2", "2.2.1"]

const withBody = (body: Partial<RoamingCdr["body"]>): RoamingCdr => ({ ...cdr, body: { ...cdr.body, ...body } })

const { signedData: _, ...unsigned } = cdr.body

/** The same without its reservation: all versions can express everything that has priced it. */
const plain = withBody({
  periods: cdr.body.periods.slice(1),
  costs: { ...cdr.body.costs, reservation: { exclVat: 0, inclVat: 0 } },
  total: { exclVat: 6.5, inclVat: 7.8 }
})

const others: ReadonlyArray<readonly [string, RoamingCdr]> = [
  ["without signatures", { ...cdr, body: unsigned }],
  ["of a reservation only", withBody({ periods: cdr.body.periods.slice(0, 1), energyWh: 0 })],
  [
    "of a session without duration",
    withBody({
      periods: [{ startedAt: cdr.startedAt, endedAt: cdr.startedAt, energyWh: 0, charging: false, elements: {} }]
    })
  ],
  [
    "with texts that are too long for OCPI",
    withBody({ place: { ...place, area: "a".repeat(30), postalNumber: "1".repeat(12), streetAddress: "s".repeat(90) } })
  ],
  ["with a connector of a later version", withBody({ place: { ...place, standard: "MCS" } })]
]

describe.each(versions)("a record in OCPI %s", (version) => {
  it("fits the standard's table", () => expect(schemasOf[version].CDR(said(version), "cdr")).toEqual([]))

  for (const [name, given] of others) {
    it(`${name} fits it too`, () => expect(schemasOf[version].CDR(said(version, given), "cdr")).toEqual([]))
  }

  it("is in kWh and hours, has a constant id, and never contains the charger's identity", () => {
    const json = said(version)
    expect(json).toMatchObject({
      id: ids.cdr,
      currency: "EUR",
      total_energy: 10.5,
      total_time: 0.8333,
      total_parking_time: 0.3333,
      last_updated: "2026-05-20T12:51:00Z"
    })
    expect(JSON.stringify(json)).not.toContain(chargerId)
  })
})

const beginsOf = ({ charging_periods: periods }: Json) =>
  (periods as ReadonlyArray<Json>).map(({ start_date_time: begin }) => String(begin))

it("a record begins with its reservation; in 2.1.1, which has no reservation time, with its session", () => {
  const [reserved, charging, parking] = ["2026-05-20T11:50:00Z", "2026-05-20T12:00:00Z", "2026-05-20T12:30:00Z"]
  for (const version of ["2.2", "2.2.1"] as const) {
    expect([said(version)["start_date_time"], beginsOf(said(version))]).toEqual([
      reserved,
      [reserved, charging, parking]
    ])
  }
  const v211 = said("2.1.1")
  expect([v211["start_date_time"], beginsOf(v211)]).toEqual([charging, [charging, charging, parking]])
  const unreserved = withBody({ periods: cdr.body.periods.slice(1) })
  for (const version of versions) {
    expect(said(version, unreserved)).toMatchObject({ start_date_time: charging, total_time: 0.8333 })
  }
})

it("its tariff has the time of the push, or the session's start if that is not stored", () => {
  const { updatedAt: _, ...old } = plain.body.tariff
  for (const version of versions) {
    const [tariff] = said(version, plain)["tariffs"] as ReadonlyArray<Json>
    expect(tariff?.["last_updated"]).toBe("2026-05-20T10:00:00Z")
    const [unsaid] = said(version, { ...plain, body: { ...plain.body, tariff: old } })["tariffs"] as ReadonlyArray<Json>
    expect(unsaid?.["last_updated"]).toBe("2026-05-20T12:00:00Z")
  }
})

it("each version has its own names of fields, and lacks some", () => {
  const v211 = said("2.1.1")
  expect(v211).toMatchObject({
    stop_date_time: "2026-05-20T12:50:00Z",
    auth_id: roaming.contractId,
    auth_method: "AUTH_REQUEST",
    total_cost: 7.5,
    location: { id: ids.site, type: "UNKNOWN", evses: [{ uid: ids.evse, connectors: [{ id: "2" }] }] }
  })
  for (const lost of [
    "tariffs",
    "end_date_time",
    "session_id",
    "signed_data",
    "total_energy_cost",
    "authorization_reference"
  ]) {
    expect(v211).not.toHaveProperty(lost)
  }
  for (const version of ["2.2", "2.2.1"] as const) {
    const json = said(version)
    expect(json).toMatchObject({
      country_code: "NL",
      party_id: "VLT",
      end_date_time: "2026-05-20T12:50:00Z",
      session_id: ids.session,
      auth_method: "COMMAND",
      authorization_reference: "REF-1",
      cdr_location: {
        id: ids.site,
        name: "Market",
        address: "Grote Markt 12b",
        evse_uid: ids.evse,
        evse_id: "NL*VLT*E000001",
        connector_id: "2",
        connector_format: "CABLE"
      },
      tariffs: [{ id: ids.tariff, country_code: "NL", party_id: "VLT" }],
      total_cost: { excl_vat: 7.5, incl_vat: 9 },
      total_fixed_cost: { excl_vat: 1, incl_vat: 1.2 },
      total_energy_cost: { excl_vat: 4, incl_vat: 4.8 },
      total_parking_cost: { excl_vat: 1.5, incl_vat: 1.8 },
      total_reservation_cost: { excl_vat: 1, incl_vat: 1.2 }
    })
    for (const none of ["total_time_cost", "credit", "credit_reference_id"]) expect(json).not.toHaveProperty(none)
  }
  expect(said("2.2")["cdr_location"]).toMatchObject({
    postal_code: "9711 LV",
    connector_standard: "IEC_62196_T2",
    connector_power_type: "AC_1_PHASE"
  })
  expect(said("2.2.1")["cdr_location"]).toMatchObject({
    state: "Groningen",
    connector_standard: "GBT_AC",
    connector_power_type: "AC_2_PHASE"
  })
})

/** A record priced by the elements at the indexes in `elements`. The last element of its tariff is priced per kWh. */
const pricedBy = (
  special: TariffElement,
  elements: Readonly<Partial<Record<"ENERGY" | "FLAT" | "TIME", number>>>,
  more: Partial<RoamingCdr["body"]> = {}
): RoamingCdr =>
  withBody({
    periods: [{ ...cdr.body.periods[1]!, elements }],
    costs: plain.body.costs,
    total: plain.body.total,
    tariff: {
      ...cdr.body.tariff,
      elements: [special, { priceComponents: [{ type: "ENERGY", price: 0.38, vat: 20, stepSize: 1 }] }]
    },
    ...more
  })

const perKwh = { priceComponents: [{ type: "ENERGY" as const, price: 0.2, stepSize: 1 }] }
const above = (amperes: number): TariffElement => ({ ...perKwh, restrictions: { minCurrent: amperes } })
const below = (amperes: number): TariffElement => ({ ...perKwh, restrictions: { maxCurrent: amperes } })
const evening: TariffElement = { ...perKwh, restrictions: { startTime: "17:00" } }
const strong: TariffElement = { ...perKwh, restrictions: { startTime: "17:00", minPower: 11 } }
const reservation: TariffElement = {
  priceComponents: [{ type: "TIME", price: 6, stepSize: 1 }],
  restrictions: { reservation: "RESERVATION" }
}

it("a record has its tariff only if the version can express all that priced it, so that everyone gets the same total", () => {
  const limited = (exclVat: number) => ({ total: { exclVat, inclVat: 7.8 } })
  const [byTheSpecial, byTheLast] = [{ ENERGY: 0 }, { ENERGY: 1 }]
  const cases: ReadonlyArray<readonly [RoamingCdr, inV211: boolean]> = [
    [cdr, false],
    [plain, true],
    [pricedBy(above(16), byTheSpecial), false],
    [pricedBy(below(16), byTheSpecial), false],
    [pricedBy(below(16), { ...byTheLast, FLAT: 0 }), false],
    // Elements that priced nothing may be left out.
    [pricedBy(above(16), byTheLast), true],
    [pricedBy(reservation, byTheLast), true],
    [pricedBy(evening, byTheSpecial), true],
    // Its periods show no power, against which a reader tests this element.
    [pricedBy(strong, byTheSpecial), false],
    [pricedBy(strong, byTheLast), false],
    // A minimum or maximum price applied.
    [pricedBy(evening, byTheSpecial, limited(10)), false],
    [pricedBy(evening, byTheSpecial, limited(5)), false]
  ]
  for (const [given, inV211] of cases) {
    expect(isPricedPlainly(given.body)).toBe(inV211)
    expect(Object.hasOwn(said("2.1.1", given), "tariffs")).toBe(inV211)
    for (const version of ["2.2", "2.2.1"] as const) expect(said(version, given)).toHaveProperty("tariffs")
    expect(schemasOf["2.1.1"].CDR(said("2.1.1", given), "cdr")).toEqual([])
  }
  expect(said("2.1.1", plain)["tariffs"]).toMatchObject([
    { id: ids.tariff, elements: [{ price_components: [{ type: "ENERGY", price: 0.38, step_size: 1 }] }] }
  ])
  const without = versions.filter((version) => !Object.hasOwn(said(version), "tariffs"))
  expect(without, "as in REST, which shows where it is left out").toEqual(versionsWithPlainTariffs)
})

it("a signed value that is too long for the version is left out, and never cut", () => {
  const values = (version: Version) =>
    (said(version)["signed_data"] as { signed_values: ReadonlyArray<Json> }).signed_values.map(
      ({ plain_data, signed_data }) => [plain_data, String(signed_data).length]
    )
  expect(values("2.2")).toEqual([["{}", 13]])
  expect(values("2.2.1")).toEqual([
    ["{}", 13],
    ["#NA", 610]
  ])
  const long = { nature: "End" as const, signedData: "x".repeat(6000) }
  const given = withBody({ signedData: { signedValues: [long] } })
  expect(said("2.2.1", given)).not.toHaveProperty("signed_data")
})

it("a credit record differs in its id, total and reference; 2.1.1 has none", () => {
  const credit: RoamingCdr = {
    ...cdr,
    id: ids.other,
    creditReferenceId: ids.cdr,
    body: { ...creditOf(cdr), roaming }
  }
  for (const version of ["2.2", "2.2.1"] as const) {
    expect(wireObjects[version].cdrs.hasCredits).toBe(true)
    const { id, total_cost, ...rest } = said(version, credit)
    const { id: _, total_cost: __, ...original } = said(version)
    expect(rest).toEqual({ ...original, credit: true, credit_reference_id: ids.cdr })
    expect([id, total_cost]).toEqual([ids.other, { excl_vat: -7.5, incl_vat: -9 }])
    expect(schemasOf[version].CDR(said(version, credit), "cdr")).toEqual([])
  }
  const without = versions.filter((version) => !wireObjects[version].cdrs.hasCredits)
  expect(without, "as in REST, which shows what is withheld").toEqual(versionsWithoutCredits)
})

it("a period shows the least and the highest power and current against which the tariff was tested; 2.1.1 has no power", () => {
  const tested = { minPowerW: 7360, maxPowerW: 21_750.5, minCurrentA: 0, maxCurrentA: 31.5 }
  const given = withBody({ periods: [{ ...cdr.body.periods[1]!, ...tested }] })
  const shown = (version: Version) =>
    (said(version, given)["charging_periods"] as ReadonlyArray<Json>)[0]?.["dimensions"]
  const current = [
    { type: "MIN_CURRENT", volume: 0 },
    { type: "MAX_CURRENT", volume: 31.5 }
  ]
  const power = [
    { type: "MIN_POWER", volume: 7.36 },
    { type: "MAX_POWER", volume: 21.7505 }
  ]
  expect(shown("2.1.1")).toEqual(expect.arrayContaining(current))
  expect(JSON.stringify(shown("2.1.1"))).not.toContain("POWER")
  for (const version of ["2.2", "2.2.1"] as const) {
    expect(shown(version)).toEqual(expect.arrayContaining([...current, ...power]))
  }
})

it("a record ends with its last period, so that its length is the one that was priced", () => {
  const end = cdr.endedAt
  const given = { ...withBody({ periods: [{ ...cdr.body.periods[1]!, endedAt: end }] }), endedAt: end + 1100 }
  expect(said("2.1.1", given)["stop_date_time"]).toBe("2026-05-20T12:50:00Z")
  for (const version of ["2.2", "2.2.1"] as const) {
    expect(said(version, given)["end_date_time"]).toBe("2026-05-20T12:50:00Z")
  }
})

it("the hours of the periods add up to the totals, however they are divided", () => {
  const minute = 60_000
  const lengths = [20, 7, 20, 7, 20, 7, 1.9, 0.1]
  let at = cdr.startedAt
  const periods = lengths.map((minutes, i) => {
    const startedAt = at
    at += minutes * minute
    return { startedAt, endedAt: at, energyWh: 0, charging: i % 2 === 0, elements: {} }
  })
  const millis = (charging: boolean) =>
    periods.reduce((sum, one) => sum + (one.charging === charging ? one.endedAt - one.startedAt : 0), 0)
  const given = withBody({ periods, durationMillis: millis(true) + millis(false), parkingMillis: millis(false) })
  for (const version of versions) {
    const json = said(version, given)
    const volumes = (json["charging_periods"] as ReadonlyArray<Json>).flatMap(
      ({ dimensions }) => dimensions as ReadonlyArray<{ readonly type: string; readonly volume: number }>
    )
    const sum = (...types: ReadonlyArray<string>) =>
      volumes.reduce((all, { type, volume }) => all + (types.includes(type) ? Math.round(volume * 1e4) : 0), 0) / 1e4
    expect([sum("TIME", "PARKING_TIME"), sum("PARKING_TIME")]).toEqual([json["total_time"], json["total_parking_time"]])
    expect(Number(json["total_time"])).toBeCloseTo((millis(true) + millis(false)) / 3_600_000, 3)
  }
})
