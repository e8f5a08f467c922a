/** The filters of chargers and tokens, on every database. Those of sessions and records are in their own contracts. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type ChargerFilter, Chargers } from "../../src/domain/charger/Chargers.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import { type TokenFilter, Tokens } from "../../src/domain/token/Tokens.ts"
import { aConnection, aConnector } from "../support/reported.ts"
import { anOrganisation, type ContractIt, failureOf } from "../support/repositories.ts"
import { aChargerId, aHome, registration } from "./ChargersContract.ts"

/** Four chargers at two sites; the last one has never connected. */
const aFleet = Effect.gen(function* () {
  const chargers = yield* Chargers
  const sites = yield* Sites
  const sql = yield* SqlClient.SqlClient
  const { ours, site } = yield* aHome
  const other = yield* sites.create({ name: "Work" }, ours.writing())
  const ids = [aChargerId(), aChargerId(), aChargerId(), aChargerId()].toSorted()
  const [a = "", b = "", c = ""] = ids
  for (const [n, id] of ids.entries()) {
    const fields = { name: `Harbour_${n} 100%`, siteId: n < 2 ? site.id : other.id }
    yield* chargers.register(registration(id, fields), ours.writing())
  }
  for (const [n, id] of [a, b, c].entries()) {
    yield* sql`UPDATE charger SET model = ${n < 2 ? "M1" : "m1"}, firmware_version = ${`1.${n}`}, manufacturer = 'Maker',
      serial_number = ${`SN-${n}`} WHERE charger_id = ${id}`
  }
  yield* aConnector(a, 0, 0, "Available")
  yield* aConnector(a, 1, 1, "Charging")
  yield* aConnector(b, 0, 0, "Faulted")
  yield* aConnector(c, 1, 1, "Faulted")
  yield* aConnector(c, 2, 1, "Faulted")
  yield* aConnection(ours, a, 60_000)
  yield* aConnection(ours, b, 60_000, true)
  // Its node is gone.
  yield* aConnection(ours, c, -60_000)
  return { ours, ids, site, other }
})

const cards = [
  ["04AA01", "Accepted", "NL-100%", "Anna's"],
  ["04aa02", "Blocked", undefined, "lost in May"],
  ["05BB03", "Expired", "NL-2", undefined],
  ["06CC04", "Blocked", "DE_1", "spare; 50% off"]
] as const

