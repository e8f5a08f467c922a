/** Charging profiles of partners over real HTTP, to a real charger socket: set, read and cleared for one of their own sessions. */
import { describe, expect, it } from "vitest"
import type { Partner } from "../partner/Partner.ts"
import { Roaming } from "../partner/Roaming.ts"
import { itInCommon } from "../partner/Usual.ts"
import type { Json } from "../partner/Wire.ts"
import { Drive, problemsOf, type Spot } from "./Drive.ts"

const roaming = new Roaming()
const drive = new Drive(roaming)

const profile = (more: Json = {}): Json => ({
  charging_profile: {
    charging_rate_unit: "A",
    min_charging_rate: 6,
    duration: 3600,
    charging_profile_period: [
      { start_period: 0, limit: 16 },
      { start_period: 900, limit: 8.5 }
    ],
    ...more
  }
})

const accepted = { result: "ACCEPTED", timeout: 90 }

/** A charger with a running session of the partner's driver. */
const charging = async (
  partner: Partner
): Promise<Spot & { readonly sessionId: string; readonly transactionId: number }> => {
  const spot = await drive.spot(partner)
  const { id: sessionId, transactionId } = await drive.session(partner, spot)
  return { ...spot, sessionId, transactionId }
}

describe.each(["2.2", "2.2.1"] as const)("charging profiles on OCPI %s", (version) => {
  const common = itInCommon(version)
  it("are set for the session's transaction, read and cleared", async () => {
    const { partner } = await roaming.registered(version)
    const { sessionId, station, transactionId } = await charging(partner)
    station.on("SetChargingProfile", { status: "Accepted" }).on("ClearChargingProfile", { status: "Accepted" })
    const set = await partner.profile("PUT", sessionId, profile())
    expect(set.answer).toEqual(accepted)
    expect(await partner.result(set.id)).toEqual({ result: "ACCEPTED" })
    const [asked] = station.asked("SetChargingProfile")
    const sent = asked?.["csChargingProfiles"] as Json
    expect(asked).toEqual({
      connectorId: 1,
      csChargingProfiles: {
        chargingProfileId: sent["chargingProfileId"],
        transactionId,
        stackLevel: 0,
        chargingProfilePurpose: "TxProfile",
        chargingProfileKind: "Relative",
        chargingSchedule: {
          duration: 3600,
          chargingRateUnit: "A",
          minChargingRate: 6,
          chargingSchedulePeriod: [
            { startPeriod: 0, limit: 16 },
            { startPeriod: 900, limit: 8.5 }
          ]
        }
      }
    })
    // Setting it again replaces the same profile at the charger. With a start time it is an absolute one.
    const again = await partner.profile("PUT", sessionId, profile({ start_date_time: "2026-11-20T08:30:00Z" }))
    expect(await partner.result(again.id)).toEqual({ result: "ACCEPTED" })
    expect(station.asked("SetChargingProfile")[1]?.["csChargingProfiles"]).toMatchObject({
      chargingProfileId: sent["chargingProfileId"],
      chargingProfileKind: "Absolute",
      chargingSchedule: { startSchedule: "2026-11-20T08:30:00.000Z" }
    })

    station.on("GetCompositeSchedule", {
      status: "Accepted",
      connectorId: 1,
      scheduleStart: "2026-11-20T09:00:00Z",
      chargingSchedule: {
        duration: 900,
        chargingRateUnit: "A",
        chargingSchedulePeriod: [{ startPeriod: 0, limit: 16 }]
      }
    })
    const read = await partner.profile("GET", sessionId)
    expect(read.answer).toEqual(accepted)
    expect(await partner.result(read.id)).toEqual({
      result: "ACCEPTED",
      profile: {
        start_date_time: "2026-11-20T09:00:00Z",
        charging_profile: {
          start_date_time: "2026-11-20T09:00:00Z",
          duration: 900,
          charging_rate_unit: "A",
          charging_profile_period: [{ start_period: 0, limit: 16 }]
        }
      }
    })
    expect(station.asked("GetCompositeSchedule")).toEqual([{ connectorId: 1, duration: 900 }])

    const clear = await partner.profile("DELETE", sessionId)
    expect(clear.answer).toEqual(accepted)
    expect(await partner.result(clear.id)).toEqual({ result: "ACCEPTED" })
    expect(station.asked("ClearChargingProfile")).toEqual([{ id: sent["chargingProfileId"] }])
    expect(problemsOf(partner)).toEqual([])
  })

  common("report when the charger refuses, does not support or cannot be reached", async () => {
    const { partner } = await roaming.registered(version)
    const { sessionId, station } = await charging(partner)
    const resultOf = async (method: "PUT" | "GET" | "DELETE") => {
      const { answer, id } = await partner.profile(method, sessionId, method === "PUT" ? profile() : undefined)
      expect(answer).toEqual(accepted)
      return partner.result(id)
    }
    expect(await resultOf("PUT")).toEqual({ result: "REJECTED" })
    station.on("SetChargingProfile", { status: "NotSupported" })
    expect(await resultOf("PUT")).toEqual({ result: "REJECTED" })
    station.on("GetCompositeSchedule", { status: "Rejected" })
    expect(await resultOf("GET")).toEqual({ result: "REJECTED" })
    station.on("GetCompositeSchedule", { status: "Accepted" })
    expect(await resultOf("GET"), "there is no schedule in that").toEqual({ result: "UNKNOWN" })
    // No profile was ever accepted: the charger is asked to clear one that it does not have.
    station.on("ClearChargingProfile", { status: "Unknown" })
    expect(await resultOf("DELETE")).toEqual({ result: "UNKNOWN" })
    await station.close()
    expect((await partner.profile("PUT", sessionId, profile())).answer).toEqual({ result: "REJECTED", timeout: 90 })
    expect(problemsOf(partner)).toEqual([])
  })

  common("cannot be used for sessions of others, for unknown sessions or for those that have ended", async () => {
    const { partner } = await roaming.registered(version)
    const other = await roaming.registered(version)
    const { sessionId, station, transactionId } = await charging(partner)
    for (const id of [sessionId, "nothing", "01890000-0000-7000-8000-000000000000"]) {
      for (const method of ["PUT", "GET", "DELETE"] as const) {
        const { answer } = await other.partner.profile(method, id, method === "PUT" ? profile() : undefined)
        expect(answer, `${method} ${id}`).toEqual({ result: "UNKNOWN_SESSION", timeout: 90 })
      }
    }
    await station.stop(transactionId)
    expect((await partner.profile("PUT", sessionId, profile())).answer).toEqual({ result: "REJECTED", timeout: 90 })
    expect(station.asked("SetChargingProfile")).toEqual([])
    expect(problemsOf(partner, other.partner)).toEqual([])
  })

  common("are refused with 2001 if invalid", async () => {
    const { partner } = await roaming.registered(version)
    const { sessionId, station } = await charging(partner)
    const path = `/${sessionId}`
    const response_url = `${partner.url("chargingprofiles")}/set/x`
    const query = `?response_url=${encodeURIComponent(response_url)}`
    const bad = { http: 200, code: 2001 }
    for (const body of [
      {},
      profile(),
      { ...profile(), response_url: "gopher://127.0.0.1/" },
      { ...profile({ charging_profile_period: [] }), response_url },
      { ...profile({ charging_rate_unit: "kW" }), response_url },
      { ...profile({ charging_profile_period: [{ start_period: 60, limit: 8 }] }), response_url }
    ]) {
      expect(await partner.ask("PUT", "chargingprofiles", path, body), JSON.stringify(body)).toMatchObject(bad)
    }
    expect(await partner.ask("DELETE", "chargingprofiles", path)).toMatchObject(bad)
    expect(await partner.ask("GET", "chargingprofiles", `${path}${query}`)).toMatchObject(bad)
    expect(await partner.ask("GET", "chargingprofiles", `${path}${query}&duration=0`)).toMatchObject(bad)
    // A value that is not a number makes the query unreadable.
    const unread = await partner.ask("GET", "chargingprofiles", `${path}${query}&duration=soon`)
    expect(unread).toMatchObject({ http: 400, code: 2001 })
    expect(await partner.ask("GET", "chargingprofiles", `${path}?duration=60`)).toMatchObject(bad)
    expect(station.asked("SetChargingProfile")).toEqual([])
  })

  common("are refused as TOO_OFTEN after ten in a short time", async () => {
    const { partner } = await roaming.registered(version)
    const { sessionId, station } = await charging(partner)
    station.on("SetChargingProfile", { status: "Accepted" })
    const results: Array<unknown> = []
    for (let i = 0; i < 11; i++) {
      const { answer, id } = await partner.profile("PUT", sessionId, profile())
      results.push(answer["result"])
      if (answer["result"] === "ACCEPTED") await partner.result(id)
    }
    expect(results).toEqual([...Array.from({ length: 10 }, () => "ACCEPTED"), "TOO_OFTEN"])
    expect(station.asked("SetChargingProfile")).toHaveLength(10)
    expect(problemsOf(partner)).toEqual([])
  })
})

