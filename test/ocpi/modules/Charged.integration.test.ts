/**
 * Sessions and charge detail records over real HTTP: each partner sees those of its own drivers only, in its version, in pages, and again after
 * they change.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { randomUUID } from "node:crypto"
import { expect, it } from "vitest"
import { until } from "../../simulation/Wait.ts"
import type { Partner } from "../partner/Partner.ts"
import { schemaSince22 } from "../schemas/Schemas.ts"
import { allVersions, Roaming, versionsSince22 } from "../partner/Roaming.ts"
import { commonVersions, usualVersions } from "../partner/Usual.ts"
import { type Json, nextPage } from "../partner/Wire.ts"
import { Drive, problemsOf, type Spot } from "./Drive.ts"

const roaming = new Roaming()
const drive = new Drive(roaming)
const { world } = roaming

const ever = "?date_from=2020-01-01T00:00:00Z"

const perKwh = {
  currency: "EUR",
  elements: [{ priceComponents: [{ type: "ENERGY", price: 4, vat: 20, stepSize: 1 }] }]
}

/** Reservations cost six euros an hour in addition. */
const andReserved = {
  ...perKwh,
  elements: [
    { priceComponents: [{ type: "TIME", price: 6, stepSize: 1 }], restrictions: { reservation: "RESERVATION" } },
    ...perKwh.elements
  ]
}

/** A spot with a tariff of four euros per kWh. */
const aSpot = async (partner: Partner, tariff: object = perKwh): Promise<Spot> => {
  const spot = await drive.spot(partner)
  const { id } = await world.post("tariffs", tariff)
  await world.ask("PUT", `tariffs/${String(id)}/assignments`, { siteId: spot.locationId })
  return spot
}

const idsOf = (list: ReadonlyArray<Json>): ReadonlyArray<string> => list.map(({ id }) => String(id))

const sessionsOf = async (partner: Partner) => idsOf(await partner.pull("sessions", ever))

const cdrsOf = (partner: Partner) => partner.pull("cdrs")

/** Ends a session and waits for its record. */
const stop = async (spot: Spot, transactionId: number, sessionId: string, meterStop = 600) => {
  await spot.station.stop(transactionId, { meterStop })
  await world.eventually(
    "a record",
    `cdrs?sessionId=${sessionId}`,
    ({ items }) => (items as Array<unknown>).length === 1
  )
}

/** A session that has ended after half a kWh. Returns its id. */
const charged = async (partner: Partner, spot: Spot): Promise<string> => {
  const { id, transactionId } = await drive.session(partner, spot)
  await stop(spot, transactionId, id)
  return id
}

it("a partner sees sessions and records of its own drivers, and none of others or of our own cards", async () => {
  const partners: Array<Partner> = []
  const sessions: Array<string> = []
  const spots: Array<Spot> = []
  for (const version of allVersions) {
    const { partner } = await roaming.registered(version)
    const spot = await aSpot(partner)
    partners.push(partner)
    spots.push(spot)
    sessions.push(await charged(partner, spot))
  }
  const own = await world.card()
  const { id: transactionId } = await spots[0]!.station.start(1, own)
  const ours = String((await world.sessionOf(spots[0]!.chargerId))["id"])
  await stop(spots[0]!, transactionId, ours)
  for (const [i, partner] of partners.entries()) {
    expect(await sessionsOf(partner)).toEqual([sessions[i]])
    const cdrs = await cdrsOf(partner)
    expect(cdrs).toHaveLength(1)
    expect(cdrs[0]).toMatchObject({ total_energy: 0.5, currency: "EUR" })
    const foreign = [...sessions.filter((id) => id !== sessions[i]), ours]
    // 2.1.1 has no such address.
    const refusal = partner.version === "2.1.1" ? [404, 2000] : [404, 2001]
    for (const id of foreign) {
      const answer = await partner.ask("PUT", "sessions", `/${id}/charging_preferences`, { profile_type: "REGULAR" })
      expect([answer.http, answer.code], id).toEqual(refusal)
    }
    const answers = partner.client.answers.join("\n")
    for (const id of foreign) expect(answers.includes(id), "a stranger's session").toBe(false)
    for (const { chargerId } of spots) expect(answers.includes(chargerId), "a charger's own identity").toBe(false)
    expect(problemsOf(partner)).toEqual([])
  }
  for (const id of [...sessions, ours]) expect((await world.get(`sessions/${id}`))["preferences"]).toBeNull()
})

it("sessions and cdrs are refused to a registration token and to unknown tokens, and cannot be written", async () => {
  const { partner } = await roaming.registered("2.2.1")
  const other = await roaming.partner("2.2.1")
  const { token } = await roaming.invite(other)
  for (const module of ["sessions", "cdrs"]) {
    const url = partner.endpoint(module) ?? ""
    for (const used of [token, "no-token"]) {
      const answer = await other.client.ask("GET", url, { token: used })
      expect([answer.http, answer.data]).toEqual([401, undefined])
    }
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      expect((await partner.ask(method, module)).http, `${method} ${module}`).toBe(405)
    }
  }
})

