/**
 * The whole story of a partner's driver, over real HTTP and with a real OCPP client: token pushed, location found, session started, followed,
 * steered, stopped and billed, tokens rotated, partner unregistered. In each version, with a partner implemented from the standard alone.
 */
import { describe, expect, it } from "vitest"
import { Driver, makePlace, type Place } from "./partner/Place.ts"
import type { Partner } from "./partner/Partner.ts"
import { allVersions, Roaming } from "./partner/Roaming.ts"
import { field, type Json } from "./partner/Wire.ts"

const roaming = new Roaming()

const list = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? (value as ReadonlyArray<Json>) : [])

/** The location of a place, which the partner has by push and finds by pull. */
const locationOf = async (partner: Partner, place: Place): Promise<Json> => {
  const pushed = () => [...partner.stores.locations.values()].find(({ id }) => id === place.siteId)
  await partner.eventually("the location is pushed", () => pushed() !== undefined)
  const pulled = (await partner.pull("locations")).find(({ id }) => id === place.siteId)
  expect(pulled?.["evses"]).toHaveLength(2)
  return pulled ?? {}
}

/** Starts a session by a command on one EVSE. Answers its id. */
const started = async (partner: Partner, place: Place, token: Json, location: Json): Promise<string> => {
  const evse = list(location["evses"])[0] ?? {}
  const { answer, id } = await partner.command("START_SESSION", {
    token,
    location_id: location["id"],
    evse_uid: evse["uid"]
  })
  expect(answer["result"]).toBe("ACCEPTED")
  expect((await partner.result(id))["result"]).toBe("ACCEPTED")
  const session = () => [...partner.stores.sessions.values()].find(({ status }) => status === "ACTIVE")
  await partner.eventually("the session is pushed", () => session() !== undefined)
  expect(place.station.asked("RemoteStartTransaction")).toHaveLength(1)
  return String(session()?.["id"])
}

const energyOf = (partner: Partner, sessionId: string): unknown =>
  [...partner.stores.sessions.values()].find(({ id }) => id === sessionId)?.["kwh"]

/** Sets, reads and clears a charging profile. */
const steered = async (partner: Partner, place: Place, sessionId: string): Promise<void> => {
  const charging_profile = {
    charging_rate_unit: "A",
    charging_profile_period: [{ start_period: 0, limit: 10 }]
  }
  const set = await partner.profile("PUT", sessionId, { charging_profile })
  expect(set.answer["result"]).toBe("ACCEPTED")
  expect(await partner.result(set.id)).toEqual({ result: "ACCEPTED" })
  expect(place.station.asked("SetChargingProfile")).toHaveLength(1)
  const active = await partner.profile("GET", sessionId)
  const read = await partner.result(active.id)
  expect(read["result"]).toBe("ACCEPTED")
  expect(field(field(read["profile"], "charging_profile"), "charging_profile_period")).toEqual([
    { start_period: 0, limit: 10 }
  ])
  const clear = await partner.profile("DELETE", sessionId)
  expect(await partner.result(clear.id)).toEqual({ result: "ACCEPTED" })
  expect(place.station.asked("ClearChargingProfile")).toHaveLength(1)
}

describe.each(allVersions)("a driver of a partner on OCPI %s", (version) => {
  it("finds a location, charges there, and is billed", { timeout: 120_000 }, async () => {
    const place = await makePlace(roaming.world)
    const driver = new Driver(place)
    const { id: partnerId, partner } = await roaming.registered(version)

    const token = partner.cards.make(`CARD${version.replaceAll(".", "")}`)
    expect((await partner.putToken(token)).code).toBe(1000)
    const location = await locationOf(partner, place)

    const sessionId = await started(partner, place, token, location)
    const evseUid = list(location["evses"])[0]?.["uid"]
    const charging = () =>
      list([...partner.stores.locations.values()].find(({ id }) => id === place.siteId)?.["evses"]).find(
        ({ uid }) => uid === evseUid
      )?.["status"]
    await partner.eventually("the EVSE is charging", () => charging() === "CHARGING")
    await driver.meter(1200)
    await partner.eventually("the session grows", () => energyOf(partner, sessionId) === 0.2)
    if (version !== "2.1.1") await steered(partner, place, sessionId)

    const stop = await partner.command("STOP_SESSION", { session_id: sessionId })
    expect(stop.answer["result"]).toBe("ACCEPTED")
    expect((await partner.result(stop.id))["result"]).toBe("ACCEPTED")
    await partner.eventually("the CDR is sent", () => partner.stores.cdrs.size === 1)
    const [cdr = {}] = [...partner.stores.cdrs.values()]
    expect(cdr).toMatchObject({ total_energy: 0.4, currency: "EUR" })
    expect(cdr["total_cost"]).toEqual(version === "2.1.1" ? 0.2 : { excl_vat: 0.2, incl_vat: 0.24 })
    expect(await partner.pull("cdrs")).toEqual([cdr])
    const [session = {}] = await partner.pull("sessions", "?date_from=2020-01-01T00:00:00Z")
    expect(session).toMatchObject({ id: sessionId, status: "COMPLETED", kwh: 0.4 })
    await partner.eventually(
      "the session's end is pushed",
      () => [...partner.stores.sessions.values()].find(({ id }) => id === sessionId)?.["status"] === "COMPLETED"
    )

    expect((await partner.rotate()).code).toBe(1000)
    expect(await partner.pull("cdrs")).toHaveLength(1)
    expect((await partner.unregister()).http).toBe(200)
    expect(await roaming.shown(partnerId)).toMatchObject({ status: "Unregistered" })

    expect(partner.problems).toEqual([])
    // The charger's OCPP identity is half of its credentials (T05).
    expect(partner.everything.filter((text) => text.includes(place.chargerId))).toEqual([])
  })
})
