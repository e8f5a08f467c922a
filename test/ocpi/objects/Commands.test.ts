/** Commands and charging profiles of each version, to and from the domain. What a version cannot express is named here. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { CommandOutcome } from "../../../src/domain/command/Outcome.ts"
import { callable } from "../../../src/ocpi/modules/Issuing.ts"
import { wireObjects } from "../../../src/ocpi/objects/WireObjects.ts"

const response_url = "https://emsp.example.com/ocpi/commands/1?secret=x"
const token211 = { uid: "U", type: "RFID", auth_id: "C-1", issuer: "I", valid: true, whitelist: "ALWAYS" }
const token22 = {
  ...token211,
  auth_id: undefined,
  contract_id: "C-1",
  country_code: "de",
  party_id: "abc",
  type: "APP_USER"
}

const read = (version: "2.1.1" | "2.2" | "2.2.1", name: string, body: unknown) => {
  const decode = wireObjects[version].commands.request(name)
  return decode === undefined
    ? "no such command"
    : Effect.runSync(Effect.orElseSucceed(decode(body), () => "unfit" as const))
}

describe("commands", () => {
  const start = {
    response_url,
    location_id: "L",
    evse_uid: "E",
    connector_id: "1",
    authorization_reference: "R",
    more: 1
  }

  it("start a session, with the fields of each version", () => {
    const token = { uid: "U", type: "RFID", contractId: "C-1" }
    const common = { _tag: "StartSession", responseUrl: response_url, locationId: "L", evseUid: "E" }
    expect(read("2.1.1", "START_SESSION", { ...start, token: token211 })).toEqual({
      ...common,
      token,
      connectorId: undefined,
      authorizationReference: undefined
    })
    const modern = { ...token, type: "APP_USER", countryCode: "DE", partyId: "ABC" }
    expect(read("2.2", "START_SESSION", { ...start, token: token22 })).toEqual({
      ...common,
      token: modern,
      connectorId: undefined,
      authorizationReference: "R"
    })
    expect(read("2.2.1", "START_SESSION", { ...start, token: token22 })).toEqual({
      ...common,
      token: modern,
      connectorId: "1",
      authorizationReference: "R"
    })
    // A connector is valid only together with an EVSE.
    expect(read("2.2.1", "START_SESSION", { ...start, evse_uid: null, token: token22 })).toBe("unfit")
    expect(read("2.2", "START_SESSION", { ...start, evse_uid: null, token: token22 })).toMatchObject({
      evseUid: undefined
    })
  })

  it("reserve by a number in 2.1.1 and by text later, and accept either", () => {
    const reserve = { response_url, location_id: "L", expiry_date: "2026-11-20T08:30:00", reservation_id: 7 }
    const expiresAt = Date.UTC(2026, 10, 20, 8, 30)
    expect(read("2.1.1", "RESERVE_NOW", { ...reserve, token: token211 })).toMatchObject({
      reservationId: "7",
      expiresAt
    })
    expect(read("2.2.1", "RESERVE_NOW", { ...reserve, token: token22 })).toMatchObject({
      reservationId: "7",
      expiresAt
    })
    expect(read("2.2", "RESERVE_NOW", { ...reserve, reservation_id: "R", token: token22 })).toMatchObject({
      reservationId: "R"
    })
    expect(read("2.2", "RESERVE_NOW", { ...reserve, expiry_date: "soon", token: token22 })).toBe("unfit")
  })

  it("do not exist in every version", () => {
    const cancel = { response_url, reservation_id: "R" }
    expect(read("2.1.1", "CANCEL_RESERVATION", cancel)).toBe("no such command")
    expect(read("2.2", "CANCEL_RESERVATION", cancel)).toMatchObject({ _tag: "CancelReservation", reservationId: "R" })
    expect(read("2.2.1", "SELF_DESTRUCT", cancel)).toBe("no such command")
  })

  it("are answered with a timeout and a message, which 2.1.1 lacks", () => {
    const response = { result: "REJECTED", timeoutSeconds: 90, message: "No EVSE is free." } as const
    expect(wireObjects["2.1.1"].commands.response(response)).toEqual({ result: "REJECTED" })
    for (const version of ["2.2", "2.2.1"] as const) {
      expect(wireObjects[version].commands.response(response)).toEqual({
        result: "REJECTED",
        timeout: 90,
        message: [{ language: "en", text: "No EVSE is free." }]
      })
    }
  })

  it("end in nine ways, of which 2.1.1 has four", () => {
    const outcomes: ReadonlyArray<readonly [CommandOutcome, string | undefined]> = [
      ["ACCEPTED", "ACCEPTED"],
      ["CANCELED_RESERVATION", undefined],
      ["EVSE_OCCUPIED", "REJECTED"],
      ["EVSE_INOPERATIVE", "REJECTED"],
      ["FAILED", "REJECTED"],
      ["NOT_SUPPORTED", "NOT_SUPPORTED"],
      ["REJECTED", "REJECTED"],
      ["TIMEOUT", "TIMEOUT"],
      ["UNKNOWN_RESERVATION", "REJECTED"]
    ]
    for (const [outcome, old] of outcomes) {
      expect(wireObjects["2.1.1"].commands.result(outcome)).toEqual(old && { result: old })
      expect(wireObjects["2.2"].commands.result(outcome)).toEqual({ result: outcome })
      expect(wireObjects["2.2.1"].commands.result(outcome)).toEqual({ result: outcome })
    }
  })
})

describe("charging profiles", () => {
  const profiles = wireObjects["2.2.1"].profiles
  const set = (charging_profile: object) =>
    profiles &&
    Effect.runSync(Effect.orElseSucceed(profiles.request({ response_url, charging_profile }), () => "unfit" as const))

  it("exist in 2.2 and 2.2.1 only", () => {
    expect(wireObjects["2.1.1"].profiles).toBeUndefined()
    expect(wireObjects["2.2"].profiles).toBe(profiles)
  })

  it("are read with limits rounded down to one decimal", () => {
    const periods = [16.25, 16.3, 16.09].map((limit, n) => ({ start_period: n, limit }))
    expect(set({ charging_rate_unit: "A", min_charging_rate: 6.06, charging_profile_period: periods })).toEqual({
      responseUrl: response_url,
      schedule: {
        chargingRateUnit: "A",
        minChargingRate: 6,
        periods: [16.2, 16.3, 16].map((limit, n) => ({ startPeriod: n, limit }))
      }
    })
    expect(set({ charging_rate_unit: "W", duration: null, charging_profile_period: null })).toEqual({
      responseUrl: response_url,
      schedule: { chargingRateUnit: "W", periods: [] }
    })
    expect(set({ charging_rate_unit: "kW" })).toBe("unfit")
  })

  it("that a charger reports without a schedule are ignored", () => {
    expect(profiles?.reported({ status: "Accepted" }, 0)).toBeUndefined()
    expect(profiles?.result("ACCEPTED", undefined)).toEqual({ result: "ACCEPTED" })
  })
})

/** Addresses in commands must not lead into private networks (T16). */
it("a response_url is refused if its address is not public", () => {
  const urls = [
    "http://emsp.example.com/x",
    "https://127.0.0.1/x",
    "https://127.1/x",
    "https://2130706433/x",
    "https://0x7f.1/x",
    "https://0177.0.0.1/x",
    "https://localhost/x",
    "https://LOCALHOST./x",
    "https://[::1]/x",
    "https://[::ffff:10.0.0.1]/x",
    "https://[fd00::1]/x",
    "https://[64:ff9b::a00:1]/x",
    "https://169.254.169.254/latest/meta-data",
    "https://metadata.google.internal/x",
    "https://10.0.0.1/x",
    "https://emsp.example.com:6379/x",
    "https://emsp.example.com:22/x",
    "https://user:password@emsp.example.com/x",
    "https://emsp.example.com\\@127.0.0.1/x",
    "ftp://emsp.example.com/x",
    "file:///etc/passwd",
    "gopher://emsp.example.com/_",
    `https://emsp.example.com/${"x".repeat(3000)}`
  ]
  const outcome = (url: string) =>
    Effect.runSync(
      Effect.match(callable(url, { allowPrivate: false }), {
        onFailure: ({ reason }) => reason._tag,
        onSuccess: () => "called"
      })
    )
  expect(urls.map((url) => [url, outcome(url)])).toEqual(urls.map((url) => [url, "Invalid"]))
  expect(outcome(response_url)).toBe("called")
})
