/** Our calls to partners in each version, over real HTTP: every change once, in order, to the right partner, and despite all of its faults. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import type { Fault } from "./partner/Faults.ts"
import { Driver, makePlace, type Place } from "./partner/Place.ts"
import type { Partner } from "./partner/Partner.ts"
import { Roaming } from "./partner/Roaming.ts"
import { itInCommon, usualVersions } from "./partner/Usual.ts"
import type { Json } from "./partner/Wire.ts"
import type { Version } from "./schemas/Schemas.ts"

const roaming = new Roaming()

const list = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? (value as ReadonlyArray<Json>) : [])

const heldLocation = (partner: Partner, place: Place): Json | undefined =>
  [...partner.stores.locations.values()].find(({ id }) => id === place.siteId)

const statusesOf = (partner: Partner, place: Place): ReadonlyArray<unknown> =>
  list(heldLocation(partner, place)?.["evses"]).map(({ status }) => status)

const calls = (partner: Partner, method: string, module: string): number =>
  partner.server.heard.filter((one) => one.method === method && one.module === module).length

/** Without times of change, because a change of these alone is not sent. */
const timeless = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (name, item: unknown) => (name === "last_updated" ? "" : item))

let cards = 0

/** A partner that has received the place's location. */
const watching = async (version: Version) => {
  const place = await makePlace(roaming.world)
  const { id, partner } = await roaming.registered(version)
  await partner.eventually("the location is pushed", () => heldLocation(partner, place) !== undefined)
  return { id, partner, place }
}

/** A card of the partner that can charge without asking the partner. */
const withCard = async (partner: Partner, more: Json = { whitelist: "ALWAYS" }): Promise<string> => {
  const uid = `PUSH${(cards += 1)}`
  expect((await partner.putToken(partner.cards.make(uid, more))).code).toBe(1000)
  return uid
}

