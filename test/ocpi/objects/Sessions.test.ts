/** Sessions in each version, against the standard's tables. What a version cannot express is named here. */
import { describe, expect, it } from "vitest"
import { Effect } from "effect"
import type { RoamingSession } from "../../../src/domain/session/RoamingSession.ts"
import { wireObjects } from "../../../src/ocpi/objects/WireObjects.ts"
import { schemasOf, type Version } from "../schemas/Schemas.ts"
import { at, chargerId, ids, place, session } from "./charged.ts"

type Json = Readonly<Record<string, unknown>>

const said = (version: Version, given: RoamingSession = session) => wireObjects[version].sessions.encode(given) as Json

const dimensions = (json: Json) =>
  (json["charging_periods"] as ReadonlyArray<Json>).map((period) =>
    (period["dimensions"] as ReadonlyArray<Json>).map(({ type, volume }) => [type, volume])
  )

const versions: ReadonlyArray<Version> = ["2.1.1", "2.2", "2.2.1"]

/** A session that has just begun, a reservation of any connector, and a session of which almost nothing is known, among others. */
const others: ReadonlyArray<readonly [string, RoamingSession]> = [
  [
    "that has just begun",
    { ...session, status: "ACTIVE", endedAt: undefined, heldReason: undefined, price: undefined, energyWh: 0 }
  ],
  [
    "that is a reservation of any free connector",
    { ...session, status: "RESERVATION", evseId: 0, connectorId: 0, endedAt: undefined, price: undefined }
  ],
  [
    "at a connector without a description",
    {
      ...session,
      place: {
        party: { countryCode: "NL", partyId: "VLT" },
        city: "Groningen",
        country: "NLD",
        streetAddress: "Markt"
      },
      tariffId: undefined,
      currency: undefined,
      price: undefined
    }
  ],
  [
    "with texts that are too long for OCPI",
    { ...session, place: { ...place, siteName: "n".repeat(300), city: "c".repeat(60), streetAddress: "s".repeat(90) } }
  ],
  ["with a token of a later version", { ...session, roaming: { ...session.roaming, type: "EMAID" } }]
]

describe.each(versions)("a session in OCPI %s", (version) => {
  it("fits the standard's table", () => {
    expect(schemasOf[version].Session(said(version), "session")).toEqual([])
  })

  for (const [name, given] of others) {
    it(`${name} fits it too`, () => expect(schemasOf[version].Session(said(version, given), "session")).toEqual([]))
  }

  it("has kWh, whole seconds and its stored price, and never the charger's identity or an internal reason", () => {
    const json = said(version)
    expect(json).toMatchObject({
      id: ids.session,
      kwh: 10.5,
      currency: "EUR",
      status: "COMPLETED",
      last_updated: "2026-05-20T12:51:00Z"
    })
    expect(JSON.stringify(json)).not.toContain(chargerId)
    expect(JSON.stringify(json)).not.toContain("StopMissing")
  })
})

it("each version has its own names of fields, and lacks some", () => {
  const { authorization_reference: _, location_id: __, ...v211 } = said("2.1.1")
  expect(v211).toMatchObject({
    start_datetime: "2026-05-20T12:00:00Z",
    end_datetime: "2026-05-20T12:50:00Z",
    auth_id: "DE-ABC-C00000001-1",
    auth_method: "AUTH_REQUEST",
    total_cost: 7.5,
    location: {
      id: ids.site,
      address: "Grote Markt 12b",
      coordinates: { latitude: "53.219170", longitude: "6.566500" },
      evses: [
        {
          uid: ids.evse,
          evse_id: "NL*VLT*E000001",
          connectors: [
            { id: "2", standard: "IEC_62196_T2", format: "CABLE", power_type: "AC_1_PHASE", voltage: 400, amperage: 63 }
          ]
        }
      ]
    }
  })
  for (const version of ["2.2", "2.2.1"] as const) {
    const json = said(version)
    expect(json).toMatchObject({
      country_code: "NL",
      party_id: "VLT",
      start_date_time: "2026-05-20T12:00:00Z",
      end_date_time: "2026-05-20T12:50:00Z",
      auth_method: "COMMAND",
      authorization_reference: "REF-1",
      location_id: ids.site,
      evse_uid: ids.evse,
      connector_id: "2",
      total_cost: { excl_vat: 7.5, incl_vat: 9 }
    })
  }
  const token = { uid: "04A2B3C4", type: "APP_USER", contract_id: "DE-ABC-C00000001-1" }
  expect(said("2.2")["cdr_token"], "2.2 does not say whose it is").toEqual(token)
  expect(said("2.2.1")["cdr_token"]).toEqual({ country_code: "DE", party_id: "ABC", ...token })
})

it("periods are in kWh, hours, kW and A, and 2.1.1 has no reservation time", () => {
  expect(dimensions(said("2.1.1"))).toEqual([
    [["TIME", 0]],
    [
      ["FLAT", 1],
      ["ENERGY", 10.5],
      ["TIME", 0.5],
      ["MAX_CURRENT", 31.5]
    ],
    [["PARKING_TIME", 0.3333]]
  ])
  expect(dimensions(said("2.2"))).toEqual([
    [["RESERVATION_TIME", 0.1667]],
    [
      ["ENERGY", 10.5],
      ["TIME", 0.5],
      ["MAX_CURRENT", 31.5],
      ["MAX_POWER", 21.75],
      ["STATE_OF_CHARGE", 80]
    ],
    [["PARKING_TIME", 0.3333]]
  ])
  const [period] = said("2.2.1")["charging_periods"] as ReadonlyArray<Json>
  expect(period).toMatchObject({ start_date_time: "2026-05-20T11:50:00Z", tariff_id: ids.tariff })
  const [reserved] = said("2.1.1")["charging_periods"] as ReadonlyArray<Json>
  expect(reserved?.["start_date_time"]).toBe(said("2.1.1")["start_datetime"])
})

it("a reservation is PENDING in 2.1.1, which has no other status, and its connector is unknown", () => {
  const reserved: RoamingSession = { ...session, status: "RESERVATION", evseId: 0, connectorId: 0 }
  expect(said("2.1.1", reserved)).toMatchObject({ status: "PENDING", location: { evses: [{ status: "RESERVED" }] } })
  expect(said("2.2", reserved)).toMatchObject({ status: "RESERVATION", evse_uid: "#NA", connector_id: "#NA" })
})

it("preferences are read as partners send them, and refused if invalid", () => {
  const decode = (input: unknown) => Effect.runSync(Effect.exit(wireObjects["2.2.1"].sessions.decodePreferences(input)))
  const read = decode({
    profile_type: "regular",
    departure_time: "2026-05-20T12:00:00+00:00",
    energy_need: 12.3456,
    discharge_allowed: null,
    unknown: 1
  })
  expect(read).toMatchObject({
    _tag: "Success",
    value: { profileType: "regular", departureAt: at, energyNeedWh: 12_346, dischargeAllowed: undefined }
  })
  for (const wrong of [undefined, {}, { profile_type: 1 }, { profile_type: "FAST", energy_need: -1 }, "FAST"]) {
    expect(decode(wrong)._tag, JSON.stringify(wrong)).toBe("Failure")
  }
})
