/**
 * What is pushed to partners over real HTTP: in each version, to the right partner only, in order, and despite all faults of the partner.
 * The requests are checked by partners implemented from the standard.
 */
import { describe, expect, it } from "vitest"
import { backgroundMillis } from "../simulation/SharedService.ts"
import { until } from "../simulation/Wait.ts"
import { Driver, makePlace, type Place } from "./partner/Place.ts"
import type { Partner } from "./partner/Partner.ts"
import { allVersions, Roaming } from "./partner/Roaming.ts"
import type { Heard } from "./partner/Server.ts"
import { field, type Json } from "./partner/Wire.ts"

const roaming = new Roaming()

const list = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? (value as ReadonlyArray<Json>) : [])

const locationAt = (partner: Partner, { siteId }: Place): Json | undefined =>
  [...partner.stores.locations.values()].find(({ id }) => id === siteId)

const statusesAt = (partner: Partner, place: Place): ReadonlyArray<unknown> =>
  list(locationAt(partner, place)?.["evses"]).map(({ status }) => status)

const shownAt = (partner: Partner, place: Place): Promise<void> =>
  partner.eventually("the location is pushed", () => statusesAt(partner, place).length === 2)

const heardOf = (partner: Partner, method: string, module: string): ReadonlyArray<Heard> =>
  partner.server.heard.filter((one) => one.method === method && one.module === module)

const parkedOf = (partnerId: string) => roaming.world.items(`partners/${partnerId}/parked`)

/** The only parked object of a partner, once it is parked. */
const parkedAlone = async (partnerId: string): Promise<Json> => {
  await until(
    () => "the object is parked",
    40_000,
    async () => (await parkedOf(partnerId)).length === 1
  )
  const [item = {}] = await parkedOf(partnerId)
  return item
}

/** A place whose location a partner of this version has received. */
const seen = async (version: (typeof allVersions)[number]) => {
  const place = await makePlace(roaming.world)
  const registered = await roaming.registered(version)
  await shownAt(registered.partner, place)
  return { place, ...registered }
}

/** What the partner found wrong with our requests and answers. */
const problemsOf = ({ problems }: Partner): ReadonlyArray<string> => problems

const sessionsOf = (partner: Partner): ReadonlyArray<Json> => [...partner.stores.sessions.values()]

/** Starts a session of a partner's driver. Answers its id. */
const charging = async (partner: Partner, place: Place, driver: Driver, uid: string): Promise<string> => {
  const token = partner.cards.make(uid)
  expect((await partner.putToken(token)).code).toBe(1000)
  await driver.start(uid)
  const mine = () => sessionsOf(partner).find(({ status }) => status === "ACTIVE")
  await partner.eventually("the session is pushed", () => mine() !== undefined)
  return String(mine()?.["id"])
}

