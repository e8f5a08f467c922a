/**
 * Partners' cards at a real charger: decided by their whitelist, by the partner in real time, and by a fallback if the partner does not answer.
 */
import { beforeAll, describe, expect, it } from "vitest"
import { verdictWithinMillis } from "../../src/domain/token/RealTime.ts"
import { allVersions, Roaming } from "./partner/Roaming.ts"
import { itInCommon } from "./partner/Usual.ts"
import type { Partner } from "./partner/Partner.ts"
import type { Json } from "./partner/Wire.ts"

const roaming = new Roaming()
const { world } = roaming

// Partners get sessions only at locations that can be published.
beforeAll(async () => {
  const [site] = await world.items("sites")
  const place = { streetAddress: "Laan 1", postalNumber: "1000 AA", city: "Utrecht", country: "NLD" }
  await world.ask("PATCH", `sites/${String(site?.["id"])}`, { ...place, latitude: 52.1, longitude: 5.1 })
})

let made = 0
/** A new uid that fits OCPP 1.6. */
const newUid = () => `RT${String(++made).padStart(6, "0")}a`

/** A station that may have several open calls, as chargers should not but do. */
const aStation = () => world.station(undefined, { callConcurrency: 5 })

const pushed = async (partner: Partner, more: Json = {}): Promise<string> => {
  const uid = newUid()
  const answer = await partner.putToken(partner.cards.make(uid, more))
  expect(answer.code).toBe(1000)
  return uid
}

const same = (one: unknown, other: string) => String(one).toLowerCase() === other.toLowerCase()

type Station = Awaited<ReturnType<typeof aStation>>["station"]

const authorized = async (station: Station, idTag: string) =>
  (await station.call("Authorize", { idTag }))["idTagInfo"] as Json

