/**
 * What a hub can do for the eMSPs behind it, over real HTTP and at a real charger: each has the rights of a partner once the hub has announced it. A
 * partner that is not a hub can speak only for itself.
 */
import { describe, expect, it } from "vitest"
import { until } from "../simulation/Wait.ts"
import { Drive, problemsOf, type Spot } from "./modules/Drive.ts"
import type { Partner } from "./partner/Partner.ts"
import { Roaming, versionsSince22 } from "./partner/Roaming.ts"
import type { Json } from "./partner/Wire.ts"

const roaming = new Roaming()
const drive = new Drive(roaming)
const { world } = roaming

/** An eMSP that the hub announces, and one that it does not. */
const behind = { country_code: "FR", party_id: "BHD" }
const stranger = { country_code: "FR", party_id: "XXX" }

const infoOf = (party: Json, status = "CONNECTED"): Json => ({
  ...party,
  role: "EMSP",
  status,
  last_updated: "2026-05-20T10:00:00Z"
})

/** A hub that has announced a party behind it. */
const aHub = async (status?: string) => {
  const { partner: hub } = await roaming.registered("2.2.1", {}, { roles: ["HUB"] })
  expect((await hub.ask("PUT", "hubclientinfo", "/FR/BHD", infoOf(behind, status))).code).toBe(1000)
  return hub
}

/** Everything a partner could do to take over another's drivers: announce the party; write, change and read its token; start a session with it. */
const grabbed = async (hub: Partner, spot: Spot, party: Json, uid: string) => {
  const at = `/${String(party["country_code"])}/${String(party["party_id"])}`
  const token = { ...hub.cards.make(uid, { whitelist: "ALWAYS" }), ...party }
  const info = { ...party, role: "EMSP", status: "CONNECTED", last_updated: "2026-05-20T10:00:00Z" }
  const announced = await hub.ask("PUT", "hubclientinfo", at, info)
  const { answer: started } = await passedOn(hub, party, "START_SESSION", { ...starting(hub, spot, party), token })
  const answers = [
    await hub.ask("PUT", "tokens", `${at}/${uid}`, token),
    await hub.ask("PATCH", "tokens", `${at}/${uid}`, { valid: false, last_updated: "2026-11-21T10:00:00Z" }),
    await hub.ask("GET", "tokens", `${at}/${uid}`)
  ]
  return { announced: announced.code, started: [started.http, started.code], tokens: answers.map(({ http }) => http) }
}

const nothing = { announced: 1000, started: [200, 2001], tokens: [404, 404, 404] }

/** A request of a party behind the partner, as the partner forwards it. */
const passedOn = async (partner: Partner, from: Json, name: string, body: Json) => {
  const { id, url } = partner.expectResult("commands", name)
  const answer = await partner.client.ask("POST", `${partner.endpoint("commands")}/${name}`, {
    token: partner.theirToken ?? "",
    body: { response_url: url, ...body },
    from,
    to: partner.cpo
  })
  return { answer, id }
}

const starting = (partner: Partner, spot: Spot, party: Json): Json => ({
  token: { ...partner.cards.make("BEHIND1"), ...party },
  location_id: spot.locationId,
  evse_uid: spot.evse(1)
})

const reserving = (partner: Partner, spot: Spot, party: Json): Json => ({
  ...starting(partner, spot, party),
  expiry_date: partner.time(Date.now() + 3_600_000),
  reservation_id: "R-1"
})

/** The party to which our last request to a module was addressed. */
const addressee = (partner: Partner, module: string): Json => {
  const headers = partner.server.heard.filter((one) => one.module === module).at(-1)?.headers ?? {}
  return { country_code: headers["ocpi-to-country-code"], party_id: headers["ocpi-to-party-id"] }
}