describe.each(usualVersions)("to a partner on OCPI %s", (version) => {
  const common = itInCommon(version)

  it("out PUT locations/:countryCode/:partyId/:locationId, the same as when pulled", async () => {
    const { partner, place } = await watching(version)
    await partner.eventually("both EVSEs are there", () => statusesOf(partner, place).length === 2)
    await roaming.world.ask("PATCH", `sites/${place.siteId}`, { name: "Harbour, renamed" })
    await partner.eventually("the name", () => heldLocation(partner, place)?.["name"] === "Harbour, renamed")
    expect(timeless(heldLocation(partner, place))).toEqual(timeless(await partner.read(place.siteId)))
    expect(partner.problems).toEqual([])
  })

  it("out PATCH locations/:countryCode/:partyId/:locationId/:evseUid at once", async () => {
    const { partner, place } = await watching(version)
    await partner.eventually("both EVSEs are there", () => statusesOf(partner, place).length === 2)
    const since = Date.now()
    await place.station.status(1, "Faulted", { errorCode: "GroundFailure" })
    await partner.eventually("the status", () => statusesOf(partner, place).includes("OUTOFORDER"))
    const [patch] = partner.server.heard.filter(({ at, method }) => method === "PATCH" && at >= since)
    // It takes less than a second on an idle machine. How long it takes under load is measured by the benchmark.
    expect((patch?.at ?? Number.POSITIVE_INFINITY) - since).toBeLessThan(3000)
    expect(timeless(heldLocation(partner, place))).toEqual(timeless(await partner.read(place.siteId)))
    expect(partner.problems).toEqual([])
  })

  it("out PUT sessions/:countryCode/:partyId/:sessionId and out POST cdrs go to the driver's partner only", async () => {
    const { partner, place } = await watching(version)
    const other = (await roaming.registered(version)).partner
    const driver = new Driver(place)
    await driver.start(await withCard(partner))
    await partner.eventually("the session", () => partner.stores.sessions.size === 1)
    await driver.meter(1200)
    await driver.stop()
    await partner.eventually("the CDR", () => partner.stores.cdrs.size === 1)
    const session = () => [...partner.stores.sessions.values()][0]
    await partner.eventually("the end", () => session()?.["status"] === "COMPLETED")
    const [pulled] = await partner.pull("sessions", "?date_from=2020-01-01T00:00:00Z")
    expect(timeless(session())).toEqual(timeless(pulled))
    expect([...partner.stores.cdrs.values()]).toEqual(await partner.pull("cdrs"))
    expect([other.stores.sessions.size, other.stores.cdrs.size]).toEqual([0, 0])
    expect([...partner.problems, ...other.problems]).toEqual([])
  })

  common("out POST cdrs is stored once, although its answer was lost", async () => {
    const { partner, place } = await watching(version)
    const driver = new Driver(place)
    await driver.start(await withCard(partner))
    partner.server.faults.plan({ fault: { does: "loseAnswer" }, module: "cdrs", times: 1 })
    await driver.meter(1200)
    await driver.stop()
    await partner.eventually("it is asked for", () => calls(partner, "GET", "cdrs") === 1)
    expect(partner.stores.cdrs.size).toBe(1)
    expect(calls(partner, "POST", "cdrs")).toBe(1)
    expect(partner.problems).toEqual([])
  })

  it("out GET cdrs/:cdrId after a doubtful refusal, and treats the record as sent if the partner has it", async () => {
    const { partner, place } = await watching(version)
    const driver = new Driver(place)
    const { faults } = partner.server
    await driver.start(await withCard(partner))
    faults.plan({ fault: { does: "loseAnswer" }, method: "POST", module: "cdrs", times: 1 })
    // No conflict here: each side has its own way to say that it already has a record.
    const answers = { "2.1.1": { does: "status", http: 500 }, "2.2": { does: "refuse", statusCode: 3000 } } as const
    const fault = version === "2.2.1" ? ({ does: "refuse", statusCode: 2001 } as const) : answers[version]
    faults.plan({ fault, method: "POST", module: "cdrs" })
    await driver.meter(1200)
    await driver.stop()
    await partner.eventually("it is asked whether it has it", () => calls(partner, "GET", "cdrs") === 1)
    const [cdr] = await partner.pull("cdrs")
    expect([...partner.stores.cdrs.keys()]).toEqual([cdr?.["id"]])
    // A record that the partner never stored is sent again.
    partner.stores.cdrs.clear()
    await driver.start(await withCard(partner))
    await driver.meter(1200)
    await driver.stop()
    await partner.eventually("it is asked again", () => calls(partner, "GET", "cdrs") >= 2)
    await partner.eventually("it is sent again", () => calls(partner, "POST", "cdrs") >= 3)
    faults.clear()
    await partner.eventually("it is sent again until it is taken", () => partner.stores.cdrs.size === 1)
    expect([...partner.stores.cdrs.keys()]).not.toContain(cdr?.["id"])
    expect(partner.problems).toEqual([])
  })

  it("names the party that owns the site, or the default party in 2.1.1", async () => {
    const { partner } = await watching(version)
    const other = { countryCode: "BE", partyId: `Z${version.replaceAll(".", "").slice(-2)}` }
    const party = await roaming.world.post("parties", { ...other, businessDetails: { name: "Branch" } })
    const place = await makePlace(roaming.world, { cpoPartyId: party["id"] })
    await partner.eventually("the location is pushed", () => heldLocation(partner, place) !== undefined)
    const driver = new Driver(place)
    await driver.start(await withCard(partner))
    await partner.eventually("the session", () => partner.stores.sessions.size === 1)
    const own = version === "2.1.1" ? ["NL", roaming.world.organisation.partyId] : [other.countryCode, other.partyId]
    const paths = partner.server.heard
      .filter(({ module, path }) => module === "sessions" || path.includes(place.siteId))
      .map(({ path }) => path.slice(0, 2))
    expect(paths).toEqual(paths.map(() => own))
    // A site that moves to another party is removed from its former address.
    await roaming.world.ask("PATCH", `sites/${place.siteId}`, { cpoPartyId: null, name: "Moved" })
    const isPresent = (one: Json) => list(one["evses"]).some(({ status }) => status !== "REMOVED")
    const moved = (one: Json) => one["id"] === place.siteId && one["name"] === "Moved" && isPresent(one)
    await partner.eventually("the move", () => [...partner.stores.locations.values()].some(moved))
    const puts = () =>
      partner.server.heard
        .filter(({ method, path }) => method === "PUT" && path.includes(place.siteId))
        .map(({ body, path }) => [path.slice(0, 2).join(), isPresent(body as Json)])
    // A status change of an EVSE may cause the location to be sent to the new party's address before the change of the site itself is sent.
    const last = () => [puts().findLast(([address]) => address === own.join()), puts().at(-1)]
    const now = [`NL,${roaming.world.organisation.partyId}`, true]
    await expect.poll(last, { timeout: 20_000 }).toEqual([[own.join(), version === "2.1.1"], now])
    expect(partner.problems).toEqual([])
  })

  it("out PUT tariffs/:countryCode/:partyId/:tariffId, the same as when pulled", async () => {
    const { partner, place } = await watching(version)
    const held = () => [...partner.stores.tariffs.values()].find(({ id }) => id === place.tariffId)
    await roaming.world.ask("PATCH", `tariffs/${place.tariffId}`, {
      elements: [{ priceComponents: [{ type: "ENERGY", price: 0.75, stepSize: 1 }] }]
    })
    await partner.eventually("the tariff", () => JSON.stringify(held() ?? {}).includes("0.75"))
    expect(held()).toEqual((await partner.pull("tariffs")).find(({ id }) => id === place.tariffId))
    expect(partner.problems).toEqual([])
  })

  common("out PUT tariffs/:countryCode/:partyId/:tariffId once it is assigned, the same as in the list", async () => {
    const { partner, place } = await watching(version)
    const elements = [{ priceComponents: [{ type: "ENERGY", price: 0.25, stepSize: 1 }] }]
    const draft = String((await roaming.world.post("tariffs", { currency: "EUR", elements }))["id"])
    await roaming.world.ask("PATCH", `tariffs/${place.tariffId}`, { elements })
    const held = (wanted: string) => [...partner.stores.tariffs.values()].find(({ id }) => id === wanted)
    await partner.eventually("what is for something", () => JSON.stringify(held(place.tariffId)).includes("0.25"))
    expect(held(draft)).toBeUndefined()
    // Replaces the other tariff, which is no longer assigned.
    await roaming.world.ask("PUT", `tariffs/${draft}/assignments`, { siteId: place.siteId })
    await partner.eventually("the change", () => held(draft) !== undefined && held(place.tariffId) === undefined)
    expect(held(draft)).toEqual((await partner.pull("tariffs")).find(({ id }) => id === draft))
    expect(partner.problems).toEqual([])
  })

  common("out DELETE tariffs/:countryCode/:partyId/:tariffId once it is no longer assigned", async () => {
    const { partner, place } = await watching(version)
    const held = () => [...partner.stores.tariffs.values()].some(({ id }) => id === place.tariffId)
    await partner.eventually("the tariff", held)
    await roaming.world.ask("DELETE", `tariffs/${place.tariffId}/assignments?siteId=${place.siteId}`)
    await partner.eventually("its end", () => !held())
    await roaming.world.ask("PUT", `tariffs/${place.tariffId}/assignments`, { chargerId: place.chargerId })
    await partner.eventually("its return", held)
    // The charger that it was assigned to is gone.
    await roaming.world.ask("DELETE", `chargers/${place.chargerId}`)
    await partner.eventually("its end", () => !held())
    await roaming.world.ask("DELETE", `tariffs/${place.tariffId}`)
    expect(partner.problems).toEqual([])
  })

  common(
    "out DELETE tariffs/:countryCode/:partyId/:tariffId only after the locations that named it have been sent",
    async () => {
      const { id, partner, place } = await watching(version)
      const held = () => [...partner.stores.tariffs.values()].some((one) => one["id"] === place.tariffId)
      await partner.eventually("the tariff", held)
      const names = () => JSON.stringify(heldLocation(partner, place)).includes(place.tariffId)
      await partner.eventually("a location that names it", names)
      // The location is refused until it is parked: the partner has it with the tariff until an operator sends it again.
      // Only this location: those of other tests in this file are sent to every partner too.
      const fault = { does: "refuse", statusCode: 2001 } as const
      partner.server.faults.plan({ fault, method: "PUT", module: "locations", id: place.siteId })
      await roaming.world.ask("DELETE", `tariffs/${place.tariffId}/assignments?siteId=${place.siteId}`)
      await roaming.world.eventually("it is parked", `partners/${id}/parked`, ({ items }) => list(items).length === 1)
      expect([names(), held(), calls(partner, "DELETE", "tariffs")]).toEqual([true, true, 0])
      const { deliveries } = await roaming.world.get(`partners/${id}/health`)
      expect(deliveries).toMatchObject({ parked: 1 })
      expect(Number((deliveries as Json)["due"])).toBeGreaterThanOrEqual(1)
      partner.server.faults.clear()
      await roaming.world.post(`partners/${id}/parked/replay`, undefined)
      await partner.eventually("its end", () => !held())
      expect(names()).toBe(false)
      const since = partner.server.heard.findLastIndex(
        ({ method, module }) => method === "PUT" && module === "locations"
      )
      const deleted = partner.server.heard.findIndex(
        ({ method, module }) => method === "DELETE" && module === "tariffs"
      )
      expect(deleted).toBeGreaterThan(since)
      expect(partner.problems).toEqual([])
    }
  )

  common("out GET tokens, every page of them, after it has registered", async () => {
    const partner = await roaming.partner(version)
    for (const uid of ["P1", "P2", "P3", "P4", "P5"]) partner.cards.add(partner.cards.make(`${uid}-${(cards += 1)}`))
    const { token, versionsUrl } = await roaming.invite(partner)
    await partner.register(versionsUrl, token)
    await partner.eventually("three pages", () => calls(partner, "GET", "tokens") >= 3)
    const last = partner.cards.make(`P5-${cards}`)
    const known = async () => (await partner.ask("GET", "tokens", partner.tokenPath(last))).http === 200
    await expect.poll(known, { timeout: 10_000 }).toBe(true)
    expect(partner.problems).toEqual([])
  })

  common("out POST tokens/:tokenUid/authorize while the driver waits, and uses its answer", async () => {
    const { partner, place } = await watching(version)
    const said = async (uid: string) => {
      const { idTagInfo } = await place.station.call("Authorize", { idTag: uid })
      return (idTagInfo as Json)["status"]
    }
    const aCard = () => withCard(partner, { whitelist: "NEVER" })
    const [allowed, blocked, unasked] = [await aCard(), await aCard(), await aCard()]
    expect(await said(allowed)).toBe("Accepted")
    partner.cards.authorize = () => ({ allowed: "BLOCKED" })
    expect(await said(blocked)).toBe("Blocked")
    expect(partner.cards.asked.map(({ uid }) => uid)).toEqual([allowed, blocked])
    // A partner that does not answer allows no card with whitelist NEVER.
    partner.server.faults.plan({ fault: { does: "hang" }, module: "tokens", method: "POST" })
    expect(await said(unasked)).toBe("Invalid")
    partner.server.faults.clear()
    expect(partner.problems).toEqual([])
  })
})

