/** What every storage of locations must do, on every database. */
import { expect } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Locations } from "../../src/domain/site/Locations.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import { Tariffs } from "../../src/domain/tariff/Tariffs.ts"
import { layer } from "../../src/storage/sites/Locations.ts"
import { aConnector } from "../support/reported.ts"
import { anOrganisation, type ContractIt, failureOf, noon } from "../support/repositories.ts"
import { aLocation, aReportedCharger, complete, setStatus } from "../support/locations.ts"
import { statementsOf } from "../support/statements.ts"

const all = { offset: 0, limit: 100 }

/** As a bare list. */
const list = { before: "[", after: "]" }
const day = 86_400_000

const textOf = (json: Uint8Array): string => Buffer.from(json).toString("utf8")

/** The time that a test sets. The database's own clock goes on as usual. */
const dial = { now: noon }
const clock: Clock.Clock = {
  currentTimeMillisUnsafe: () => dial.now,
  currentTimeMillis: Effect.sync(() => dial.now),
  currentTimeNanosUnsafe: () => BigInt(dial.now) * 1_000_000n,
  currentTimeNanos: Effect.sync(() => BigInt(dial.now) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => BigInt(dial.now) * 1_000_000n,
  monotonicTimeNanos: Effect.sync(() => BigInt(dial.now) * 1_000_000n),
  sleep: () => Effect.void
}

const at = (ms: number) =>
  Effect.sync(() => {
    dial.now = noon + ms
  })

const timed = Effect.provideService(Clock.Clock, clock)

/** The changes of a site's location that no other fact reports: the EVSEs whose status has changed, fact by fact. */
const timeDrivenChangesOf = (siteId: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ readonly body: { readonly evses: ReadonlyArray<string> } }>`
        SELECT j.body FROM journal j WHERE j.type = 'LocationChanged' AND j.subject = ${`site:${siteId}`} ORDER BY j.position`,
      (rows) => rows.map(({ body }) => body.evses)
    )
  )