describe("a party that a hub announces", () => {
  it("is not the hub's if it is ours or a partner itself, whose driver can still charge", async () => {
    const { partner: direct } = await roaming.registered("2.2.1")
    await direct.putToken(direct.cards.make("DIRECT1", { whitelist: "ALWAYS" }))
    const hub = await aHub()
    const spot = await drive.spot(hub)
    expect(await grabbed(hub, spot, direct.party, "DIRECT1")).toEqual(nothing)
    expect(await grabbed(hub, spot, hub.cpo ?? {}, "OURS1")).toEqual(nothing)
    expect((await spot.station.start(1, "DIRECT1")).status).toBe("Accepted")
    expect((await direct.pull("sessions")).map(({ status }) => status)).toEqual(["ACTIVE"])
    expect(await hub.pull("sessions")).toEqual([])
    expect(spot.station.asked("RemoteStartTransaction")).toEqual([])
  })

  it("is its own from its registration on, and the hub's again after it has left", async () => {
    const hub = await aHub()
    const spot = await drive.spot(hub)
    const direct = await roaming.partner("2.2.1")
    const { token, versionsUrl } = await roaming.invite(direct)
    const at = `/${direct.party.country_code}/${direct.party.party_id}`
    const info = { ...direct.party, role: "EMSP", status: "CONNECTED", last_updated: "2026-05-20T10:00:00Z" }
    await hub.ask("PUT", "hubclientinfo", at, info)
    const card = { ...hub.cards.make("MOVES1", { whitelist: "ALWAYS" }), ...direct.party }
    expect((await hub.ask("PUT", "tokens", `${at}/MOVES1`, card)).code).toBe(1000)
    const status = async () =>
      ((await spot.station.call("Authorize", { idTag: "MOVES1" }))["idTagInfo"] as Json)["status"]
    expect(await status()).toBe("Accepted")
    await direct.register(versionsUrl, token)
    expect((await hub.ask("GET", "tokens", `${at}/MOVES1`)).http).toBe(404)
    expect(await status()).toBe("Invalid")
    await direct.putToken(direct.cards.make("MOVES1", { whitelist: "ALWAYS" }))
    expect(await status()).toBe("Accepted")
    expect((await roaming.world.get("token-conflicts"))["items"]).toEqual([])
    await direct.ask("DELETE", "credentials")
    expect((await hub.ask("GET", "tokens", `${at}/MOVES1`)).http).toBe(200)
    expect(await status()).toBe("Accepted")
  })
})