/** The memory of the service in MiB. */
const memoryOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

describe("to a faulty partner", () => {
  it.each<Fault>([
    { does: "status", http: 500 },
    { does: "status", http: 429, retryAfterSeconds: 1 },
    { does: "hangUp" },
    { does: "truncate" },
    { does: "notJson" }
  ])("a push that failed by %j is sent again, and the last state arrives", async (fault) => {
    const { partner, place } = await watching("2.2.1")
    await partner.eventually("both EVSEs are there", () => statusesOf(partner, place).length === 2)
    partner.server.faults.plan({ fault, module: "locations", times: 2 })
    await place.station.status(2, "Faulted", { errorCode: "GroundFailure" })
    await place.station.status(2, "Unavailable")
    await partner.eventually("the last state", () => statusesOf(partner, place).includes("INOPERATIVE"))
    expect(partner.problems).toEqual([])
  })

  it("that was down for a while, everything arrives in order when it is back", { timeout: 120_000 }, async () => {
    const place = await makePlace(roaming.world)
    const silent = await roaming.registered("2.2.1")
    // One is down, one is behind an ingress that answers 404 for it, and one answers 404 only at the address of its records.
    const bare = await roaming.registered("2.2.1")
    const halved = await roaming.registered("2.1.1")
    const all = [silent, bare, halved]
    const partners = all.map(({ partner }) => partner)
    for (const partner of partners) {
      await partner.eventually("the location is pushed", () => heldLocation(partner, place) !== undefined)
    }
    const driver = new Driver(place)
    const uids = await Promise.all(partners.map((partner) => withCard(partner)))
    await silent.partner.server.down()
    bare.partner.server.faults.plan({ fault: { does: "bare", http: 404 } })
    halved.partner.server.faults.plan({ fault: { does: "bare", http: 404 }, module: "cdrs" })
    for (const uid of [...uids, ...uids, ...uids]) {
      await driver.start(uid)
      await driver.meter(1200)
      await driver.stop()
    }
    await roaming.world.ask("PATCH", `sites/${place.siteId}`, { name: "Meanwhile renamed" })
    const isRenamed = (partner: Partner) => heldLocation(partner, place)?.["name"] === "Meanwhile renamed"
    await halved.partner.eventually("the name", () => isRenamed(halved.partner))
    // For longer than a refused object is retried.
    await expect.poll(() => calls(halved.partner, "POST", "cdrs"), { timeout: 60_000 }).toBeGreaterThan(15)
    const health = async (id: string) => (await roaming.world.get(`partners/${id}/health`))["deliveries"]
    const states = await Promise.all(all.map(({ id }) => health(id)))
    const expected = [{ state: "Down" }, { state: "Down" }, { state: "Delivering", due: 3, downSince: null }]
    for (const [i, state] of states.entries()) expect(state).toMatchObject({ parked: 0, ...expected[i] })
    await silent.partner.server.up()
    for (const partner of partners) partner.server.faults.clear()
    const since = Date.now()
    for (const partner of partners) {
      await expect.poll(() => partner.stores.cdrs.size, { timeout: 90_000 }).toBe(3)
      await partner.eventually("the name", () => isRenamed(partner))
      await partner.eventually("the sessions", () =>
        [...partner.stores.sessions.values()].every(({ status }) => status === "COMPLETED")
      )
      expect(partner.stores.sessions.size).toBe(3)
      expect(partner.problems).toEqual([])
    }
    expect(Date.now() - since).toBeLessThan(90_000)
    expect(calls(silent.partner, "POST", "cdrs")).toBe(3)
  })

  it.skipIf(process.platform !== "linux")("an endless answer is read up to the limit only", async () => {
    const partner = await roaming.partner("2.2.1")
    const { token, versionsUrl } = await roaming.invite(partner)
    const { pid } = roaming.world.service.life
    const before = memoryOf(pid)
    partner.server.faults.plan({ fault: { does: "flood", bytes: 100_000_000 }, module: "tokens" })
    await partner.register(versionsUrl, token)
    await partner.eventually("it is asked for its tokens", () => calls(partner, "GET", "tokens") > 0)
    await expect.poll(() => roaming.world.service.status("/readyz"), { timeout: 10_000 }).toBe(200)
    expect(partner.server.flooded).toBeLessThan(40_000_000)
    expect(memoryOf(pid) - before).toBeLessThan(96)
  })

  it("whose next page is the same page, the list is not read further", async () => {
    const partner = await roaming.partner("2.2.1")
    partner.cards.add(partner.cards.make(`LOOP${(cards += 1)}`))
    const { token, versionsUrl } = await roaming.invite(partner)
    partner.server.faults.plan({ fault: { does: "loop" }, module: "tokens" })
    await partner.register(versionsUrl, token)
    await partner.eventually("it is asked for its tokens", () => calls(partner, "GET", "tokens") > 0)
    const other = (await roaming.registered("2.2.1")).partner
    await partner.eventually("another is asked", () => calls(other, "GET", "tokens") > 0)
    expect(calls(partner, "GET", "tokens")).toBeLessThan(5)
  })
})