describe.each(allVersions)("a card of a partner on OCPI %s", (version) => {
  const common = itInCommon(version)

  const old = version === "2.1.1"

  common("charges by its whitelist, in any case of letters, without asking the partner", async () => {
    const { partner } = await roaming.registered(version)
    const uid = await pushed(partner, old ? {} : { group_id: "FLEET" })
    const { id, station } = await aStation()
    const info = await authorized(station, uid.toLowerCase())
    expect(info).toEqual(old ? { status: "Accepted" } : { status: "Accepted", parentIdTag: "FLEET" })
    expect((await station.start(1, uid)).status).toBe("Accepted")
    expect(await world.sessionOf(id)).toMatchObject({ authorization: { status: "Accepted", source: "RoamingToken" } })
    const blocked = await pushed(partner, { valid: false })
    expect(await authorized(station, blocked)).toEqual({ status: "Blocked" })
    expect(partner.cards.asked).toEqual([])
    expect(partner.problems).toEqual([])
  })

  common("does not charge at an EVSE that its partner has left out", async () => {
    const { partner } = await roaming.registered(version)
    const uid = await pushed(partner, { whitelist: "NEVER" })
    partner.cards.authorize = (_, { body }) => {
      const { evse_uids, location_id } = body as { readonly location_id: string; readonly evse_uids: Array<string> }
      return { allowed: "ALLOWED", location: { location_id, evse_uids: evse_uids.slice(0, 1) } }
    }
    const { station } = await aStation()
    expect((await authorized(station, uid))["status"]).toBe("Accepted")
    expect((await station.start(2, uid)).status).toBe("Invalid")
    expect((await authorized(station, uid))["status"]).toBe("Accepted")
    expect((await station.start(1, uid)).status).toBe("Accepted")
    expect(partner.problems).toEqual([])
  })

  it("out POST tokens/:tokenUid/authorize: charges if its partner allows it, which is asked once for the card and the start", async () => {
    const { partner } = await roaming.registered(version)
    const uid = await pushed(partner, { whitelist: "NEVER" })
    partner.cards.authorize = () => ({ allowed: "ALLOWED", ...(old ? {} : { authorization_reference: "ref-1" }) })
    const { station } = await aStation()
    expect(await authorized(station, uid)).toMatchObject({ status: "Accepted", expiryDate: expect.any(String) })
    expect((await station.start(2, uid)).status).toBe("Accepted")
    expect(partner.cards.asked).toHaveLength(1)
    const [{ body, type, uid: asked }] = partner.cards.asked as [(typeof partner.cards.asked)[0]]
    expect([asked, type]).toEqual([uid, "RFID"])
    expect(body).toMatchObject({ location_id: expect.any(String), evse_uids: [expect.any(String), expect.any(String)] })
    const reference = old ? {} : { authorization_reference: "ref-1" }
    const sessions = await partner.pull("sessions", "?date_from=2026-01-01T00:00:00Z")
    expect(sessions).toMatchObject([{ auth_method: "AUTH_REQUEST", ...reference }])
    expect(partner.problems).toEqual([])
  })

  common("has its partner asked for each Authorize, and for a start that does not follow one", async () => {
    const { partner } = await roaming.registered(version)
    for (const whitelist of ["NEVER", "ALLOWED_OFFLINE"]) {
      const uid = await pushed(partner, { whitelist })
      const { station } = await aStation()
      const asked = () => partner.cards.asked.filter((one) => one.uid === uid).length
      for (const times of [1, 2, 3]) {
        expect(await authorized(station, uid), whitelist).toMatchObject({ status: "Accepted" })
        expect(asked(), whitelist).toBe(times)
      }
      const first = await station.start(1, uid)
      expect([first.status, asked()], whitelist).toEqual(["Accepted", 3])
      await station.stop(first.id, { meterStop: 100 })
      expect((await station.start(1, uid)).status).toBe("Accepted")
      expect(asked(), whitelist).toBe(4)
    }
    expect(partner.problems).toEqual([])
  })

  common("follows its partner's answer also if it is a list of one", async () => {
    const { partner } = await roaming.registered(version)
    const uid = await pushed(partner, { whitelist: "NEVER" })
    partner.cards.wordInList = true
    const { station } = await aStation()
    expect(await authorized(station, uid)).toMatchObject({ status: "Accepted" })
    partner.cards.authorize = () => ({ allowed: "EXPIRED" })
    expect(await authorized(station, uid)).toEqual({ status: "Expired" })
  })

  common("does not charge if its partner refuses it, but the start is stored", async () => {
    const { partner } = await roaming.registered(version)
    const uid = await pushed(partner, { whitelist: "ALLOWED_OFFLINE" })
    const { id, station } = await aStation()
    for (const [allowed, status] of [
      ["BLOCKED", "Blocked"],
      ["NO_CREDIT", "Blocked"],
      ["EXPIRED", "Expired"],
      ["NOT_ALLOWED", "Invalid"]
    ] as const) {
      partner.cards.authorize = () => ({ allowed })
      expect(await authorized(station, uid), allowed).toEqual({ status })
    }
    partner.cards.authorize = () => undefined
    expect(await authorized(station, uid)).toEqual({ status: "Invalid" })
    const { status } = await station.start(1, uid)
    expect(status).toBe("Invalid")
    expect(partner.cards.asked.at(-1)?.body).toMatchObject({ evse_uids: [expect.any(String)] })
    expect(await world.sessionOf(id)).toMatchObject({
      tokenUid: uid,
      authorization: { status: "Invalid", source: "RoamingToken" }
    })
    expect(partner.problems).toEqual([])
  })
})

