/** The tables are useful as a check only if they find mistakes. */
import { describe, expect, it } from "vitest"
import { envelopeOf, schemaSince22, schemasOf, type Version } from "./Schemas.ts"
import { samples } from "./samples.ts"

const versions: ReadonlyArray<Version> = ["2.1.1", "2.2", "2.2.1"]
type Json = Readonly<Record<string, unknown>>

const faults = (version: Version, name: keyof ReturnType<typeof samples>, change: Json = {}) =>
  schemasOf[version][name]({ ...samples(version)[name], ...change }, name)

describe.each(versions)("the tables of OCPI %s", (version) => {
  it.each(["Location", "Session", "CDR", "Tariff"] as const)("accept a %s of their own version", (name) =>
    expect(faults(version, name)).toEqual([])
  )

  it.each([
    ["Location", { id: "" }],
    ["Location", { id: "x".repeat(40) }],
    ["Location", { country: "NL" }],
    ["Location", { coordinates: { latitude: "53.2", longitude: "6.566502" } }],
    ["Location", { last_updated: "2026-11-20T08:30:00+01:00" }],
    ["Location", { evses: [{ ...(samples(version)["Location"]["evses"] as [Json])[0], connectors: [] }] }],
    ["Location", { chargerId: "CP-1" }],
    ["Location", { opening_times: { twentyfourseven: false } }],
    ["Session", { status: "active" }],
    ["Session", { kwh: 0.1 + 0.2 }],
    ["Session", { kwh: "1.5" }],
    ["Session", { currency: "euro" }],
    ["CDR", { charging_periods: [] }],
    ["CDR", { total_cost: undefined }],
    ["CDR", { total_energy: null }],
    ["Tariff", { elements: [] }],
    ["Tariff", { tariff_alt_text: [{ language: "english", text: "x" }] }]
  ] as const)("find the mistake in a %s with %j", (name, change) =>
    expect(faults(version, name, change)).not.toEqual([])
  )

  it("reject objects of other versions", () => {
    const others = versions.filter((one) => one !== version)
    for (const other of others) {
      expect(schemasOf[version].CDR(samples(other).CDR, "CDR"), other).not.toEqual([])
    }
  })

  it("allow data only in successful answers", () => {
    const check = envelopeOf[version]
    const timestamp = "2026-11-20T08:30:00Z"
    expect(check({ status_code: 1000, timestamp }, "answer")).toEqual([])
    expect(check({ status_code: 2001, data: [], timestamp }, "answer")).toHaveLength(1)
    expect(check({ status_code: "1000", timestamp }, "answer")).toHaveLength(1)
    expect(check([], "answer")).toHaveLength(1)
  })
})

it("fractions of seconds are allowed from 2.2 on", () => {
  const last_updated = "2026-11-20T08:30:00.123Z"
  expect(versions.map((version) => faults(version, "Tariff", { last_updated }).length)).toEqual([1, 0, 0])
})

it("publish_allowed_to is allowed only if publish is false, and each entry must fit its table", () => {
  const allowed = (publish: boolean, ...publish_allowed_to: ReadonlyArray<Json>) =>
    faults("2.2.1", "Location", { publish, publish_allowed_to }).length
  expect(allowed(false, { uid: "1", type: "RFID" }, { visual_number: "1", issuer: "X" }, { group_id: "G" })).toBe(0)
  expect(allowed(true, { group_id: "G" })).toBe(1)
  expect(allowed(false, { issuer: "X" })).toBe(1)
  expect(allowed(false, { uid: "1" })).toBe(1)
  expect(allowed(false, { visual_number: "1" })).toBe(1)
})

it("a credit record must have a reference, and other records must not", () => {
  expect(faults("2.2.1", "CDR", { credit: true, credit_reference_id: "C-0" })).toEqual([])
  expect(faults("2.2.1", "CDR", { credit: true })).toHaveLength(1)
  expect(faults("2.2.1", "CDR", { credit_reference_id: "C-0" })).toHaveLength(1)
})

it("a session of 2.1.1 must have exactly one EVSE and connector", () => {
  const location = samples("2.1.1")["Session"]["location"] as Json
  const evses = [...(location["evses"] as ReadonlyArray<Json>), ...(location["evses"] as ReadonlyArray<Json>)]
  expect(faults("2.1.1", "Session", { location: { ...location, evses } })).toHaveLength(1)
})

it("a PATCH must have last_updated from 2.2 on", () => {
  expect(versions.map((version) => schemasOf[version].patches.EVSE({ status: "CHARGING" }, "EVSE").length)).toEqual([
    0, 1, 1
  ])
})

it("charging profiles have tables in later versions only", () => {
  expect(schemaSince22("2.2", "ChargingProfileResponse")({ result: "ACCEPTED", timeout: 30 }, "answer")).toEqual([])
  expect(() => schemaSince22("2.1.1", "ClearProfileResult")).toThrow("2.1.1")
})