describe("partners of each version", () => {
  it("get everything at their registration, and an EVSE's status soon after it changes", async () => {
    const place = await makePlace(roaming.world)
    const partners: Array<Partner> = []
    for (const version of allVersions) partners.push((await roaming.registered(version)).partner)
    for (const partner of partners) await shownAt(partner, place)
    for (const partner of partners) {
      await partner.eventually("the tariff is pushed", () => partner.stores.tariffs.size > 0)
      expect(statusesAt(partner, place)).toEqual(["AVAILABLE", "AVAILABLE"])
    }
    const before = performance.now()
    await place.station.status(1, "Charging")
    await Promise.all(
      partners.map((partner) =>
        until(
          () => "the status is pushed",
          5_000,
          () => statusesAt(partner, place).includes("CHARGING")
        )
      )
    )
    // It takes less than a second on an idle machine. How long it takes under load is measured by the benchmark.
    expect(performance.now() - before).toBeLessThan(3_000)
    for (const partner of partners) {
      const [patch, ...more] = heardOf(partner, "PATCH", "locations")
      expect(more).toEqual([])
      expect(Object.keys(patch?.body as Json).toSorted()).toEqual(["last_updated", "status"])
      expect(patch?.path).toHaveLength(4)
    }
    await place.station.close()
    for (const partner of partners) {
      await partner.eventually("the charger is gone", () =>
        statusesAt(partner, place).every((one) => one === "UNKNOWN")
      )
      expect(problemsOf(partner)).toEqual([])
      expect(partner.everything.filter((text) => text.includes(place.chargerId))).toEqual([])
    }
  })

  it("get the whole location once if a site has changed, and nothing if it has not", async () => {
    const { partner, place } = await seen("2.2.1")
    const puts = () => heardOf(partner, "PUT", "locations").filter(({ path }) => path[2] === place.siteId)
    const count = puts().length
    await roaming.world.ask("PATCH", `sites/${place.siteId}`, { name: "Pier" })
    await partner.eventually("the name is pushed", () => locationAt(partner, place)?.["name"] === "Pier")
    // OCPI has no field for this change.
    await roaming.world.ask("PATCH", `sites/${place.siteId}`, { openingHours: null })
    await roaming.world.ask("PATCH", `tariffs/${place.tariffId}`, { tariffAltUrl: "https://example.com/t" })
    await partner.eventually(
      "the tariff is pushed",
      () =>
        [...partner.stores.tariffs.values()].find(({ id }) => id === place.tariffId)?.["tariff_alt_url"] !== undefined
    )
    expect(puts()).toHaveLength(count + 1)
    expect(problemsOf(partner)).toEqual([])
  })

  it("get the whole location when a tariff begins, although no one changes anything then", async () => {
    const { partner, place } = await seen("2.1.1")
    const shown = () =>
      list(locationAt(partner, place)?.["evses"]).flatMap(({ connectors }) =>
        list(connectors).map((one) => one["tariff_id"])
      )
    const { id } = await roaming.world.post("tariffs", {
      currency: "EUR",
      elements: [{ priceComponents: [{ type: "ENERGY", price: 0.6, stepSize: 1 }] }],
      startDateTime: new Date(Date.now() + 3_000).toISOString()
    })
    const { chargerId } = place
    await roaming.world.ask("PUT", `tariffs/${String(id)}/assignments`, { chargerId })
    expect(shown()).toEqual([place.tariffId, place.tariffId])
    await partner.eventually("it has begun", () => shown().every((one) => one === id))
    expect(problemsOf(partner)).toEqual([])
  })

  it("get the whole location if they do not know the EVSE", async () => {
    const { partner, place } = await seen("2.2.1")
    partner.stores.locations.clear()
    await place.station.status(2, "Faulted")
    await shownAt(partner, place)
    expect(statusesAt(partner, place)).toContain("OUTOFORDER")
    // The service knows that it has sent this status, so that changing it back is a change.
    await place.station.status(2, "Available")
    await partner.eventually("it is well again", () => !statusesAt(partner, place).includes("OUTOFORDER"))
    expect(problemsOf(partner)).toEqual([])
  })
})