describe("an eMSP behind a hub", () => {
  it("reserves, starts, steers and stops its driver's session through it, and the results are addressed to it", async () => {
    const hub = await aHub()
    const spot = await drive.spot(hub)
    for (const action of ["ReserveNow", "CancelReservation", "RemoteStartTransaction", "RemoteStopTransaction"]) {
      spot.station.on(action, { status: "Accepted" })
    }
    spot.station.on("SetChargingProfile", { status: "Accepted" })
    const done = async (name: string, body: Json) => {
      const { answer, id } = await passedOn(hub, behind, name, body)
      expect(answer.data, name).toEqual({ result: "ACCEPTED", timeout: 90 })
      expect(await hub.result(id), name).toEqual({ result: "ACCEPTED" })
      expect(addressee(hub, "commands"), name).toEqual(behind)
    }
    await done("RESERVE_NOW", reserving(hub, spot, behind))
    await done("CANCEL_RESERVATION", { reservation_id: "R-1" })
    await done("START_SESSION", starting(hub, spot, behind))
    expect((await spot.station.start(1, "BEHIND1")).status).toBe("Accepted")
    const { id: sessionId } = await world.sessionOf(spot.chargerId)
    const [session] = (await hub.pull("sessions")).filter(({ id }) => id === sessionId)
    expect(session?.["cdr_token"]).toMatchObject({ ...behind, uid: "BEHIND1" })
    await hub.eventually("the session", () => hub.server.heard.some(({ module }) => module === "sessions"))
    expect(addressee(hub, "sessions")).toEqual(behind)
    const profile = { charging_rate_unit: "A", charging_profile_period: [{ start_period: 0, limit: 10 }] }
    const set = await hub.profile("PUT", String(sessionId), { charging_profile: profile })
    expect(await hub.result(set.id)).toEqual({ result: "ACCEPTED" })
    await done("STOP_SESSION", { session_id: sessionId })
    expect(problemsOf(hub)).toEqual([])
  })

  it("that the hub has not announced is refused, and the charger is not called", async () => {
    const hub = await aHub()
    const spot = await drive.spot(hub)
    for (const [name, body] of [
      ["START_SESSION", starting(hub, spot, stranger)],
      ["RESERVE_NOW", reserving(hub, spot, stranger)]
    ] as const) {
      const { answer } = await passedOn(hub, stranger, name, body)
      expect([answer.http, answer.code], name).toEqual([200, 2001])
    }
    expect(spot.station.asked("RemoteStartTransaction")).toEqual([])
    expect(spot.station.asked("ReserveNow")).toEqual([])
  })

  it("that the hub cannot reach is not asked about its card, so that the whitelist decides at once", async () => {
    const hub = await aHub("OFFLINE")
    const { station } = await world.station(undefined, { callConcurrency: 5 })
    const push = async (uid: string, whitelist: string) => {
      const card = { ...hub.cards.make(uid, { whitelist }), ...behind }
      hub.cards.add(card)
      expect((await hub.ask("PUT", "tokens", `/FR/BHD/${uid}`, card)).code).toBe(1000)
    }
    await push("OFF1", "ALLOWED_OFFLINE")
    await push("OFF2", "NEVER")
    const status = async (idTag: string) =>
      ((await station.call("Authorize", { idTag }))["idTagInfo"] as Json)["status"]
    expect([await status("OFF1"), await status("OFF2")]).toEqual(["Accepted", "Invalid"])
    expect(hub.cards.asked).toEqual([])
    const back = { ...behind, role: "EMSP", status: "CONNECTED", last_updated: "2026-05-21T10:00:00Z" }
    expect((await hub.ask("PUT", "hubclientinfo", "/FR/BHD", back)).code).toBe(1000)
    await status("OFF2")
    expect(hub.cards.asked).toHaveLength(1)
  })

  it("that the hub cannot reach does not delay what the hub itself receives", async () => {
    const { id, partner: hub } = await roaming.registered("2.2.1", {}, { roles: ["HUB"] })
    expect((await hub.ask("PUT", "hubclientinfo", "/FR/BHD", infoOf(behind))).code).toBe(1000)
    const spot = await drive.spot(hub)
    const card = { ...hub.cards.make("AWAY1", { whitelist: "ALWAYS" }), ...behind }
    expect((await hub.ask("PUT", "tokens", "/FR/BHD/AWAY1", card)).code).toBe(1000)
    const state = async () => ((await world.get(`partners/${id}/health`))["deliveries"] as Json)["state"]
    await expect.poll(state, { timeout: 20_000 }).toBe("UpToDate")
    const heard = (method: string, module: string) =>
      hub.server.heard.filter((one) => one.method === method && one.module === module).length
    hub.server.faults.plan({ fault: { does: "refuse", statusCode: 4003 }, method: "PUT", module: "sessions" })
    expect((await spot.station.start(1, "AWAY1")).status).toBe("Accepted")
    const states = new Set<unknown>()
    const isTried = async () => {
      states.add(await state())
      return heard("PUT", "sessions") >= 6
    }
    await until(() => "six tries", 30_000, isTried)
    expect(states).not.toContain("Down")
    const before = heard("PATCH", "locations")
    await spot.station.status(2, "Faulted")
    await hub.eventually("the status", () => heard("PATCH", "locations") > before)
    expect(await state()).toBe("Delivering")
    hub.server.faults.clear()
    await hub.eventually("the session", () => hub.stores.sessions.size === 1)
  })

  it("cannot be behind a partner that was not invited as a hub", async () => {
    const { partner } = await roaming.registered("2.2.1")
    expect((await partner.ask("PUT", "hubclientinfo", "/FR/BHD", infoOf(behind))).http).toBe(404)
    const spot = await drive.spot(partner)
    const { answer } = await passedOn(partner, partner.party, "START_SESSION", starting(partner, spot, behind))
    expect([answer.http, answer.code]).toEqual([200, 2001])
    expect(spot.station.asked("RemoteStartTransaction")).toEqual([])
  })
})

