/**
 * Every method of every module that a CPO serves, in each version that has it, over real HTTP with a strict partner. Titles begin with the row of
 * the endpoint table that they cover (`docs/ocpi-coverage.md` is generated from them).
 */
import { describe, expect, it } from "vitest"
import { schemaSince22, type Version } from "./schemas/Schemas.ts"
import { Driver, makePlace, type Place } from "./partner/Place.ts"
import type { Partner } from "./partner/Partner.ts"
import { Roaming, versionsSince22 } from "./partner/Roaming.ts"
import { itInCommon, usualVersions } from "./partner/Usual.ts"
import { type Json, printed } from "./partner/Wire.ts"

const roaming = new Roaming()

const list = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? (value as ReadonlyArray<Json>) : [])

/** One EVSE of a place, as read by the partner. */
const evseOf = async (partner: Partner, place: Place): Promise<Json> =>
  list((await partner.read(place.siteId))["evses"])[0] ?? {}

interface Charging {
  readonly place: Place
  readonly driver: Driver
  readonly partner: Partner
  readonly token: Json
  readonly sessionId: string
}

let cards = 0

const aPlace = async (version: Version) => {
  const place = await makePlace(roaming.world)
  const { partner } = await roaming.registered(version)
  return { place, partner }
}

/** A session of the partner's own driver, started with a card at the charger. */
const charging = async (version: Version): Promise<Charging> => {
  const { partner, place } = await aPlace(version)
  const token = partner.cards.make(`CHARGE${(cards += 1)}`, { whitelist: "ALWAYS" })
  expect((await partner.putToken(token)).code).toBe(1000)
  const driver = new Driver(place)
  await driver.start(String(token["uid"]))
  const [session] = await partner.pull("sessions", "?date_from=2020-01-01T00:00:00Z")
  expect(session).toMatchObject({ status: "ACTIVE", currency: "EUR" })
  return { place, driver, partner, token, sessionId: String(session?.["id"]) }
}