describe("sessions and records", () => {
  it("go to the driver's partner only, and a record is stored once however often its answer is lost", async () => {
    const { partner, place } = await seen("2.2.1")
    const { partner: other } = await roaming.registered("2.2.1")
    const driver = new Driver(place)
    const sessionId = await charging(partner, place, driver, "OWNER1")
    partner.server.faults.plan({ fault: { does: "loseAnswer" }, module: "cdrs", times: 2 })
    partner.server.faults.plan({ fault: { does: "status", http: 500 }, method: "PUT", module: "sessions", times: 1 })
    await driver.stop()
    await partner.eventually("the session ends", () => sessionsOf(partner)[0]?.["status"] === "COMPLETED")
    // After a lost answer the record is asked for until the partner answers, and is not sent again.
    await partner.eventually("it is asked for twice", () => heardOf(partner, "GET", "cdrs").length === 2)
    const calls = [...heardOf(partner, "POST", "cdrs"), ...heardOf(partner, "GET", "cdrs")]
    expect(partner.stores.cdrs.size).toBe(1)
    expect(new Set(calls.map(({ headers }) => headers["x-correlation-id"])).size).toBe(1)
    expect(new Set(calls.map(({ headers }) => headers["x-request-id"])).size).toBeGreaterThanOrEqual(2)
    // A credit record and the corrected record.
    await roaming.world.post(`sessions/${sessionId}/correct`, { energyWh: 3000, reason: "broken meter" })
    await partner.eventually("both are sent", () => partner.stores.cdrs.size === 3)
    expect([...partner.stores.cdrs.values()].map(({ credit }) => credit === true)).toEqual([false, true, false])
    expect(heardOf(partner, "POST", "cdrs")).toHaveLength(3)
    expect(other.stores.sessions.size + other.stores.cdrs.size).toBe(0)
    expect(heardOf(other, "PUT", "sessions").length + heardOf(other, "POST", "cdrs").length).toBe(0)
    expect(problemsOf(other)).toEqual([])
  })

  it("without a tariff wait for an operator, and are billed once they are corrected after a tariff was assigned", async () => {
    const { partner, place } = await seen("2.2.1")
    const { chargerId, siteId, tariffId } = place
    await roaming.world.ask("DELETE", `tariffs/${tariffId}/assignments?siteId=${siteId}`)
    const driver = new Driver(place)
    const sessionId = await charging(partner, place, driver, "UNPRICED1")
    await driver.stop()
    const heldOf = async () =>
      (await roaming.world.items(`sessions?held=true&chargerId=${chargerId}`)).map(({ heldReason }) => heldReason)
    await until(
      () => "the session is held",
      20_000,
      async () => (await heldOf()).length === 1
    )
    expect(await heldOf()).toEqual(["TariffMissing"])
    await partner.eventually("the session ends", () => sessionsOf(partner)[0]?.["status"] === "COMPLETED")
    await roaming.world.ask("PUT", `tariffs/${tariffId}/assignments`, { siteId })
    await roaming.world.post(`sessions/${sessionId}/correct`, { reason: "the tariff was forgotten" })
    await partner.eventually("the record is sent", () => partner.stores.cdrs.size === 1)
    const [cdr] = partner.stores.cdrs.values()
    expect(cdr).toMatchObject({ session_id: sessionId, currency: "EUR", tariffs: [{ id: tariffId }] })
    expect(field(cdr?.["total_cost"], "excl_vat")).toBeGreaterThan(0)
    expect(heardOf(partner, "PUT", "sessions").map(({ body }) => field(body, "currency"))).not.toContain("XXX")
    expect(await heldOf()).toEqual([])
    // As after any correction, the session has its price only now.
    expect(problemsOf(partner)).toEqual([`session ${sessionId} changed after its end`])
  })

  it("are sent once if the partner renews its tokens while it is being sent the record", async () => {
    const { id, partner, place } = await seen("2.2.1")
    const driver = new Driver(place)
    await charging(partner, place, driver, "ROTATE1")
    const held = Promise.withResolvers<void>()
    partner.server.faults.plan({ fault: { does: "hold", until: held.promise }, method: "POST", module: "cdrs" })
    await driver.stop()
    const posts = () => heardOf(partner, "POST", "cdrs").length
    await partner.eventually("the record is sent", () => posts() === 1)
    expect((await partner.rotate()).code).toBe(1000)
    // A change after the renewal shows that objects are still taken from the queue.
    await place.station.status(2, "Faulted")
    await partner.eventually("a status", () => statusesAt(partner, place)[1] === "OUTOFORDER")
    expect(posts()).toBe(1)
    held.resolve()
    await roaming.world.eventually(
      "everything is accepted",
      `partners/${id}/health`,
      ({ deliveries }) => field(deliveries, "state") === "UpToDate"
    )
    expect(posts()).toBe(1)
    expect(problemsOf(partner)).toEqual([])
  })

  it("that end while their partner has no valid token are sent after it has registered again", async () => {
    const { id, partner, place } = await seen("2.2.1")
    const driver = new Driver(place)
    const sessionId = await charging(partner, place, driver, "AWAY1")
    const { token, versionsUrl } = await roaming.reset(id)
    await driver.stop()
    const billed = async () => (await roaming.world.items(`cdrs?partnerId=${id}`)).length === 1
    await until(() => "the record is issued", 10_000, billed)
    expect((await partner.register(versionsUrl, token)).code).toBe(1000)
    await partner.eventually("the record is sent", () => partner.stores.cdrs.size === 1)
    await partner.eventually("the session ends", () => sessionsOf(partner)[0]?.["status"] === "COMPLETED")
    expect([...partner.stores.cdrs.values()].map((cdr) => cdr["session_id"])).toEqual([sessionId])
  })
})