it.each(commonVersions)(
  "pages in %s count only the partner's own objects, and each links to the next",
  async (version) => {
    const one = (await roaming.registered(version)).partner
    const two = (await roaming.registered(version)).partner
    const spot = await aSpot(one)
    const mine: Array<string> = []
    for (const partner of [one, two, one, two, one]) {
      const id = await charged(partner, spot)
      if (partner === one) mine.push(id)
    }
    for (const module of ["sessions", "cdrs"] as const) {
      const pages: Array<string> = []
      for (let offset = 0; offset < mine.length; offset++) {
        const answer = await one.ask("GET", module, `${ever}&limit=1&offset=${offset}`)
        expect([answer.headers["x-total-count"], answer.headers["x-limit"]]).toEqual(["3", "100"])
        const next = nextPage(answer.headers["link"])
        const query = next === undefined ? [] : [...new URL(next).searchParams].toSorted()
        const isLast = offset === mine.length - 1
        expect(next?.startsWith(`${one.endpoint(module)}?`) ?? false).toBe(!isLast)
        const wanted = [
          ["date_from", "2020-01-01T00:00:00Z"],
          ["limit", "1"],
          ["offset", String(offset + 1)]
        ]
        expect(query, "with every filter").toEqual(isLast ? [] : wanted)
        pages.push(...idsOf(answer.data as ReadonlyArray<Json>))
      }
      expect(pages).toEqual(idsOf(await one.pull(module, ever)))
      expect(new Set(pages).size).toBe(3)
      const empty = await one.ask("GET", module, `?date_from=2099-01-01T00:00:00Z`)
      expect([empty.data, empty.headers["x-total-count"]]).toEqual([[], "0"])
    }
    expect(await sessionsOf(one), "in order of creation").toEqual(mine)
    expect(problemsOf(one, two)).toEqual([])
  }
)

it.each(usualVersions)("a session in %s is shown from its start to its price", async (version) => {
  const { partner } = await roaming.registered(version)
  const spot = await aSpot(partner)
  const { id, transactionId } = await drive.session(partner, spot)
  const shown = async () => (await partner.pull("sessions", ever))[0]
  const begun = await shown()
  expect(begun).toMatchObject({ id, status: "ACTIVE", kwh: 0, currency: "EUR" })
  expect(begun).not.toHaveProperty("end_datetime")
  await spot.station.meter(1, transactionId, 350)
  await until(
    () => "energy",
    15_000,
    async () => Number((await shown())?.["kwh"]) > 0
  )
  await stop(spot, transactionId, id)
  const price = version === "2.1.1" ? 2 : { excl_vat: 2, incl_vat: 2.4 }
  await until(
    () => "its price",
    15_000,
    async () => JSON.stringify((await shown())?.["total_cost"]) === JSON.stringify(price)
  )
  expect(await shown()).toMatchObject({ status: "COMPLETED", kwh: 0.5, total_cost: price })
  const [cdr] = await cdrsOf(partner)
  expect(cdr).toMatchObject({ total_energy: 0.5, total_cost: price })
  expect(problemsOf(partner)).toEqual([])
})

it.each(commonVersions)(
  "a running session is sent in %s with the cost of its newest reading, once",
  async (version) => {
    const { partner } = await roaming.registered(version)
    const spot = await aSpot(partner)
    const { id, transactionId } = await drive.session(partner, spot)
    const pushed = () =>
      partner.server.heard
        .filter(({ method, module }) => method === "PUT" && module === "sessions")
        .map(({ text }) => JSON.parse(text) as Json)
    const costOf = ({ total_cost: cost }: Json) => (version === "2.1.1" ? cost : (cost as Json)["excl_vat"])
    const energyOf = ({ charging_periods: periods }: Json) =>
      (periods as ReadonlyArray<Json>)
        .flatMap(({ dimensions }) => dimensions as ReadonlyArray<Json>)
        .reduce((sum, { type, volume }) => sum + (type === "ENERGY" ? Number(volume) : 0), 0)
    await partner.eventually("its start", () => pushed().length === 1)
    for (const wh of [350, 475]) {
      await spot.station.meter(1, transactionId, wh)
      const kwh = (wh - 100) / 1000
      await partner.eventually("the reading", () => pushed().at(-1)?.["kwh"] === kwh)
      // The price may be stored a second later, which causes no further push.
      await world.eventually("the price", `sessions?chargerId=${spot.chargerId}`, ({ items }) => {
        const [session] = items as ReadonlyArray<Json>
        return (session?.["cost"] as Json | null)?.["exclVat"] === 4 * kwh
      })
      expect((await partner.pull("sessions", ever))[0]).toEqual(pushed().at(-1))
    }
    expect(pushed().map((one) => [one["id"], one["kwh"], costOf(one), energyOf(one)])).toEqual([
      [id, 0, 0, 0],
      [id, 0.25, 1, 0.25],
      [id, 0.375, 1.5, 0.375]
    ])
    expect(problemsOf(partner)).toEqual([])
  }
)