describe("the active charging profile", () => {
  it("is sent to a partner that has set one, when another profile changes what the session may draw", async () => {
    const { partner } = await roaming.registered("2.2.1")
    const { chargerId, sessionId, station, transactionId } = await charging(partner)
    station.on("SetChargingProfile", { status: "Accepted" }).on("ClearChargingProfile", { status: "Accepted" })
    const cap = (limit: number) =>
      roaming.world.command(chargerId, "SetChargingProfile", {
        connectorId: 0,
        chargingProfile: {
          chargingProfileId: 77,
          stackLevel: 0,
          chargingProfilePurpose: "ChargePointMaxProfile",
          chargingProfileKind: "Absolute",
          chargingSchedule: { chargingRateUnit: "A", chargingSchedulePeriod: [{ startPeriod: 0, limit }] }
        }
      })
    const limits = () => {
      const body = partner.activeProfiles.get(sessionId)?.["charging_profile"] as Json | undefined
      return (body?.["charging_profile_period"] as ReadonlyArray<Json> | undefined)?.map((period) => period["limit"])
    }
    // Before the partner has set a profile, it is not sent any.
    expect(await cap(20)).toMatchObject({ status: "Accepted" })
    const set = await partner.profile(
      "PUT",
      sessionId,
      profile({ charging_profile_period: [{ start_period: 0, limit: 16 }] })
    )
    expect(await partner.result(set.id)).toEqual({ result: "ACCEPTED" })
    expect(limits()).toBeUndefined()
    expect(await cap(10)).toMatchObject({ status: "Accepted" })
    await partner.eventually("the lower limit", () => limits()?.[0] === 10)
    await roaming.world.command(chargerId, "ClearChargingProfile", { id: 77 })
    await partner.eventually("the limit of its own", () => limits()?.[0] === 16)
    // Nothing more is sent after the session's end.
    await station.stop(transactionId)
    const heard = () =>
      partner.server.heard.filter(({ method, module }) => method === "PUT" && module === "chargingprofiles")
    expect(heard()).toHaveLength(2)
    expect(await cap(6)).toMatchObject({ status: "Accepted" })
    expect(heard()).toHaveLength(2)
    expect(problemsOf(partner)).toEqual([])
  })
})

describe("charging profiles on OCPI 2.1.1", () => {
  it("do not exist", async () => {
    const { partner } = await roaming.registered("2.1.1")
    expect(partner.endpoint("chargingprofiles")).toBeUndefined()
  })
})