describe("a partner that", () => {
  const faults = [
    ["answers 500", { does: "status", http: 500 }],
    ["hangs up", { does: "hangUp" }],
    ["ends in the middle of its answer", { does: "truncate" }],
    ["answers with a page for people", { does: "notJson" }],
    ["says that its server is broken", { does: "refuse", statusCode: 3000 }]
  ] as const

  it.each(faults)("%s gets the last state after one interval", async (_, fault) => {
    const { partner, place } = await seen("2.2.1")
    // A call without an answer over a used connection is repeated at once.
    partner.server.faults.plan({ fault, module: "locations", times: fault.does === "hangUp" ? 2 : 1 })
    await place.station.status(1, "Charging")
    await place.station.status(1, "Faulted")
    await partner.eventually("the last status", () => statusesAt(partner, place)[0] === "OUTOFORDER")
    const tries = heardOf(partner, "PATCH", "locations")
    expect(tries.length).toBeGreaterThanOrEqual(2)
    expect(tries.at(-1)!.at - tries.at(-2)!.at).toBeGreaterThanOrEqual(backgroundMillis * 0.9)
    expect(new Set(tries.map(({ headers }) => headers["x-correlation-id"])).size).toBe(1)
    expect(problemsOf(partner)).toEqual([])
  })

  it.each([
    ["refuses its locations with 3000", { does: "refuse", statusCode: 3000 }],
    ["answers 500 to its locations", { does: "status", http: 500 }],
    ["answers 501 to its locations", { does: "bare", http: 501 }],
    ["redirects its locations elsewhere", { does: "bare", http: 302 }],
    ["answers 429 to its locations", { does: "status", http: 429, retryAfterSeconds: 60 }]
  ] as const)("%s gets its records without delay, and is not down", async (_, fault) => {
    const { id, partner, place } = await seen("2.2.1")
    const driver = new Driver(place)
    partner.server.faults.plan({ fault, module: "locations" })
    await place.station.status(1, "Charging")
    await place.station.status(2, "Charging")
    const isBusy = fault.does === "status" && fault.http === 429
    const pushes = () => [...heardOf(partner, "PATCH", "locations"), ...heardOf(partner, "PUT", "locations")].length
    const before = pushes()
    await partner.eventually("it has refused some", () => pushes() >= before + (isBusy ? 0 : 5))
    await charging(partner, place, driver, `ALONE-${fault.does}${"http" in fault ? fault.http : ""}`)
    await driver.stop()
    await partner.eventually("the record is sent", () => partner.stores.cdrs.size === 1)
    const { deliveries } = await roaming.world.ask("GET", `partners/${id}/health`)
    expect(deliveries).toMatchObject({ state: "Delivering", downSince: null })
    // In its wait no request follows the first ones, which were sent at the same time.
    expect(isBusy ? pushes() - before : 0).toBeLessThanOrEqual(2)
  })

  it("does not implement PATCH gets the whole location instead", async () => {
    const { partner, place } = await seen("2.2.1")
    partner.server.faults.plan({ fault: { does: "bare", http: 501 }, method: "PATCH", module: "locations" })
    await place.station.status(1, "Charging")
    await partner.eventually("the status", () => statusesAt(partner, place)[0] === "CHARGING")
    const [patch] = heardOf(partner, "PATCH", "locations")
    const put = heardOf(partner, "PUT", "locations").find(({ at }) => at >= patch!.at)
    expect(put!.at - patch!.at).toBeLessThan(backgroundMillis)
    expect(problemsOf(partner)).toEqual([])
  })

  it("asks us to wait is not called at that module in that time", async () => {
    const { partner, place } = await seen("2.2.1")
    const fault = { does: "status", http: 429, retryAfterSeconds: 3 } as const
    partner.server.faults.plan({ fault, module: "locations", times: 1 })
    await place.station.status(1, "Charging")
    await partner.eventually("it has asked", () => heardOf(partner, "PATCH", "locations").length === 1)
    await place.station.status(2, "Charging")
    await partner.eventually("both statuses", () => statusesAt(partner, place).every((one) => one === "CHARGING"))
    const [first, second] = heardOf(partner, "PATCH", "locations")
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(2_900)
    expect(problemsOf(partner)).toEqual([])
  })

  it(
    "keeps refusing an object has it parked, visible to the operator, who can send it again",
    { timeout: 90_000 },
    async () => {
      const { id, partner, place } = await seen("2.2.1")
      const pushedTariff = () => [...partner.stores.tariffs.values()].find((one) => one["id"] === place.tariffId)
      await partner.eventually("the tariff is pushed", () => pushedTariff() !== undefined)
      const fault = { does: "refuse", statusCode: 2001 } as const
      partner.server.faults.plan({ fault, method: "PUT", module: "tariffs", id: place.tariffId })
      await roaming.world.ask("PATCH", `tariffs/${place.tariffId}`, { tariffAltUrl: "https://example.com/refused" })
      const item = await parkedAlone(id)
      expect(item).toMatchObject({ kind: "tariff", objectId: place.tariffId, tries: 5 })
      expect(String(item["problem"])).toContain("2001")
      // Changes from other tests in this file are sent to every partner too.
      await roaming.world.eventually("all else is delivered", `partners/${id}/health`, ({ deliveries }) => {
        const { due, parked, state } = deliveries as Json
        return state === "Parked" && parked === 1 && due === 0
      })
      // Everything else is still delivered.
      await place.station.status(1, "Charging")
      await partner.eventually("a status", () => statusesAt(partner, place)[0] === "CHARGING")
      partner.server.faults.clear()
      await roaming.world.post(`partners/${id}/parked/${String(item["id"])}/replay`, {})
      await partner.eventually("the tariff", () => pushedTariff()?.["tariff_alt_url"] === "https://example.com/refused")
      expect(await parkedOf(id)).toEqual([])
      await roaming.world.post(`partners/${id}/parked/${String(item["id"])}/replay`, {}, 404)
      expect(problemsOf(partner)).toEqual([])
    }
  )

  it(
    "refuses an object with a message that cannot be stored has only that object parked",
    { timeout: 90_000 },
    async () => {
      const { id, partner, place } = await seen("2.2.1")
      const other = (await roaming.registered("2.2.1")).partner
      const isTariffPushed = () => [...partner.stores.tariffs.values()].some((one) => one["id"] === place.tariffId)
      await partner.eventually("the tariff is pushed", isTariffPushed)
      const fault = { does: "refuse", statusCode: 2000, saying: "bad\u0000 \ud83d" } as const
      partner.server.faults.plan({ fault, method: "PUT", module: "tariffs", id: place.tariffId })
      await roaming.world.ask("PATCH", `tariffs/${place.tariffId}`, { tariffAltUrl: "https://example.com/refused" })
      await partner.eventually("it is refused", () => heardOf(partner, "PUT", "tariffs").length > 1)
      // Everything else is still delivered meanwhile.
      await place.station.status(1, "Charging")
      for (const one of [partner, other]) {
        await one.eventually("a status", () => statusesAt(one, place)[0] === "CHARGING")
      }
      const item = await parkedAlone(id)
      expect(item).toMatchObject({ kind: "tariff", objectId: place.tariffId })
      expect(item["problem"]).toBe("HTTP 200, status 2000, bad\\u0000 \ufffd")
    }
  )

  it("is suspended gets nothing, and the current state after the suspension", async () => {
    const { id, partner, place } = await seen("2.2.1")
    // Waits for pushes that have already started.
    await roaming.world.eventually(
      "it knows everything",
      `partners/${id}/health`,
      ({ deliveries }) => field(deliveries, "state") === "UpToDate"
    )
    await roaming.world.ask("PATCH", `partners/${id}`, { suspended: true })
    const pushes = () => partner.server.heard.filter(({ method }) => method !== "GET").length
    const count = pushes()
    await place.station.status(1, "Charging")
    await place.station.status(2, "Faulted")
    await new Promise((resolve) => setTimeout(resolve, 10 * backgroundMillis))
    expect(pushes()).toBe(count)
    await roaming.world.ask("PATCH", `partners/${id}`, { suspended: false })
    await partner.eventually("the current statuses", () => String(statusesAt(partner, place)) === "CHARGING,OUTOFORDER")
    expect(problemsOf(partner)).toEqual([])
  })
})