describe.each(usualVersions)("OCPI %s", (version) => {
  const isSince22 = version !== "2.1.1"

  it("GET locations in pages and by date, and 400 for an invalid page", async () => {
    const { partner, place } = await aPlace(version)
    await makePlace(roaming.world)
    const all = await partner.pull("locations")
    expect(all.map(({ id }) => id)).toContain(place.siteId)
    expect(await partner.pull("locations", "?limit=1")).toEqual(all)
    expect(await partner.pull("locations", `?date_from=${printed(Date.now() + 3_600_000)}`)).toEqual([])
    // A time without a zone is UTC.
    expect(await partner.pull("locations", "?date_from=2020-01-01T00:00:00&limit=2")).toEqual(all)
    for (const query of ["?limit=0", "?offset=x", "?date_from=yesterday"]) {
      const refused = await partner.ask("GET", "locations", query)
      expect([refused.http, refused.code], query).toEqual([400, 2001])
    }
    expect(partner.problems).toEqual([])
  })

  it("GET locations/:locationId in any case and with any number of slashes, and 404 for unknown ids", async () => {
    const { partner, place } = await aPlace(version)
    const location = await partner.read(place.siteId)
    expect(location).toMatchObject({ id: place.siteId, city: "Groningen", country: "NLD" })
    const upper = place.siteId.toUpperCase()
    for (const path of [`/${upper}`, `/${place.siteId}/`, `//${place.siteId}`, `/${place.siteId}?unknown=1`]) {
      expect((await partner.ask("GET", "locations", path)).data, path).toEqual(location)
    }
    for (const id of ["nothing", "00000000-0000-4000-8000-000000000000", "%00", "a'b"]) {
      const unknown = await partner.ask("GET", "locations", `/${id}`)
      expect([unknown.http, unknown.code], id).toEqual([404, 2003])
    }
    expect(partner.problems).toEqual([])
  })

  it("GET locations/:locationId/:evseUid is the same as in the location", async () => {
    const { partner, place } = await aPlace(version)
    const evse = await evseOf(partner, place)
    expect(await partner.read(place.siteId, String(evse["uid"]))).toEqual(evse)
    const elsewhere = await makePlace(roaming.world)
    const wrong = await partner.ask("GET", "locations", `/${elsewhere.siteId}/${String(evse["uid"])}`)
    expect([wrong.http, wrong.code]).toEqual([404, 2003])
    expect(partner.problems).toEqual([])
  })

  it("GET locations/:locationId/:evseUid/:connectorId is the same as in the EVSE", async () => {
    const { partner, place } = await aPlace(version)
    const evse = await evseOf(partner, place)
    const [connector] = list(evse["connectors"])
    const path = [place.siteId, String(evse["uid"]), String(connector?.["id"])]
    expect(await partner.read(...path)).toEqual(connector)
    expect((await partner.ask("GET", "locations", `/${path[0]}/${path[1]}/99`)).http).toBe(404)
    expect(partner.problems).toEqual([])
  })

  it("GET sessions of the partner's own drivers only", async () => {
    const { driver, partner, sessionId } = await charging(version)
    const other = (await roaming.registered(version)).partner
    expect(await other.pull("sessions", "?date_from=2020-01-01T00:00:00Z")).toEqual([])
    await driver.meter(1250)
    const [session] = await partner.pull("sessions", "?date_from=2020-01-01T00:00:00Z")
    expect(session).toMatchObject({ id: sessionId, kwh: 0.25, auth_method: "WHITELIST" })
    await driver.stop()
    const [ended] = await partner.pull("sessions", "?date_from=2020-01-01T00:00:00Z")
    expect(ended).toMatchObject({ id: sessionId, kwh: 0.4, status: "COMPLETED" })
    expect([...partner.problems, ...other.problems]).toEqual([])
  })

  it("GET cdrs of the partner's own drivers only", async () => {
    const { driver, partner, place } = await charging(version)
    expect(await partner.pull("cdrs")).toEqual([])
    await driver.meter(1250)
    await driver.stop()
    await expect.poll(() => partner.pull("cdrs"), { timeout: 20_000 }).toHaveLength(1)
    const [cdr] = await partner.pull("cdrs")
    expect(cdr).toMatchObject({ total_energy: 0.4, currency: "EUR", auth_method: "WHITELIST" })
    expect(cdr?.["total_cost"]).toEqual(isSince22 ? { excl_vat: 0.2, incl_vat: 0.24 } : 0.2)
    expect(JSON.stringify(cdr)).not.toContain(place.chargerId)
    const other = (await roaming.registered(version)).partner
    expect(await other.pull("cdrs")).toEqual([])
    expect([...partner.problems, ...other.problems]).toEqual([])
  })

  it("GET tariffs that a connector names", async () => {
    const { partner, place } = await aPlace(version)
    const [connector] = list((await evseOf(partner, place))["connectors"])
    const named = isSince22 ? connector?.["tariff_ids"] : [connector?.["tariff_id"]]
    expect(named).toEqual([place.tariffId])
    const tariffs = await partner.pull("tariffs", "?limit=1")
    expect(tariffs.map(({ id }) => id)).toContain(place.tariffId)
    expect(partner.problems).toEqual([])
  })

  it("PUT tokens/:countryCode/:partyId/:tokenUid creates and replaces a token", async () => {
    const { partner } = await aPlace(version)
    const token = partner.cards.make(`PUT${(cards += 1)}`, { visual_number: "DF000-1" })
    expect((await partner.putToken(token)).http).toBe(isSince22 ? 200 : 201)
    expect((await partner.putToken({ ...token, valid: false })).http).toBe(200)
    expect((await partner.ask("GET", "tokens", partner.tokenPath(token))).data).toEqual({ ...token, valid: false })
    // Fields of later versions and unknown fields do no harm.
    const more = { ...token, last_updated: String(token["last_updated"]).replace("Z", ""), future_field: { a: [1] } }
    expect((await partner.ask("PUT", "tokens", partner.tokenPath(token), more)).code).toBe(1000)
    const lower = partner.tokenPath(token).toLowerCase().replace("type=rfid", "type=RFID")
    expect((await partner.ask("PUT", "tokens", lower, token)).http).toBe(200)
    expect((await partner.ask("PUT", "tokens", partner.tokenPath(token), undefined, { raw: "{" })).http).toBe(400)
    const elsewhere = `/FR/XYZ/${String(token["uid"])}`
    const foreign = await partner.ask("PUT", "tokens", elsewhere, token)
    expect([foreign.http, foreign.code]).not.toEqual([200, 1000])
    expect(partner.problems).toEqual([])
  })

  it("GET tokens/:countryCode/:partyId/:tokenUid answers it as it was put", async () => {
    const { partner } = await aPlace(version)
    const token = partner.cards.make(`GET${(cards += 1)}`, { language: "nl" })
    await partner.putToken(token)
    expect((await partner.ask("GET", "tokens", partner.tokenPath(token))).data).toEqual(token)
    const unknown = await partner.ask("GET", "tokens", partner.tokenPath({ ...token, uid: "UNKNOWN" }))
    expect([unknown.http, unknown.code]).toEqual([404, isSince22 ? 2004 : 2001])
    expect(partner.problems).toEqual([])
  })

  it("PATCH tokens/:countryCode/:partyId/:tokenUid changes some fields", async () => {
    const { partner } = await aPlace(version)
    const token = partner.cards.make(`PATCH${(cards += 1)}`)
    const last_updated = printed(Date.now() + 1000)
    await partner.putToken(token)
    expect((await partner.patchToken(token, { valid: false, last_updated })).code).toBe(1000)
    expect((await partner.ask("GET", "tokens", partner.tokenPath(token))).data).toEqual({
      ...token,
      valid: false,
      last_updated
    })
    // From 2.2 on, a PATCH must have last_updated.
    expect((await partner.patchToken(token, { valid: true })).code).toBe(isSince22 ? 2001 : 1000)
    const unknown = await partner.patchToken({ ...token, uid: "UNKNOWN" }, { valid: false, last_updated })
    expect(unknown.http).toBe(404)
    expect(partner.problems).toEqual([])
  })

  it("POST commands/:command of every kind, each followed by its result", async () => {
    const { partner, place } = await aPlace(version)
    const driver = new Driver(place)
    const token = partner.cards.make(`COMMAND${(cards += 1)}`)
    const [evse, other] = list((await partner.read(place.siteId))["evses"])
    const at = { location_id: place.siteId, evse_uid: evse?.["uid"] }
    const result = async (name: string, body: Json): Promise<unknown> => {
      const { answer, id } = await partner.command(name, body)
      expect(answer["result"], name).toBe("ACCEPTED")
      return (await partner.result(id))["result"]
    }
    const [connector] = list(other?.["connectors"])
    expect(
      await result("UNLOCK_CONNECTOR", {
        location_id: place.siteId,
        evse_uid: other?.["uid"],
        connector_id: connector?.["id"]
      })
    ).toBe("ACCEPTED")
    const reservation_id = isSince22 ? "our-reservation-1" : 4711
    const expiry_date = printed(Date.now() + 600_000)
    expect(await result("RESERVE_NOW", { token, ...at, reservation_id, expiry_date })).toBe("ACCEPTED")
    // 2.1.1 has no CANCEL_RESERVATION.
    const cancelled = isSince22 ? await result("CANCEL_RESERVATION", { reservation_id }) : "ACCEPTED"
    expect(cancelled).toBe("ACCEPTED")
    // If the first EVSE is still reserved, the driver starts at the other one.
    const where = isSince22 ? at : { location_id: place.siteId, evse_uid: other?.["uid"] }
    expect(await result("START_SESSION", { token, ...where })).toBe("ACCEPTED")
    await partner.eventually("it has started", () => driver.transactionId !== undefined)
    const sessions = await partner.pull("sessions", "?date_from=2020-01-01T00:00:00Z")
    const session = sessions.find(({ status }) => status === "ACTIVE")
    expect(await result("STOP_SESSION", { session_id: session?.["id"] })).toBe("ACCEPTED")
    expect(partner.problems).toEqual([])
  })

  it("out POST commands/:responseUrl without an envelope, once, and only for an accepted command", async () => {
    const { partner, place } = await aPlace(version)
    place.station.on("UnlockConnector", { status: "UnlockFailed" })
    const [evse] = list((await partner.read(place.siteId))["evses"])
    const [connector] = list(evse?.["connectors"])
    const where = { location_id: place.siteId, evse_uid: evse?.["uid"], connector_id: connector?.["id"] }
    const unlock = await partner.command("UNLOCK_CONNECTOR", where)
    const refused = await partner.command("STOP_SESSION", { session_id: "nothing" })
    expect([unlock.answer["result"], refused.answer["result"]]).toEqual(["ACCEPTED", "UNKNOWN_SESSION"])
    expect((await partner.result(unlock.id))["result"]).toBe(isSince22 ? "FAILED" : "REJECTED")
    const posted = partner.server.heard.filter(({ module }) => module === "commands")
    expect(posted.map(({ path }) => path)).toEqual([["UNLOCK_CONNECTOR", unlock.id]])
    expect(partner.problems).toEqual([])
  })

  it("POST commands/:command is refused for unknown locations, sessions and commands", async () => {
    const { partner, place } = await aPlace(version)
    const token = partner.cards.make(`NOT${(cards += 1)}`)
    const refused = async (name: string, body: Json) => {
      const { url } = partner.expectResult("commands", name)
      const answer = await partner.ask("POST", "commands", `/${name}`, { response_url: url, ...body })
      expect(answer.http, name).toBeLessThan(500)
      return [answer.code, (answer.data as Json | undefined)?.["result"]]
    }
    expect(await refused("START_SESSION", { token, location_id: "nowhere" })).not.toEqual([1000, "ACCEPTED"])
    expect(await refused("STOP_SESSION", { session_id: "nothing" })).toEqual([1000, "UNKNOWN_SESSION"])
    expect(await refused("MAKE_COFFEE", {})).not.toEqual([1000, "ACCEPTED"])
    expect(await refused("START_SESSION", { location_id: place.siteId })).not.toEqual([1000, "ACCEPTED"])
    expect(place.station.asked("RemoteStartTransaction")).toEqual([])
    expect(partner.problems).toEqual([])
  })
})

