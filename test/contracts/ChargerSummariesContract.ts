/** What every storage of chargers must do for their summaries and counts, on every database. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { chargerRowOf, fleetOf, overallStates } from "../../src/domain/charger/ChargerRow.ts"
import { Chargers, type SummaryFilter } from "../../src/domain/charger/Chargers.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import { connectorStatuses } from "../../src/domain/site/Connector.ts"
import { aBoot, aConnection, aConnector, aSession } from "../support/reported.ts"
import { anOrganisation, type ContractIt, failureOf, noon, type TestOrganisation } from "../support/repositories.ts"
import { statementsOf } from "../support/statements.ts"
import { aChargerId, aHome, registration } from "./ChargersContract.ts"

const minute = 60_000

/** Sets the power that a session draws at a moment. */
const draws = (sessionId: string, powerW: number, at: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`UPDATE session SET power_w = ${powerW}, power_at = ${new Date(at)} WHERE id = ${sessionId}`
  })

/** Five chargers: one is charging, one has a fault, one is offline, one has never connected, and one has reported no status. */
const aFleet = Effect.gen(function* () {
  const chargers = yield* Chargers
  const sites = yield* Sites
  const { ours, site } = yield* aHome
  const other = yield* sites.create({ name: "Köping_100%" }, ours.writing())
  const ids = Array.from({ length: 5 }, aChargerId).toSorted()
  const [a = "", b = "", c = "", , e = ""] = ids
  for (const [n, id] of ids.entries()) {
    const siteId = n < 3 ? site.id : other.id
    yield* chargers.register(registration(id, { name: `Pole_${n}`, siteId }), ours.writing())
  }
  yield* aBoot(a)
  yield* aConnector(a, 0, 0, "Available")
  yield* aConnector(a, 1, 1, "Charging", "cold")
  yield* aConnector(a, 2, 1, "Available")
  yield* aConnector(b, 1, 1, "Charging")
  yield* aConnector(b, 2, 1, "Faulted")
  yield* aConnector(c, 1, 1, "Charging")
  yield* aConnection(ours, a, minute)
  yield* aConnection(ours, b, minute)
  yield* aConnection(ours, c, minute, true)
  yield* aConnection(ours, e, minute)
  const running = yield* aSession(ours, { chargerId: a, siteId: site.id })
  yield* aSession(ours, { chargerId: a, siteId: site.id, startedAt: noon - 2 * minute, endedAt: noon - minute })
  const stale = yield* aSession(ours, { chargerId: b, siteId: site.id })
  const offline = yield* aSession(ours, { chargerId: c, siteId: site.id })
  yield* draws(running, 11_040, noon + minute)
  yield* draws(stale, 7000, noon - 15 * minute)
  yield* draws(offline, 3000, noon + minute)
  return { ids, offline, other, ours, running, site, stale }
})

const found = (ours: TestOrganisation, ids: ReadonlyArray<string>) => (filter: SummaryFilter) =>
  Effect.gen(function* () {
    const chargers = yield* Chargers
    const { items } = yield* chargers.summaries(ours.id, { limit: 50, ...filter })
    return items.map(({ chargerId }) => "abcde"[ids.indexOf(chargerId)]).join("")
  })