describe("a partner that does not answer", () => {
  it("is waited for no longer than a driver would wait, while other messages of the charger are answered", async () => {
    const { partner } = await roaming.registered("2.2.1")
    const never = await pushed(partner, { whitelist: "NEVER" })
    const offline = await pushed(partner, { whitelist: "ALLOWED_OFFLINE" })
    partner.server.faults.plan({ module: "tokens", method: "POST", fault: { does: "hang" } })
    const { id, station } = await aStation()
    const began = Date.now()
    const order: Array<string> = []
    const done = async <A>(name: string, call: Promise<A>) => {
      const answer = await call
      order.push(name)
      return answer
    }
    const [refused, allowed] = await Promise.all([
      done("never", station.start(1, never)),
      done("offline", station.start(2, offline)),
      done("heartbeat", station.call("Heartbeat", {})),
      done("status", station.status(1, "Preparing"))
    ])
    expect([refused.status, allowed.status]).toEqual(["Invalid", "Accepted"])
    expect(order.slice(0, 2).toSorted()).toEqual(["heartbeat", "status"])
    const took = Date.now() - began
    expect(took).toBeGreaterThanOrEqual(verdictWithinMillis - 100)
    expect(took).toBeLessThan(verdictWithinMillis + 3_000)
    expect(await world.items(`sessions?chargerId=${id}`)).toHaveLength(2)
  })

  it.each([
    ["answers 500", { does: "status", http: 500 }],
    ["hangs up", { does: "hangUp" }],
    ["sends no JSON", { does: "notJson" }],
    ["sends half an answer", { does: "truncate" }]
  ] as const)("and %s lets cards charge that may do so offline", async (_, fault) => {
    const { partner } = await roaming.registered("2.2.1")
    const never = await pushed(partner, { whitelist: "NEVER" })
    const offline = await pushed(partner, { whitelist: "ALLOWED_OFFLINE" })
    partner.server.faults.plan({ module: "tokens", method: "POST", fault })
    const { station } = await aStation()
    expect(await authorized(station, never)).toEqual({ status: "Invalid" })
    expect(await authorized(station, offline)).toMatchObject({ status: "Accepted" })
  })

  it("loses no start: one whose charger has disconnected meanwhile is stored", async () => {
    const { partner } = await roaming.registered("2.2.1")
    const uid = await pushed(partner, { whitelist: "ALLOWED_OFFLINE" })
    partner.server.faults.plan({ module: "tokens", method: "POST", fault: { does: "hang" } })
    const { id, station } = await aStation()
    const lost = station.start(1, uid).catch(() => undefined)
    await partner.eventually("the question", () => partner.server.heard.some(({ module }) => module === "tokens"))
    await station.close()
    await lost
    const list = await world.eventually("the session", `sessions?chargerId=${id}`, ({ items }) => {
      return Array.isArray(items) && items.length === 1
    })
    expect(list["items"]).toMatchObject([{ tokenUid: uid, authorization: { status: "Accepted" } }])
  })
})

describe("a card that is on no list", () => {
  it("is refused without asking its partner, unless the switch askUnknownTokens is on", async () => {
    const { id, partner } = await roaming.registered("2.2.1")
    const uid = newUid()
    // Too new for the list that is fetched after the registration.
    partner.cards.add(partner.cards.make(uid, { last_updated: "2971-01-01T00:00:00Z" }))
    const { station } = await aStation()
    expect(await authorized(station, uid)).toEqual({ status: "Invalid" })
    expect(partner.cards.asked).toEqual([])
    await world.ask("PATCH", `partners/${id}`, { switches: { askUnknownTokens: true } })
    expect(await authorized(station, uid)).toMatchObject({ status: "Accepted" })
    expect(await authorized(station, newUid())).toEqual({ status: "Invalid" })
    await world.ask("PATCH", `partners/${id}`, { switches: { askUnknownTokens: null } })
  })
})

describe("a card of two partners", () => {
  it("is refused as long as both partners have a valid token for it", async () => {
    const { partner: one } = await roaming.registered("2.2.1")
    const { partner: other } = await roaming.registered("2.1.1")
    const uid = await pushed(one)
    const disputed = other.cards.make(uid.toLowerCase())
    await other.putToken(disputed)
    const { station } = await aStation()
    expect(await authorized(station, uid)).toEqual({ status: "Invalid" })
    const shown = async () => (await world.items("token-conflicts?limit=500")).filter((one) => same(one["uid"], uid))
    expect(await shown()).toMatchObject([{ tokens: [{ uid: expect.anything() }, { uid: expect.anything() }] }])
    await other.patchToken(disputed, { valid: false })
    expect(await shown()).toEqual([])
    expect(await authorized(station, uid)).toMatchObject({ status: "Accepted" })
  })
})