describe.each(versionsSince22)("OCPI %s", (version) => {
  const common = itInCommon(version)

  common(
    "PUT sessions/:sessionId/charging_preferences is answered by a single string if the charger can be steered",
    async () => {
      const { partner, place, sessionId } = await charging(version)
      const path = `/${sessionId}/charging_preferences`
      const wish = (profile_type: string) => partner.ask("PUT", "sessions", path, { profile_type })
      const incapable = await wish("REGULAR")
      expect([incapable.http, incapable.code]).toEqual([404, 2001])
      const value = "Core,SmartCharging"
      place.station.on("GetConfiguration", {
        configurationKey: [{ key: "SupportedFeatureProfiles", readonly: true, value }]
      })
      expect((await roaming.world.command(place.chargerId, "GetConfiguration")).status).toBe("Accepted")
      await expect.poll(async () => (await wish("REGULAR")).data, { timeout: 10_000 }).toBe("ACCEPTED")
      const faster = (await wish("FAST")).data
      expect(faster).toBe("PROFILE_TYPE_NOT_SUPPORTED")
      expect(schemaSince22(version, "ChargingPreferencesResponse")(faster, "data")).toEqual([])
      const unknown = await partner.ask("PUT", "sessions", "/nothing/charging_preferences", { profile_type: "FAST" })
      expect(unknown.http).toBe(404)
      expect(partner.problems).toEqual([])
    }
  )

  common("out POST chargingprofiles/:responseUrl sends the result once", async () => {
    const { partner, place, sessionId } = await charging(version)
    place.station.on("SetChargingProfile", { status: "Rejected" })
    const charging_profile = { charging_rate_unit: "A", charging_profile_period: [{ start_period: 0, limit: 6 }] }
    const { answer, id } = await partner.profile("PUT", sessionId, { charging_profile })
    expect(answer["result"]).toBe("ACCEPTED")
    expect(await partner.result(id)).toEqual({ result: "REJECTED" })
    expect(partner.results.get(id)).toHaveLength(1)
    expect(partner.problems).toEqual([])
  })

  common("PUT chargingprofiles/:sessionId, followed by the charger's own answer", async () => {
    const { partner, place, sessionId } = await charging(version)
    const charging_profile = { charging_rate_unit: "A", charging_profile_period: [{ start_period: 0, limit: 10.5 }] }
    const { answer, id } = await partner.profile("PUT", sessionId, { charging_profile })
    expect(answer["result"]).toBe("ACCEPTED")
    expect(await partner.result(id)).toEqual({ result: "ACCEPTED" })
    expect(JSON.stringify(place.station.asked("SetChargingProfile"))).toContain('"limit":10.5')
    const unknown = await partner.profile("PUT", "nothing", { charging_profile })
    expect(unknown.answer["result"]).toBe("UNKNOWN_SESSION")
    expect(partner.problems).toEqual([])
  })

  common("GET chargingprofiles/:sessionId, followed by the profile in force", async () => {
    const { partner, sessionId } = await charging(version)
    const { answer, id } = await partner.profile("GET", sessionId)
    expect(answer["result"]).toBe("ACCEPTED")
    expect(await partner.result(id)).toMatchObject({ result: "ACCEPTED", profile: { charging_profile: {} } })
    expect(partner.problems).toEqual([])
  })

  common("DELETE chargingprofiles/:sessionId", async () => {
    const { partner, place, sessionId } = await charging(version)
    const charging_profile = { charging_rate_unit: "W", charging_profile_period: [{ start_period: 0, limit: 3600 }] }
    const set = await partner.profile("PUT", sessionId, { charging_profile })
    expect(await partner.result(set.id)).toEqual({ result: "ACCEPTED" })
    const { answer, id } = await partner.profile("DELETE", sessionId)
    expect(answer["result"]).toBe("ACCEPTED")
    expect(await partner.result(id)).toEqual({ result: "ACCEPTED" })
    expect(place.station.asked("ClearChargingProfile")).toHaveLength(1)
    const without = await partner.ask("DELETE", "chargingprofiles", `/${sessionId}`)
    expect([without.http, without.code]).toEqual([200, 2001])
    expect(partner.problems).toEqual([])
  })

  common("out PUT chargingprofiles/:sessionId after others have changed what is in force", async () => {
    const { partner, place, sessionId } = await charging(version)
    const charging_profile = { charging_rate_unit: "A", charging_profile_period: [{ start_period: 0, limit: 16 }] }
    const { id } = await partner.profile("PUT", sessionId, { charging_profile })
    expect(await partner.result(id)).toEqual({ result: "ACCEPTED" })
    expect(partner.activeProfiles.size).toBe(0)
    const command = await roaming.world.command(place.chargerId, "SetChargingProfile", {
      connectorId: 0,
      chargingProfile: {
        chargingProfileId: 77,
        stackLevel: 0,
        chargingProfilePurpose: "ChargePointMaxProfile",
        chargingProfileKind: "Absolute",
        chargingSchedule: { chargingRateUnit: "A", chargingSchedulePeriod: [{ startPeriod: 0, limit: 10 }] }
      }
    })
    expect(command.status).toBe("Accepted")
    await partner.eventually("the active profile", () => partner.activeProfiles.has(sessionId))
    expect(partner.activeProfiles.get(sessionId)).toMatchObject({
      charging_profile: { charging_profile_period: [{ start_period: 0, limit: 10 }] }
    })
    expect(partner.problems).toEqual([])
  })

  it("PUT hubclientinfo/:countryCode/:partyId", async () => {
    const { partner } = await aPlace(version)
    const { country_code, party_id } = partner.party
    const info = { country_code, party_id, role: "EMSP", status: "CONNECTED", last_updated: printed(Date.now()) }
    const answer = await partner.ask("PUT", "hubclientinfo", `/${country_code}/${party_id}`, info)
    expect(answer.code).toBe(1000)
    expect(partner.problems).toEqual([])
  })

  it("GET hubclientinfo/:countryCode/:partyId answers it as it was put", async () => {
    const { partner } = await aPlace(version)
    const { country_code, party_id } = partner.party
    const info = { country_code, party_id, role: "EMSP", status: "OFFLINE", last_updated: printed(Date.now()) }
    await partner.ask("PUT", "hubclientinfo", `/${country_code}/${party_id}`, info)
    expect((await partner.ask("GET", "hubclientinfo", `/${country_code}/${party_id}`)).data).toEqual(info)
    expect((await partner.ask("GET", "hubclientinfo", "/FR/XYZ")).http).toBe(404)
    expect(partner.problems).toEqual([])
  })
})