/** Makes the partner reserve connector 1. Returns the uid that it is reserved for. */
const reserved = async (partner: Partner, spot: Spot): Promise<string> => {
  const uid = `R${randomUUID().replaceAll("-", "").slice(0, 12).toUpperCase()}`
  spot.station.on("ReserveNow", { status: "Accepted" })
  const { id } = await partner.command("RESERVE_NOW", {
    token: partner.cards.make(uid),
    expiry_date: new Date(Date.now() + 3_600_000).toISOString(),
    reservation_id: partner.version === "2.1.1" ? 7 : "R-7",
    location_id: spot.locationId,
    evse_uid: spot.evse(1)
  })
  expect(await partner.result(id)).toEqual({ result: "ACCEPTED" })
  return uid
}

it.each(usualVersions)(
  "a reservation in %s is sent as a session if it costs something, and begins the record",
  async (version) => {
    const { partner } = await roaming.registered(version)
    const free = await aSpot(partner)
    const stranger = await reserved(partner, free)
    await world.eventually("it is active", `reservations?chargerId=${free.chargerId}`, ({ items }) =>
      (items as ReadonlyArray<Json>).some(({ status }) => status === "Active")
    )
    expect(await sessionsOf(partner), "nothing is asked for it").toEqual([])
    const spot = await aSpot(partner, andReserved)
    const uid = await reserved(partner, spot)
    const pushed = () => [...partner.stores.sessions.values()]
    const waiting = version === "2.1.1" ? "PENDING" : "RESERVATION"
    await partner.eventually("its session", () => pushed()[0]?.["status"] === waiting)
    // A record has no period for a reservation that lasted less than half a second.
    await sleep(1_100)
    const { id: transactionId } = await spot.station.start(1, uid)
    const { id, startedAt } = await world.sessionOf(spot.chargerId)
    expect(pushed()[0]?.["id"], "under the id of the reservation").toBe(id)
    await stop(spot, transactionId, String(id))
    const cdr = (await cdrsOf(partner))[0] ?? {}
    const [first = {}, charging] = cdr["charging_periods"] as ReadonlyArray<Json>
    const began = `${String(startedAt).slice(0, 19)}Z`
    expect([cdr["start_date_time"], charging?.["start_date_time"]]).toEqual([first["start_date_time"], began])
    expect(cdr["start_date_time"] === began || version !== "2.1.1").toBe(true)
    const [dimension] = first["dimensions"] as ReadonlyArray<Json>
    expect(dimension?.["type"]).toBe(version === "2.1.1" ? "TIME" : "RESERVATION_TIME")
    const shown = await partner.pull("tariffs")
    const tariffs = cdr["tariffs"] as ReadonlyArray<Json> | undefined
    // 2.1.1 cannot express the element that prices the reservation: with the rest of the tariff the partner would calculate another total.
    expect(tariffs === undefined).toBe(version === "2.1.1")
    expect(tariffs ?? [], "as old as it is in the list").toEqual(shown.filter(({ id }) => id === tariffs?.[0]?.["id"]))
    const [record] = await world.items(`cdrs?sessionId=${String(id)}`)
    expect(record?.["roaming"]).toMatchObject({ tariffLeftOut: version === "2.1.1", withheld: false })
    await free.station.start(1, stranger)
    await partner.eventually("the other's, from its start on", () => pushed().length === 2)
    expect(pushed()[1]).toMatchObject({ status: "ACTIVE" })
    expect(problemsOf(partner)).toEqual([])
  }
)