export const locationsContract = (it: ContractIt): void => {
  it.effect("the publication of many sites is read by one statement", () =>
    Effect.gen(function* () {
      const locations = yield* Locations
      const sites = yield* Sites
      const ours = yield* anOrganisation
      const whole = yield* sites.create({ ...complete, name: "Whole" }, ours.writing())
      const empty = yield* sites.create({ ...complete, name: "Empty" }, ours.writing())
      const bare = yield* sites.create({ name: "Bare" }, ours.writing())
      yield* aReportedCharger(ours, whole.id)
      yield* aReportedCharger(ours, bare.id)
      const asked = locations.publications(ours.id, [whole.id, empty.id, bare.id, "none"])
      expect(yield* statementsOf(asked)).toHaveLength(1)
      expect([...(yield* asked)].toSorted()).toEqual(
        [
          [whole.id, { published: true, missing: [] }],
          [empty.id, { published: false, missing: ["chargers"] }],
          [bare.id, { published: false, missing: ["streetAddress", "city", "country", "latitude", "longitude"] }]
        ].toSorted()
      )
    })
  )

  it.effect("a site becomes a location once it has all it needs, and names what is missing until then", () =>
    Effect.gen(function* () {
      const locations = yield* Locations
      const sites = yield* Sites
      const ours = yield* anOrganisation
      const site = yield* sites.create({ name: "Bare", timeZone: "UTC" }, ours.writing())
      expect(yield* locations.publication(ours.id, site.id)).toEqual({
        published: false,
        missing: ["streetAddress", "city", "country", "latitude", "longitude", "chargers"]
      })
      yield* sites.update(site.id, { ...complete, name: "Whole" }, ours.writing())
      expect((yield* locations.publication(ours.id, site.id)).missing).toEqual(["chargers"])
      expect(yield* locations.page(ours.id, all)).toEqual({ items: [], total: 0 })
      yield* aReportedCharger(ours, site.id)
      expect(yield* locations.publication(ours.id, site.id)).toEqual({ published: true, missing: [] })
      const { items, total } = yield* locations.page(ours.id, all)
      expect(total).toBe(1)
      expect(items[0]).toMatchObject({
        id: site.id,
        name: "Whole",
        address: "Quay 12b",
        postalCode: "8232 JX",
        evses: [{ status: "AVAILABLE", connectors: [{ id: "1", standard: "IEC_62196_T2", assumed: true }] }]
      })
    })
  )

  it.effect(
    "a change is visible at once, and updates only the time of the changed object and of those that contain it",
    () =>
      Effect.gen(function* () {
        const locations = yield* Locations
        const ours = yield* anOrganisation
        yield* at(0)
        const { chargerId, site } = yield* aLocation(ours)
        yield* aConnector(chargerId, 2, 1, "Available")
        const before = yield* locations.get(ours.id, site.id)
        expect(before.lastUpdated).toBe(noon)
        yield* at(60_000)
        yield* setStatus(chargerId, 2, "Charging")
        const after = yield* locations.get(ours.id, site.id.toUpperCase())
        expect(after.evses.map(({ lastUpdated, status }) => [status, lastUpdated])).toEqual([
          ["AVAILABLE", noon],
          ["CHARGING", noon + 60_000]
        ])
        expect(after.evses[1]?.connectors).toEqual(before.evses[1]?.connectors)
        expect(after.lastUpdated).toBe(noon + 60_000)
        // A status with the same meaning changes nothing.
        yield* at(120_000)
        yield* setStatus(chargerId, 2, "Preparing")
        expect(yield* locations.get(ours.id, site.id)).toEqual(after)
      }).pipe(timed)
  )

  it.effect(
    "equipment and tariffs belong to the connector, and their change updates the times of connector, EVSE and location",
    () =>
      Effect.gen(function* () {
        const locations = yield* Locations
        const chargers = yield* Chargers
        const tariffs = yield* Tariffs
        const ours = yield* anOrganisation
        yield* at(0)
        const { chargerId, site } = yield* aLocation(ours)
        yield* locations.get(ours.id, site.id)
        yield* at(1000)
        const equipment = {
          evseId: 1,
          connectorId: 1,
          standard: "CHADEMO",
          format: "CABLE",
          powerType: "DC",
          maxVoltage: 500,
          maxAmperage: 125,
          maxPowerW: 50_000
        } as const
        yield* chargers.update(chargerId, { equipment: [equipment] }, ours.writing())
        const body = {
          currency: "EUR",
          elements: [{ priceComponents: [{ type: "ENERGY", price: 0.3, stepSize: 1 }] }]
        } as const
        const wide = yield* tariffs.create(body, ours.writing())
        const narrow = yield* tariffs.create({ ...body, startDateTime: noon + day }, ours.writing())
        yield* tariffs.assign(wide.id, { scope: "organisation" }, ours.writing())
        yield* tariffs.assign(narrow.id, { scope: "charger", chargerId }, ours.writing())
        const [evse] = (yield* locations.get(ours.id, site.id)).evses
        expect(evse).toMatchObject({
          capabilities: ["RFID_READER", "REMOTE_START_STOP_CAPABLE"],
          lastUpdated: noon + 1000,
          connectors: [
            {
              standard: "CHADEMO",
              assumed: false,
              tariffId: wide.id,
              laterTariffIds: [narrow.id],
              lastUpdated: noon + 1000
            }
          ]
        })
        // Without any change, the more specific tariff begins.
        yield* at(day)
        while (yield* locations.refresh(50)) yield* Effect.void
        const nextDay = yield* locations.get(ours.id, site.id)
        expect(nextDay.evses[0]?.connectors[0]).toMatchObject({ tariffId: narrow.id, laterTariffIds: [] })
        expect(nextDay.lastUpdated).toBe(noon + day)
      }).pipe(timed)
  )

  it.effect("removed chargers and sites are shown as REMOVED for ninety days, and then no longer", () =>
    Effect.gen(function* () {
      const locations = yield* Locations
      const chargers = yield* Chargers
      const sites = yield* Sites
      const ours = yield* anOrganisation
      yield* at(0)
      const { chargerId, site } = yield* aLocation(ours)
      yield* locations.refresh(50)
      const other = yield* aLocation(ours, { name: "Other" })
      expect((yield* locations.page(ours.id, all)).items.map(({ id }) => id)).toEqual([site.id, other.site.id])
      yield* at(1000)
      yield* chargers.remove(chargerId, ours.writing())
      yield* sites.remove(site.id, ours.writing())
      const gone = yield* locations.get(ours.id, site.id)
      expect(gone).toMatchObject({ lastUpdated: noon + 1000, evses: [{ status: "REMOVED", lastUpdated: noon + 1000 }] })
      expect(gone.evses[0]?.evseId).toContain("*E")
      yield* at(90 * day + 2000)
      while (yield* locations.refresh(50)) yield* Effect.void
      expect(yield* failureOf(locations.get(ours.id, site.id))).toEqual(["NotFound", "location"])
      // The locations after it move up.
      const left = yield* locations.page(ours.id, { offset: 0, limit: 1 })
      expect(left.items.map(({ id }) => id)).toEqual([other.site.id])
      expect(left.total).toBe(1)
    }).pipe(timed)
  )

  it.effect("a removed EVSE keeps its evse_id until its charger is used at another site", () =>
    Effect.gen(function* () {
      const locations = yield* Locations
      const chargers = yield* Chargers
      const sites = yield* Sites
      const ours = yield* anOrganisation
      const { chargerId, site } = yield* aLocation(ours)
      const [before] = (yield* locations.get(ours.id, site.id)).evses
      yield* chargers.remove(chargerId, ours.writing())
      expect((yield* locations.get(ours.id, site.id)).evses).toMatchObject([
        { status: "REMOVED", evseId: before?.evseId }
      ])
      const there = yield* sites.create({ ...complete, name: "There" }, ours.writing())
      const again = {
        chargerId,
        name: "Again",
        siteId: there.id,
        securityProfile: 0,
        passwordVerifier: undefined
      } as const
      yield* chargers.register(again, ours.writing())
      yield* aConnector(chargerId, 1, 1, "Available")
      expect((yield* locations.get(ours.id, there.id)).evses).toMatchObject([{ evseId: before?.evseId }])
      const [after] = (yield* locations.get(ours.id, site.id)).evses
      expect([after?.status, after?.evseId]).toEqual(["REMOVED", undefined])
    })
  )

  it.effect("a charger that moves is REMOVED at the old site and gets a new EVSE uid at the new one", () =>
    Effect.gen(function* () {
      const locations = yield* Locations
      const chargers = yield* Chargers
      const sites = yield* Sites
      const ours = yield* anOrganisation
      const { chargerId, site } = yield* aLocation(ours)
      const before = yield* locations.get(ours.id, site.id)
      const there = yield* sites.create({ ...complete, name: "There" }, ours.writing())
      yield* chargers.update(chargerId, { siteId: there.id }, ours.writing())
      const after = yield* locations.get(ours.id, site.id)
      expect(after.evses.map(({ evseId, status, uid }) => [uid, status, evseId])).toEqual([
        [before.evses[0]?.uid, "REMOVED", undefined]
      ])
      const [moved] = (yield* locations.get(ours.id, there.id)).evses
      expect(moved).toMatchObject({ status: "AVAILABLE", evseId: before.evses[0]?.evseId })
      expect(moved?.uid).not.toBe(before.evses[0]?.uid)
      expect(yield* locations.evseOf(ours.id, chargerId, 1)).toEqual({
        locationId: there.id,
        uid: moved?.uid,
        evseId: moved?.evseId
      })
      // A new name changes nothing for partners.
      yield* chargers.update(chargerId, { name: "Renamed" }, ours.writing())
      expect((yield* locations.get(ours.id, there.id)).evses).toEqual([moved])
    })
  )

  it.effect("the status is UNKNOWN while a charger is disconnected or its node is dead", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const locations = yield* Locations
      const ours = yield* anOrganisation
      const { chargerId, site } = yield* aLocation(ours)
      const status = Effect.map(locations.get(ours.id, site.id), ({ evses }) => evses[0]?.status)
      expect(yield* status).toBe("AVAILABLE")
      yield* sql`SELECT connection_close(ARRAY[charger_id], ARRAY[epoch::float8], ARRAY[now()], ARRAY['the line was cut'])
        FROM connection WHERE charger_id = ${chargerId}`
      expect(yield* status).toBe("UNKNOWN")
      yield* sql`SELECT * FROM connection_open(ARRAY[${chargerId}], ARRAY['1.6'], ARRAY[0], ARRAY['192.0.2.7'], ARRAY[now()],
        ${`node ${chargerId}`})`
      expect(yield* status).toBe("AVAILABLE")
      // Connections of a dead node are not closed.
      yield* sql`UPDATE location SET due_at = NULL`
      yield* sql`UPDATE node SET lease_until = now() - interval '1 hour' WHERE node_id <> ${`node ${chargerId}`}`
      yield* sql`UPDATE node SET lease_until = '2100-01-01 00:00Z' WHERE node_id = ${`node ${chargerId}`}`
      expect(yield* locations.nextDue).toBe(Date.UTC(2100, 0, 1))
      yield* sql`UPDATE node SET lease_until = now() + interval '1 ms' WHERE node_id = ${`node ${chargerId}`}`
      yield* sql`SELECT pg_sleep(0.01)`
      while (yield* locations.refresh(50)) yield* Effect.void
      expect(yield* status).toBe("UNKNOWN")
      yield* sql`UPDATE node SET lease_until = now() + interval '1 hour' WHERE node_id = ${`node ${chargerId}`}`
      expect(yield* status).toBe("AVAILABLE")
    })
  )

  it.effect(
    "a tariff that begins or ends by time makes a fact, even if that is noticed because of another change",
    () =>
      Effect.gen(function* () {
        const locations = yield* Locations
        const tariffs = yield* Tariffs
        const ours = yield* anOrganisation
        yield* at(0)
        const { chargerId, site } = yield* aLocation(ours)
        const body = {
          currency: "EUR",
          elements: [{ priceComponents: [{ type: "ENERGY", price: 0.3, stepSize: 1 }] }]
        } as const
        const nextDay = yield* tariffs.create({ ...body, startDateTime: noon + day }, ours.writing())
        const third = yield* tariffs.create({ ...body, endDateTime: noon + 2 * day }, ours.writing())
        yield* tariffs.assign(nextDay.id, { scope: "charger", chargerId }, ours.writing())
        yield* tariffs.assign(third.id, { scope: "site", siteId: site.id }, ours.writing())
        yield* locations.get(ours.id, site.id)
        // The fact that an EVSE has appeared.
        const appeared = yield* timeDrivenChangesOf(site.id)
        expect(appeared).toEqual([[]])
        yield* at(day - 1)
        expect(yield* locations.nextDue).toBeLessThanOrEqual(noon + day)
        while (yield* locations.refresh(50)) yield* Effect.void
        expect(yield* timeDrivenChangesOf(site.id)).toEqual(appeared)
        yield* at(day)
        while (yield* locations.refresh(50)) yield* Effect.void
        expect(yield* timeDrivenChangesOf(site.id)).toEqual([[], []])
        // The end of a tariff that is shown nowhere changes nothing.
        yield* at(2 * day)
        while (yield* locations.refresh(50)) yield* Effect.void
        expect(yield* timeDrivenChangesOf(site.id)).toEqual([[], []])
        // A status arrives at the moment when the tariff ends, and its own fact does not report that.
        yield* tariffs.update(nextDay.id, { endDateTime: noon + 3 * day }, ours.writing())
        yield* locations.get(ours.id, site.id)
        yield* at(3 * day)
        yield* setStatus(chargerId, 1, "Faulted")
        const seen = yield* locations.get(ours.id, site.id)
        expect(seen.evses[0]).toMatchObject({ status: "OUTOFORDER", connectors: [{ tariffId: undefined }] })
        expect(yield* timeDrivenChangesOf(site.id)).toEqual([[], [], [seen.evses[0]?.uid]])
      }).pipe(timed)
  )

  it.effect("EVSEs of a node that dies or comes back make a fact, and changes that other facts report do not", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const locations = yield* Locations
      const ours = yield* anOrganisation
      const { chargerId, site } = yield* aLocation(ours)
      const [evse] = (yield* locations.get(ours.id, site.id)).evses
      const lease = (span: string) =>
        sql`UPDATE node SET lease_until = now() + ${span}::interval WHERE node_id = ${`node ${chargerId}`}`
      yield* setStatus(chargerId, 1, "Charging")
      yield* locations.get(ours.id, site.id)
      expect(yield* timeDrivenChangesOf(site.id)).toEqual([[]])
      yield* lease("1 ms")
      yield* sql`SELECT pg_sleep(0.01)`
      while (yield* locations.refresh(50)) yield* Effect.void
      expect(yield* timeDrivenChangesOf(site.id)).toEqual([[], [evse?.uid]])
      yield* lease("1 hour")
      while (yield* locations.refresh(50)) yield* Effect.void
      expect(yield* timeDrivenChangesOf(site.id)).toEqual([[], [evse?.uid], [evse?.uid]])
      yield* aConnector(chargerId, 2, 1, "Available")
      expect((yield* locations.get(ours.id, site.id)).evses).toHaveLength(2)
      expect(yield* timeDrivenChangesOf(site.id)).toEqual([[], [evse?.uid], [evse?.uid], []])
    })
  )

  it.effect("pages contain all locations in order, filtered by the time of their last change", () =>
    Effect.gen(function* () {
      const locations = yield* Locations
      const ours = yield* anOrganisation
      const ids: Array<string> = []
      const chargers: Array<string> = []
      for (let n = 0; n < 5; n++) {
        yield* at(n * 1000)
        const { chargerId, site } = yield* aLocation(ours, { name: `Site ${n}` })
        yield* locations.refresh(50)
        ids.push(site.id)
        chargers.push(chargerId)
      }
      yield* at(10_000)
      yield* setStatus(chargers[1] ?? "", 1, "Faulted")
      const page = (window: object) =>
        Effect.map(locations.page(ours.id, { ...all, ...window }), ({ items, total }) => [
          total,
          ...items.map(({ id }) => ids.indexOf(id))
        ])
      expect(yield* page({})).toEqual([5, 0, 1, 2, 3, 4])
      expect(yield* page({ offset: 2, limit: 2 })).toEqual([5, 2, 3])
      expect(yield* page({ offset: 5 })).toEqual([5])
      expect(yield* page({ offset: 2_147_483_647 })).toEqual([5])
      // `from` is inclusive, `to` is not.
      expect(yield* page({ from: noon + 3000 })).toEqual([3, 1, 3, 4])
      expect(yield* page({ from: noon + 3000, offset: 1, limit: 1 })).toEqual([3, 3])
      expect(yield* page({ from: noon + 2000, to: noon + 4000 })).toEqual([2, 2, 3])
      expect(yield* page({ from: noon, to: noon + 10_001 })).toEqual([5, 0, 1, 2, 3, 4])
      expect(yield* page({ from: noon + 10_001 })).toEqual([0])
      // The same as JSON, in the format of a version.
      const jsonPage = (window: object) =>
        Effect.map(locations.json(ours.id, "2.2.1", { ...all, ...window }, list), ({ body, count, total }) => {
          const items = JSON.parse(textOf(body)) as ReadonlyArray<{ readonly id: string }>
          expect(items).toHaveLength(count)
          return [total, ...items.map(({ id }) => ids.indexOf(id))]
        })
      expect(yield* jsonPage({})).toEqual([5, 0, 1, 2, 3, 4])
      expect(yield* jsonPage({ offset: 3, limit: 1 })).toEqual([5, 3])
      expect(yield* jsonPage({ offset: 5 })).toEqual([5])
      expect(yield* jsonPage({ from: noon + 3000, offset: 1 })).toEqual([3, 3, 4])
      expect(textOf((yield* locations.json(ours.id, "2.1.1", { offset: 1, limit: 1 }, list)).body)).toContain(
        '"status":"OUTOFORDER"'
      )
    }).pipe(timed)
  )

  it.effect("a reader sees all locations while another one updates those that are marked as changed", () =>
    Effect.gen(function* () {
      const locations = yield* Locations
      const ours = yield* anOrganisation
      for (let total = 1; total <= 4; total++) {
        yield* aLocation(ours)
        const read = { page: locations.page(ours.id, all), json: locations.json(ours.id, "2.2.1", all, list) }
        const seen = yield* Effect.all({ refreshed: locations.refresh(50), ...read }, { concurrency: "unbounded" })
        expect([seen.page.total, seen.page.items.length, seen.json.total, seen.json.count]).toEqual(
          Array(4).fill(total)
        )
      }
    })
  )

  it.effect("another version of the service writes the stored texts again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ours = yield* anOrganisation
      yield* aLocation(ours)
      const textOfVersion = (version: string) =>
        Effect.flatMap(Locations, (locations) => locations.json(ours.id, "2.2.1", all, list)).pipe(
          Effect.map(({ body }) => textOf(body)),
          Effect.provide(layer({ texts: () => ({ "2.2.1": `"${version}"` }), version }))
        )
      expect(yield* textOfVersion("1.0.0")).toBe('["1.0.0"]')
      expect(yield* textOfVersion("1.0.1")).toBe('["1.0.1"]')
      expect(yield* sql`SELECT 1 FROM location_stale WHERE organisation_id = ${ours.id}`).toEqual([])
    })
  )

  it.effect("a configuration that is reported again unchanged updates no location, and a different one does", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const locations = yield* Locations
      const ours = yield* anOrganisation
      const { chargerId } = yield* aLocation(ours)
      const reported = (profiles: string) => sql`
        INSERT INTO charger_configuration (charger_id, keys, reported_at)
        VALUES (${chargerId}, jsonb_build_array(jsonb_build_object('key', 'SupportedFeatureProfiles', 'value', ${profiles}::text)), now())
        ON CONFLICT (charger_id) DO UPDATE SET keys = excluded.keys, reported_at = excluded.reported_at`
      const marks = Effect.map(
        sql`SELECT 1 FROM location_stale WHERE organisation_id = ${ours.id}`,
        (rows) => rows.length
      )
      yield* reported("Core")
      expect(yield* marks).toBeGreaterThan(0)
      while (yield* locations.refresh(50)) yield* Effect.void
      yield* reported("Core")
      expect(yield* marks).toBe(0)
      yield* reported("Core,Reservation")
      expect(yield* marks).toBe(1)
    })
  )

  it.effect("a location that cannot be built does not keep others from being shown", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const locations = yield* Locations
      const ours = yield* anOrganisation
      const { site } = yield* aLocation(ours)
      const broken = yield* aLocation(ours)
      yield* sql`UPDATE site SET opening_hours = '{"twentyfourseven": "perhaps"}' WHERE id = ${broken.site.id}`
      const { items } = yield* locations.page(ours.id, all)
      expect(items.map(({ id }) => id)).toEqual([site.id])
      yield* sql`UPDATE site SET opening_hours = NULL WHERE id = ${broken.site.id}`
      expect((yield* locations.page(ours.id, all)).items.map(({ id }) => id)).toEqual([site.id, broken.site.id])
    })
  )

  it.effect("another organisation sees none of the locations", () =>
    Effect.gen(function* () {
      const locations = yield* Locations
      const ours = yield* anOrganisation
      const others = yield* anOrganisation
      const { chargerId, site } = yield* aLocation(ours)
      expect(yield* locations.page(others.id, all)).toEqual({ items: [], total: 0 })
      const theirs = yield* locations.json(others.id, "2.1.1", all, list)
      expect([textOf(theirs.body), theirs.count, theirs.total]).toEqual(["[]", 0, 0])
      expect(yield* locations.ofSites(others.id, [site.id])).toEqual([])
      expect(yield* locations.evseOf(others.id, chargerId, 1)).toBeUndefined()
      expect(yield* failureOf(locations.get(others.id, site.id))).toEqual(["NotFound", "location"])
      expect(yield* failureOf(locations.publication(others.id, site.id))).toEqual(["NotFound", "site"])
      expect((yield* locations.publications(others.id, [site.id])).size).toBe(0)
      expect((yield* locations.ofSites(ours.id, [site.id, "no id"])).map(({ id }) => id)).toEqual([site.id])
    })
  )
}
