/**
 * What a start decides, from the question to the rows: the database brings what the decision needs, and projects what the fact says, also
 * where something else was stored in between.
 */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SessionStarted } from "../../src/domain/charger/Fact.ts"
import { ChargerDirectory } from "../../src/domain/charger/ChargerDirectory.ts"
import { Journal } from "../../src/domain/charger/Journal.ts"
import { Tariffs } from "../../src/domain/tariff/Tariffs.ts"
import * as ChargerDirectoryRepository from "../../src/storage/charging/ChargerDirectory.ts"
import * as JournalRepository from "../../src/storage/charging/Journal.ts"
import { limits } from "../../src/Config.ts"
import { forEachDriver } from "../support/databases.ts"
import { at, evse, minute, started as startedAt } from "../support/events.ts"
import { freshId, seedChargers, type Seeded, started } from "../support/journalFacts.ts"
import { ModelJournal } from "../support/modelJournal.ts"
import { repositories } from "../support/repositories.ts"
import { StoredCharger } from "../support/storedCharger.ts"

const world = Layer.mergeAll(
  repositories,
  JournalRepository.layer(limits.journal),
  ChargerDirectoryRepository.layer({ ...limits.directory, nodeId: "deciding" })
)

const elements = [{ priceComponents: [{ type: "ENERGY" as const, price: 1, stepSize: 1 }] }]

const writingOf = ({ organisationId }: Seeded) => ({
  by: { organisationId, actor: "test", keyId: "", operatorId: undefined, permissions: [] },
  now: minute(0)
})

const aTariff = (seeded: Seeded, assignment: Parameters<Tariffs["Service"]["assign"]>[1], more: object = {}) =>
  Effect.gen(function* () {
    const tariffs = yield* Tariffs
    const { id } = yield* tariffs.create({ currency: "EUR", elements, ...more }, writingOf(seeded))
    yield* tariffs.assign(id, assignment, writingOf(seeded))
    return id
  })

const tariffRows = ({ organisationId }: Seeded) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      SELECT t.session_id AS session, t.tariff_id AS tariff, t.version, t.time_zone AS zone FROM session_tariff t
      WHERE t.organisation_id = ${organisationId} ORDER BY t.session_id`
  )

const withStart = (fact: SessionStarted, body: Partial<SessionStarted["body"]>): SessionStarted => ({
  ...fact,
  body: { ...fact.body, ...body }
})

forEachDriver("what a start decides", world, (it) => {
  it.effect(
    "is asked with its card: the tariffs around its connector, with their validity and the site's time zone",
    () =>
      Effect.gen(function* () {
        const { findToken } = yield* ChargerDirectory
        const sql = yield* SqlClient.SqlClient
        const seeded = yield* seedChargers(["SD-1", "SD-2"])
        const other = yield* seedChargers(["SD-3"])
        yield* sql`UPDATE site SET time_zone = 'Europe/Madrid' WHERE id = ${seeded.siteId}::uuid`
        const wide = yield* aTariff(seeded, { scope: "organisation" })
        const valid = { startDateTime: minute(1), endDateTime: minute(2) }
        const ofSite = yield* aTariff(seeded, { scope: "site", siteId: seeded.siteId }, valid)
        const ofCharger = yield* aTariff(seeded, { scope: "charger", chargerId: "SD-1" })
        const ofConnector = yield* aTariff(seeded, { scope: "connector", chargerId: "SD-1", evseId: 2, connectorId: 1 })
        yield* aTariff(other, { scope: "organisation" })
        yield* (yield* Tariffs).update(wide, { currency: "NOK", elements }, writingOf(seeded))
        const wanted = { organisationId: seeded.organisationId, tokenUid: "CARD", at: minute(0) }
        const [known, elsewhere, asked, foreign] = yield* Effect.all(
          [
            findToken({ ...wanted, chargerId: "SD-1", start: { place: evse(2) } }),
            findToken({ ...wanted, chargerId: "SD-2", start: { place: evse(2) } }),
            findToken({ ...wanted, chargerId: "SD-1" }),
            findToken({ ...wanted, chargerId: "SD-3", start: { place: evse(2) } })
          ],
          { concurrency: "unbounded" }
        )
        const always = { startsAt: undefined, endsAt: undefined }
        assert.strictEqual(known.start?.timeZone, "Europe/Madrid")
        assert.deepStrictEqual(
          (known.start?.tariffs ?? []).toSorted((a, b) => (a.assignment.scope < b.assignment.scope ? -1 : 1)),
          [
            { tariffId: ofCharger, version: 1, assignment: { scope: "charger", chargerId: "SD-1" }, ...always },
            {
              tariffId: ofConnector,
              version: 1,
              assignment: { scope: "connector", chargerId: "SD-1", evseId: 2, connectorId: 1 },
              ...always
            },
            { tariffId: wide, version: 2, assignment: { scope: "organisation" }, ...always },
            {
              tariffId: ofSite,
              version: 1,
              assignment: { scope: "site", siteId: seeded.siteId },
              startsAt: minute(1),
              endsAt: minute(2)
            }
          ]
        )
        const scopes = (elsewhere.start?.tariffs ?? []).map(({ assignment }) => assignment.scope)
        assert.sameMembers(scopes, ["organisation", "site"])
        assert.isFalse("start" in asked)
        assert.deepStrictEqual(foreign.start, { timeZone: undefined, tariffs: [] })
      })
  )

  it.effect("is stored with it, once, and by the first that was stored", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const seeded = yield* seedChargers(["SD-4"])
      const tariff = yield* aTariff(seeded, { scope: "charger", chargerId: "SD-4" })
      const charger = yield* StoredCharger.connect("SD-4", seeded.organisationId, new ModelJournal())
      yield* charger.say(startedAt({ time: at(minute(1)) }))
      const [session] = charger.state.sessions
      const row = { session: session?.sessionId, tariff, version: 1, zone: "UTC" }
      assert.deepStrictEqual(yield* tariffRows(seeded), [row])
      // A repeat, decided when another tariff was the one.
      const tx = { chargerId: "SD-4", sessionId: freshId(), transactionId: 9_000_001 }
      const start = withStart(started(seeded, tx), { tariff: { tariffId: tariff, version: 1, timeZone: "UTC" } })
      yield* commit([start])
      const other = { tariffId: freshId(), version: 5, timeZone: undefined }
      yield* commit([withStart(start, { tariff: other })])
      const rows = yield* tariffRows(seeded)
      assert.deepStrictEqual(
        rows.filter(({ session: id }) => id === tx.sessionId),
        [{ ...row, session: tx.sessionId }]
      )
      assert.lengthOf(rows, 2)
    })
  )

  it.effect("is stored with no session of a charger that was removed meanwhile", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const sql = yield* SqlClient.SqlClient
      const seeded = yield* seedChargers(["SD-5"])
      const tariff = { tariffId: freshId(), version: 1, timeZone: "UTC" }
      yield* sql`DELETE FROM charger WHERE charger_id = 'SD-5'`
      const tx = { chargerId: "SD-5", sessionId: freshId(), transactionId: 9_000_002 }
      yield* commit([withStart(started(seeded, tx), { tariff })])
      assert.deepStrictEqual(yield* tariffRows(seeded), [])
    })
  )
})