export const filtersContract = (it: ContractIt): void => {
  it.effect(
    "chargers are found by connection, status, version, model, site and text, and by all of them together",
    () =>
      Effect.gen(function* () {
        const chargers = yield* Chargers
        const { ids, other, ours, site } = yield* aFleet
        const found = (filter: ChargerFilter) =>
          Effect.map(chargers.list(ours.id, { limit: 50, ...filter }), ({ items }) =>
            items.map(({ chargerId }) => "abcd"[ids.indexOf(chargerId)]).join("")
          )
        const wanted: ReadonlyArray<readonly [ChargerFilter, string]> = [
          [{}, "abcd"],
          [{ connected: true }, "a"],
          [{ connected: false }, "bcd"],
          [{ status: "Faulted" }, "bc"],
          [{ status: "Available" }, "a"],
          [{ status: "Charging" }, "a"],
          [{ status: "Reserved" }, ""],
          [{ model: "M1" }, "ab"],
          [{ firmwareVersion: "1.2" }, "c"],
          [{ siteId: other.id }, "cd"],
          [{ text: "harbour_1" }, "b"],
          [{ text: "sn-" }, "abc"],
          [{ text: "MAKER" }, "abc"],
          [{ text: ids[3] ?? "" }, "d"],
          // No character has a special meaning.
          [{ text: "0%" }, "abcd"],
          [{ text: "%M" }, ""],
          [{ text: "r_2" }, "c"],
          [{ text: "Harbour.1" }, ""],
          [{ text: "\\" }, ""],
          [{ text: "' OR true --" }, ""],
          [{ text: "\0" }, ""],
          [{ model: "\0" }, ""],
          [{ connected: false, status: "Faulted", siteId: site.id, model: "M1", text: "harbour" }, "b"],
          [{ connected: true, status: "Faulted" }, ""]
        ]
        for (const [filter, which] of wanted) expect([filter, yield* found(filter)]).toEqual([filter, which])
        const stranger = yield* anOrganisation
        for (const [filter] of wanted) {
          expect((yield* chargers.list(stranger.id, { limit: 50, ...filter })).items).toEqual([])
        }
      })
  )

  it.effect("a cursor of chargers works only with the filters it was made with", () =>
    Effect.gen(function* () {
      const chargers = yield* Chargers
      const { ids, ours } = yield* aFleet
      const filter = { connected: false, text: "harbour" }
      const first = yield* chargers.list(ours.id, { limit: 2, ...filter })
      const cursor = first.nextCursor ?? ""
      const second = yield* chargers.list(ours.id, { limit: 2, ...filter, cursor })
      const seen = [...first.items, ...second.items].map(({ chargerId }) => chargerId)
      expect([seen, second.nextCursor]).toEqual([ids.slice(1), null])
      for (const other of [{}, { connected: false }, { ...filter, connected: true }, { ...filter, text: "Harbour" }]) {
        const answer = failureOf(chargers.list(ours.id, { limit: 2, ...other, cursor }))
        expect(yield* answer).toEqual(["InvalidInput", "/cursor"])
      }
      const plain = (yield* chargers.list(ours.id, { limit: 2 })).nextCursor ?? ""
      const misused = chargers.list(ours.id, { limit: 2, ...filter, cursor: plain })
      expect(yield* failureOf(misused)).toEqual(["InvalidInput", "/cursor"])
    })
  )

  it.effect("tokens are found by status and by text in any of their fields", () =>
    Effect.gen(function* () {
      const tokens = yield* Tokens
      const [ours, theirs] = [yield* anOrganisation, yield* anOrganisation]
      for (const [uid, status, visualNumber, note] of cards) {
        const fields = {
          type: "RFID",
          parentUid: uid === "05BB03" ? "FLEET" : undefined,
          expiresAt: undefined
        } as const
        for (const own of [ours, theirs])
          yield* tokens.create({ uid, status, visualNumber, note, ...fields }, own.writing())
      }
      const uids = cards.map(([uid]) => uid)
      const found = (filter: TokenFilter) =>
        Effect.map(tokens.list(ours.id, { limit: 50, ...filter }), ({ items }) =>
          items.map(({ uid }) => uids.findIndex((one) => one === uid) + 1).join("")
        )
      const wanted: ReadonlyArray<readonly [TokenFilter, string]> = [
        [{}, "1234"],
        [{ status: "Blocked" }, "24"],
        [{ status: "Expired" }, "3"],
        [{ text: "04AA" }, "12"],
        [{ text: "nl-" }, "13"],
        [{ text: "ANNA" }, "1"],
        [{ text: "fleet" }, "3"],
        [{ text: "0%" }, "14"],
        [{ text: "e_1" }, "4"],
        [{ text: "E-1" }, ""],
        [{ text: "\0" }, ""],
        [{ text: "04aa", status: "Blocked" }, "2"]
      ]
      for (const [filter, which] of wanted) expect([filter, yield* found(filter)]).toEqual([filter, which])
      const { items, nextCursor } = yield* tokens.list(ours.id, { limit: 1, status: "Blocked" })
      const next = yield* tokens.list(ours.id, { limit: 1, status: "Blocked", cursor: nextCursor ?? "" })
      expect([...items, ...next.items].map(({ uid }) => uid)).toEqual(["04aa02", "06CC04"])
      const misused = tokens.list(ours.id, { limit: 1, status: "Expired", cursor: nextCursor ?? "" })
      expect(yield* failureOf(misused)).toEqual(["InvalidInput", "/cursor"])
    })
  )
}