describe.each(versionsSince22)("a partner on OCPI %s that is not a hub", (version) => {
  it("is refused every request in the name of a party that is not its own", async () => {
    const { partner } = await roaming.registered(version)
    const spot = await drive.spot(partner)
    const { country_code, party_id } = partner.party
    const own = `/${country_code}/${party_id}`
    const card = partner.cards.make("NAMED1")
    const asked = async (from: Json, method: string, module: string, path = "", body?: unknown) => {
      const url = `${partner.endpoint(module)}${path}`
      const { code, http } = await partner.client.ask(method, url, { token: partner.theirToken ?? "", body, from })
      return [http, code]
    }
    for (const from of [behind, { ...partner.party, party_id: "XXX" }, { ...partner.party, country_code: "FR" }]) {
      for (const [method, module, path, body] of [
        ["GET", "locations"],
        ["GET", "locations", `/${spot.locationId}`],
        ["GET", "sessions"],
        ["GET", "cdrs"],
        ["GET", "tariffs"],
        ["PUT", "tokens", `${own}/NAMED1`, card],
        ["PUT", "hubclientinfo", own, infoOf(partner.party)]
      ] as const) {
        expect(await asked(from, method, module, path, body), `${method} ${module}`).toEqual([403, 2001])
      }
      const { answer } = await passedOn(partner, from, "START_SESSION", starting(partner, spot, partner.party))
      expect([answer.http, answer.code]).toEqual([403, 2001])
      expect(await asked(from, "GET", "credentials")).toEqual([200, 1000])
      const versions = (partner.endpoint("credentials") ?? "").replace(`${version}/credentials`, "versions")
      const { http } = await partner.client.ask("GET", versions, { token: partner.theirToken ?? "", from })
      expect(http).toBe(200)
      const details = (partner.endpoint("credentials") ?? "").replace("/credentials", "")
      expect((await partner.client.ask("GET", details, { token: partner.theirToken ?? "", from })).http).toBe(200)
    }
    expect(spot.station.asked("RemoteStartTransaction")).toEqual([])
    expect((await partner.ask("GET", "tokens", `${own}/NAMED1`)).http).toBe(404)
    const lower = { country_code: country_code.toLowerCase(), party_id: party_id.toLowerCase() }
    expect(await asked(lower, "GET", "locations")).toEqual([200, 1000])
    expect(problemsOf(partner)).toEqual([])
  })

  it("can announce only its own party", async () => {
    const { partner } = await roaming.registered(version)
    expect((await partner.ask("PUT", "hubclientinfo", "/FR/BHD", infoOf(behind))).http).toBe(404)
    expect((await partner.ask("GET", "hubclientinfo", "/FR/BHD")).http).toBe(404)
    const { country_code, party_id } = partner.party
    const answer = await partner.ask("PUT", "hubclientinfo", `/${country_code}/${party_id}`, infoOf(partner.party))
    expect(answer.code).toBe(1000)
    expect(problemsOf(partner)).toEqual([])
  })
})

it("a partner that names a foreign party before it has registered is answered 401", async () => {
  const partner = await roaming.partner("2.2.1")
  const { token, versionsUrl } = await roaming.invite(partner)
  await partner.discover(versionsUrl, token)
  const answer = await partner.client.ask("GET", partner.endpoint("locations") ?? "", { token, from: behind })
  expect([answer.http, answer.code]).toEqual([401, 2001])
  expect((await partner.register(versionsUrl, token)).code).toBe(1000)
})