it("a credited record is followed by a credit record if the version has these and the partner wants them", async () => {
  const creditReferences: Record<string, ReadonlyArray<unknown>> = {}
  const withheld: Record<string, ReadonlyArray<unknown>> = {}
  const totals: Record<string, ReadonlyArray<unknown>> = {}
  for (const version of allVersions) {
    const { id: partnerId, partner } = await roaming.registered(version)
    const spot = await aSpot(partner)
    const sessionId = await charged(partner, spot)
    const [cdr] = await world.items(`cdrs?partnerId=${partnerId}`)
    await world.post(`cdrs/${String(cdr?.["id"])}/credit`, undefined)
    expect((await world.items(`cdrs?partnerId=${partnerId}`)).map((one) => one["sessionId"])).toEqual([
      sessionId,
      sessionId
    ])
    const credits = await world.items(`cdrs?partnerId=${partnerId}`)
    withheld[version] = credits.map((one) => (one["roaming"] as Json)["withheld"])
    const list = await cdrsOf(partner)
    creditReferences[version] = list.map((one) => one["credit_reference_id"] ?? null)
    totals[version] = list.map((one) => one["total_cost"])
    await world.ask("PATCH", `partners/${partnerId}`, { switches: { noCreditCdrs: true } })
    expect(idsOf(await cdrsOf(partner)), "who takes none has the first alone").toEqual([String(cdr?.["id"])])
    expect(problemsOf(partner)).toEqual([])
  }
  expect(creditReferences).toEqual({
    "2.1.1": [null],
    "2.2": [null, expect.any(String)],
    "2.2.1": [null, expect.any(String)]
  })
  const totalsSince22 = [
    { excl_vat: 2, incl_vat: 2.4 },
    { excl_vat: -2, incl_vat: -2.4 }
  ]
  expect(withheld, "what is not sent is shown in REST").toEqual({
    "2.1.1": [true, false],
    "2.2": [false, false],
    "2.2.1": [false, false]
  })
  expect(totals).toEqual({ "2.1.1": [2], "2.2": totalsSince22, "2.2.1": totalsSince22 })
})

it.each(versionsSince22)("charging preferences in %s are answered by whether they will be used", async (version) => {
  const { partner } = await roaming.registered(version)
  const spot = await aSpot(partner)
  const { id, transactionId } = await drive.session(partner, spot)
  const wish = (body: unknown, sessionId = id) =>
    partner.ask("PUT", "sessions", `/${sessionId}/charging_preferences`, body)
  const kept = async () => (await world.get(`sessions/${id}`))["preferences"]
  const isShown = async () => {
    const location = (await partner.pull("locations")).find((one) => one["id"] === spot.locationId)
    return JSON.stringify(location).includes("CHARGING_PREFERENCES_CAPABLE")
  }
  // A charger that has not reported that it can be steered accepts none.
  expect(await isShown()).toBe(false)
  const incapable = await wish({ profile_type: "REGULAR" })
  expect([incapable.http, incapable.code]).toEqual([404, 2001])
  expect(await kept()).toBeNull()
  const key = { key: "SupportedFeatureProfiles", value: "Core,SmartCharging", readonly: true }
  spot.station.on("GetConfiguration", { configurationKey: [key] })
  await world.command(spot.chargerId, "GetConfiguration")
  expect(await isShown(), "where it works the evse says so").toBe(true)
  const word = async (body: unknown) => {
    const { code, data, http } = await wish(body)
    expect(http).toBe(200)
    const faults = code === 1000 ? schemaSince22(version, "ChargingPreferencesResponse")(data, "data") : []
    expect(faults).toEqual([])
    return code === 1000 ? data : code
  }
  expect(await word({ profile_type: "GREEN", departure_time: "2026-12-24T18:00:00Z" })).toBe(
    "PROFILE_TYPE_NOT_SUPPORTED"
  )
  expect(await word({})).toBe(2001)
  expect(await kept(), "what was not accepted is not kept").toBeNull()
  const wished = { profile_type: "REGULAR", departure_time: "2026-12-24T18:00:00Z", energy_need: 20 }
  expect(await word(wished)).toBe("ACCEPTED")
  const departureAt = "2026-12-24T18:00:00.000Z"
  expect(await kept()).toEqual({ profileType: "REGULAR", departureAt, energyNeedWh: 20_000, dischargeAllowed: null })
  expect((await wish({ profile_type: "REGULAR" }, randomUUID())).http).toBe(404)
  await stop(spot, transactionId, id)
  expect(await word({ profile_type: "REGULAR" })).toBe("NOT_POSSIBLE")
  expect(problemsOf(partner)).toEqual([])
})

it("REST shows whose driver it was, and lists sessions and records by partner", async () => {
  const { id: partnerId, partner } = await roaming.registered("2.2.1")
  const other = await roaming.registered("2.2")
  const spot = await aSpot(partner)
  const sessionId = await charged(partner, spot)
  await charged(other.partner, spot)
  for (const list of ["sessions", "cdrs"]) {
    const [item, ...more] = await world.items(`${list}?partnerId=${partnerId}`)
    expect(more).toEqual([])
    expect(item?.[list === "cdrs" ? "sessionId" : "id"]).toBe(sessionId)
    expect(item?.["roaming"]).toMatchObject({
      partnerId,
      countryCode: partner.party.country_code,
      partyId: partner.party.party_id,
      authMethod: "COMMAND"
    })
    expect(await world.items(`${list}?partnerId=${randomUUID()}`)).toEqual([])
  }
})