export const chargerSummariesContract = (it: ContractIt): void => {
  it.effect("a summary has the charger's site, its connectors and the sessions running there", () =>
    Effect.gen(function* () {
      const chargers = yield* Chargers
      const { ids, other, ours, running, site } = yield* aFleet
      const { items } = yield* chargers.summaries(ours.id, { limit: 50 })
      const reported = { errorCode: "NoError", statusAt: noon + 123 }
      expect(items[0]).toEqual({
        chargerId: ids[0],
        name: "Pole_0",
        siteId: site.id,
        siteName: "Home",
        manufacturer: "Maker",
        model: "M1",
        firmwareVersion: "1.0",
        ocppVersion: "1.6",
        lastSeen: expect.any(Number),
        epoch: 1,
        connected: true,
        wholeStatus: "Available",
        connectors: [
          { evseId: 1, connectorId: 1, status: "Charging", info: "cold", ...reported },
          { evseId: 2, connectorId: 1, status: "Available", info: undefined, ...reported }
        ],
        sessions: [{ evseId: 1, connectorId: 1, sessionId: running, powerW: 11_040, powerAt: noon + minute }]
      })
      expect(items[3]).toMatchObject({
        siteId: other.id,
        siteName: "Köping_100%",
        connected: false,
        epoch: undefined,
        lastSeen: undefined,
        ocppVersion: undefined,
        wholeStatus: undefined,
        connectors: [],
        sessions: []
      })
    })
  )

  it.effect("summaries are found by state, connection, firmware, site and text, and by all of them at once", () =>
    Effect.gen(function* () {
      const { ids, other, ours, site } = yield* aFleet
      const wanted: ReadonlyArray<readonly [SummaryFilter, string]> = [
        [{}, "abcde"],
        [{ states: ["Charging"] }, "a"],
        [{ states: ["Faulted"] }, "b"],
        [{ states: ["Offline"] }, "c"],
        [{ states: ["NeverConnected"] }, "d"],
        [{ states: ["Unavailable"] }, "e"],
        [{ states: ["Faulted", "Offline"] }, "bc"],
        [{ states: ["Available"] }, ""],
        [{ connected: true }, "abe"],
        [{ connected: false }, "cd"],
        [{ firmwareVersion: "1.0" }, "a"],
        [{ siteId: other.id }, "de"],
        [{ siteId: "none" }, ""],
        [{ text: "POLE_1" }, "b"],
        [{ text: ids[2] ?? "" }, "c"],
        [{ text: "köPING" }, "de"],
        [{ text: "maker m" }, "a"],
        [{ text: "0%" }, "de"],
        [{ text: "Pole.1" }, ""],
        [{ text: "' OR true --" }, ""],
        [{ text: "\0" }, ""],
        [{ states: ["Charging"], connected: true, siteId: site.id, firmwareVersion: "1.0", text: "pole" }, "a"],
        [{ states: ["Offline"], connected: true }, ""]
      ]
      for (const [filter, which] of wanted) {
        expect([filter, yield* found(ours, ids)(filter)]).toEqual([filter, which])
      }
      const stranger = yield* anOrganisation
      for (const [filter] of wanted) expect(yield* found(stranger, ids)(filter)).toBe("")
    })
  )

  it.effect("the stored state equals the domain's for every pair of connector statuses", () =>
    Effect.gen(function* () {
      const chargers = yield* Chargers
      const { ours } = yield* aHome
      let n = 0
      for (const one of connectorStatuses) {
        for (const other of connectorStatuses) {
          const chargerId = aChargerId()
          yield* chargers.register(registration(chargerId), ours.writing())
          if (n++ % 3 > 0) yield* aConnection(ours, chargerId, minute)
          yield* aConnector(chargerId, n % 2, n % 2, one)
          yield* aConnector(chargerId, 2, 1, other)
        }
      }
      const states: Array<string> = []
      for (const state of overallStates) {
        const { items } = yield* chargers.summaries(ours.id, { limit: 1000, states: [state] })
        for (const item of items) {
          const known = { connected: item.connected, everConnected: item.epoch !== undefined, lastSeen: undefined }
          states.push(state)
          expect([item.chargerId, chargerRowOf(item, known, noon).state]).toEqual([item.chargerId, state])
        }
      }
      expect(states).toHaveLength(connectorStatuses.length ** 2)
      const { byState } = yield* chargers.counts(ours.id, {}, noon)
      for (const state of overallStates) {
        expect([state, byState[state] ?? 0]).toEqual([state, states.filter((one) => one === state).length])
      }
    })
  )

  it.effect(
    "counts give the chargers by state and the power of connected ones, for a filter or for several sites",
    () =>
      Effect.gen(function* () {
        const chargers = yield* Chargers
        const { ours, other, site } = yield* aFleet
        const counts = (filter: { readonly siteId?: string; readonly text?: string }) =>
          chargers.counts(ours.id, filter, noon)
        const atHome = { byState: { Charging: 1, Faulted: 1, Offline: 1 }, powerW: 11_040 }
        const there = { byState: { NeverConnected: 1, Unavailable: 1 }, powerW: 0 }
        const all = { byState: { ...atHome.byState, ...there.byState }, powerW: 11_040 }
        expect(yield* counts({})).toEqual(all)
        expect(fleetOf(all)).toMatchObject({ total: 5, needAttention: 2, connected: 3 })
        expect(yield* counts({ siteId: other.id })).toEqual(there)
        expect(yield* counts({ text: "pole_0" })).toEqual({ byState: { Charging: 1 }, powerW: 11_040 })
        expect(yield* counts({ text: "nothing" })).toEqual({ byState: {}, powerW: 0 })
        expect(yield* counts({ siteId: "none" })).toEqual({ byState: {}, powerW: 0 })
        const { site: empty } = yield* aHome
        const ofSites = yield* chargers.countsOfSites(ours.id, [site.id, other.id, empty.id, "none"], noon)
        expect([...ofSites].toSorted()).toEqual(
          [
            [site.id, atHome],
            [other.id, there]
          ].toSorted()
        )
        const { ours: stranger } = yield* aHome
        expect((yield* chargers.countsOfSites(stranger.id, [site.id], noon)).size).toBe(0)
        expect(yield* chargers.counts(stranger.id, { siteId: site.id }, noon)).toEqual({ byState: {}, powerW: 0 })
      })
  )

  it.effect(
    "a page has at most 1000 summaries, takes one statement, and its cursor works only with the same filters",
    () =>
      Effect.gen(function* () {
        const chargers = yield* Chargers
        const sql = yield* SqlClient.SqlClient
        const { ours, site } = yield* aHome
        yield* sql`INSERT INTO charger (charger_id, organisation_id, site_id, name, security_profile, created_at, updated_at)
        SELECT ${`${aChargerId()}:`} || lpad(n::text, 4, '0'), ${ours.id}, ${site.id}, 'Many', 0, now(), now()
        FROM generate_series(1, 1200) n`
        const filter = { states: ["NeverConnected"], text: "many" } as const
        const asked = chargers.summaries(ours.id, { limit: 5000, ...filter })
        expect(yield* statementsOf(asked)).toHaveLength(1)
        const first = yield* asked
        expect(first.items).toHaveLength(1000)
        const cursor = first.nextCursor ?? ""
        const second = yield* chargers.summaries(ours.id, { limit: 1000, cursor, ...filter })
        expect([second.items.length, second.nextCursor]).toEqual([200, null])
        const ids = [...first.items, ...second.items].map(({ chargerId }) => chargerId)
        expect(ids).toEqual([...new Set(ids)].toSorted())
        const others = chargers.summaries(ours.id, { limit: 1000, cursor, text: "many" })
        expect(yield* failureOf(others)).toEqual(["InvalidInput", "/cursor"])
      })
  )
}
