/** Sessions whose end was never reported, from the journal through the closer to what readers see, also when the end arrives after all. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { defaultPriceOptions, repricing } from "../../src/actors/background/Repricing.ts"
import { closeUnended, defaultCloserOptions } from "../../src/actors/background/SessionCloser.ts"
import { ChargerDirectory } from "../../src/domain/charger/ChargerDirectory.ts"
import { Cdrs } from "../../src/domain/cdr/Cdrs.ts"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Closings } from "../../src/domain/session/Closings.ts"
import { SessionReviews } from "../../src/domain/session/SessionReviews.ts"
import { Sessions } from "../../src/domain/session/Sessions.ts"
import { Tariffs } from "../../src/domain/tariff/Tariffs.ts"
import * as ChargerDirectoryRepository from "../../src/storage/charging/ChargerDirectory.ts"
import * as JournalRepository from "../../src/storage/charging/Journal.ts"
import { limits } from "../../src/Config.ts"
import { forEachDriver } from "../support/databases.ts"
import { decidedCommit } from "../support/decidedStart.ts"
import { ended, freshId, metered, noon, seedChargers, started, type Transaction } from "../support/journalFacts.ts"
import { besideRepositories } from "../support/repositories.ts"

const world = Layer.mergeAll(
  besideRepositories,
  JournalRepository.layer(limits.journal),
  ChargerDirectoryRepository.layer({ ...limits.directory, nodeId: "closing" })
)

const minute = 60_000
const hour = 60 * minute

/** A running session with two readings, at a connected charger, with a tariff of 1 for each kWh. */
const running = (chargerId: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const tariffs = yield* Tariffs
    const commit = yield* decidedCommit
    const seeded = yield* seedChargers([chargerId])
    const { organisationId } = seeded
    const principal = { organisationId, actor: "test", keyId: "", operatorId: undefined, permissions: [] }
    const writing = { by: principal, now: noon }
    const elements = [{ priceComponents: [{ type: "ENERGY" as const, price: 1, stepSize: 1 }] }]
    const tariff = yield* tariffs.create({ currency: "EUR", elements }, writing)
    yield* tariffs.assign(tariff.id, { scope: "organisation" }, writing)
    const tx: Transaction = { chargerId, sessionId: freshId(), transactionId: 7 }
    yield* commit([started(seeded, tx)])
    yield* commit([metered(seeded, tx, noon + 10 * minute, 2000)])
    yield* commit([metered(seeded, tx, noon + 20 * minute, 3500)])
    // The journal stored it by the database's clock; from here on the clock of the test counts.
    yield* sql`UPDATE session SET updated_at = ${new Date(noon + 20 * minute)} WHERE id = ${tx.sessionId}`
    yield* sql`INSERT INTO node (node_id, started_at, lease_until) VALUES (${chargerId}, now(), now() + interval '1 hour')`
    yield* sql`
      INSERT INTO connection (charger_id, organisation_id, node_id, epoch, ocpp_version, security_profile, remote_address, connected_at)
      VALUES (${chargerId}, ${organisationId}, ${chargerId}, 1, '1.6', 0, '127.0.0.1', ${new Date(noon - hour)})`
    return { seeded, tx, organisationId, writing }
  })

const says = (chargerId: string, status: string, at: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      INSERT INTO connector AS k (charger_id, evse_id, connector_id, status, raw_status, error_code, status_at, heard_at)
      VALUES (${chargerId}, 1, 1, ${status}, ${status}, 'NoError', ${new Date(at)}, ${new Date(at)})
      ON CONFLICT (charger_id, evse_id, connector_id) DO UPDATE SET status = excluded.status, heard_at = excluded.heard_at`
  })

const roundAt = (now: number) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(now)
    return yield* closeUnended(defaultCloserOptions)
  }).pipe(Effect.provide(TestClock.layer()))

const factsOf = (sessionId: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql<{ readonly body: unknown }>`
      SELECT body FROM journal WHERE type = 'SessionClosed' AND subject = ${`session:${sessionId}`} ORDER BY position`
  })

forEachDriver("a session whose end never came", world, (it) => {
  it.effect("is closed with its last reading, held, and no longer active or billed", () =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const directory = yield* ChargerDirectory
      const { organisationId, tx } = yield* running("CL-1")
      yield* says("CL-1", "Charging", noon)
      assert.deepStrictEqual(yield* roundAt(noon + 100 * hour), [])
      yield* says("CL-1", "Available", noon + hour)
      assert.deepStrictEqual(yield* roundAt(noon + hour + 14 * minute), [])
      assert.deepStrictEqual(yield* roundAt(noon + hour + 15 * minute), [tx.sessionId])
      assert.deepStrictEqual(yield* roundAt(noon + 200 * hour), [], "once")
      assert.deepInclude(yield* sessions.get(organisationId, tx.sessionId), {
        status: "COMPLETED",
        endedAt: noon + 20 * minute,
        meterStopWh: 3500,
        energyWh: 2500,
        stopReason: "ConnectorFree",
        heldReason: "StopMissing"
      })
      const ids = (status: "ACTIVE" | "COMPLETED") =>
        Effect.map(sessions.list(organisationId, { limit: 10, status }), ({ items }) => items.map(({ id }) => id))
      assert.deepStrictEqual(yield* ids("ACTIVE"), [])
      assert.deepStrictEqual(yield* ids("COMPLETED"), [tx.sessionId])
      const { activeSessions } = yield* (yield* Chargers).statistics(organisationId, noon + 2 * hour)
      assert.strictEqual(activeSessions, 0)
      assert.deepStrictEqual(
        (yield* directory.findToken({ organisationId, tokenUid: "CARD", chargerId: tx.chargerId, at: noon }))
          .openSessions,
        []
      )
      const after = { sessionId: tx.sessionId, reason: "ConnectorFree", endedAt: noon + 20 * minute, energyWh: 2500 }
      assert.deepStrictEqual(
        (yield* factsOf(tx.sessionId)).map(({ body }) => body),
        [{ by: "platform", after }]
      )
      while (yield* repricing(defaultPriceOptions)) {}
      assert.deepStrictEqual((yield* (yield* Cdrs).list(organisationId, { limit: 10 })).items, [])
    })
  )

  it.effect("is active again after a new reading, and is billed by its real end when that arrives", () =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const commit = yield* decidedCommit
      const sql = yield* SqlClient.SqlClient
      const { organisationId, seeded, tx } = yield* running("CL-2")
      yield* sql`UPDATE connection SET closed_at = ${new Date(noon + hour)} WHERE charger_id = 'CL-2'`
      assert.deepStrictEqual(yield* roundAt(noon + 25 * hour), [tx.sessionId])
      assert.include(yield* sessions.get(organisationId, tx.sessionId), { status: "COMPLETED", stopReason: "Silent" })
      yield* commit([metered(seeded, tx, noon + 26 * hour, 6000)])
      const again = yield* sessions.get(organisationId, tx.sessionId)
      assert.include(again, { status: "ACTIVE", energyWh: 5000 })
      assert.deepStrictEqual([again.endedAt, again.heldReason, again.stopReason], [undefined, undefined, undefined])
      yield* sql`UPDATE session SET updated_at = ${new Date(noon + 26 * hour)} WHERE id = ${tx.sessionId}`
      assert.deepStrictEqual(yield* roundAt(noon + 60 * hour), [tx.sessionId], "and is closed anew")
      assert.lengthOf(yield* factsOf(tx.sessionId), 2)
      yield* commit([ended(seeded, tx, { at: noon + 27 * hour, meterStopWh: 7000 })])
      assert.deepInclude(yield* sessions.get(organisationId, tx.sessionId), {
        status: "COMPLETED",
        endedAt: noon + 27 * hour,
        energyWh: 6000,
        stopReason: "Local",
        heldReason: undefined
      })
      while (yield* repricing(defaultPriceOptions)) {}
      const { items } = yield* (yield* Cdrs).list(organisationId, { limit: 10 })
      assert.deepStrictEqual(
        items.map(({ body, sessionId }) => [sessionId, body.total.exclVat]),
        [[tx.sessionId, 6]]
      )
    })
  )

  it.effect("is billed as closed when it is released, and differs from its bill when another end arrives", () =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const commit = yield* decidedCommit
      const reviews = yield* SessionReviews
      const { organisationId, seeded, tx, writing } = yield* running("CL-3")
      yield* says("CL-3", "Available", noon + hour)
      yield* roundAt(noon + 2 * hour)
      yield* reviews.release(tx.sessionId, writing)
      while (yield* repricing(defaultPriceOptions)) {}
      const { items } = yield* (yield* Cdrs).list(organisationId, { limit: 10 })
      assert.deepStrictEqual(
        items.map(({ body, endedAt }) => [body.total.exclVat, body.meterStopWh, endedAt]),
        [[2.5, 3500, noon + 20 * minute]]
      )
      yield* commit([ended(seeded, tx)])
      while (yield* repricing(defaultPriceOptions)) {}
      const { billed, price } = yield* sessions.get(organisationId, tx.sessionId)
      assert.deepStrictEqual([billed?.exclVat, price?.exclVat], [2.5, 5])
      assert.lengthOf((yield* (yield* Cdrs).list(organisationId, { limit: 10 })).items, 1)
    })
  )

  it.effect("is not closed when something was stored for it since it was examined", () =>
    Effect.gen(function* () {
      const closings = yield* Closings
      const sessions = yield* Sessions
      const { organisationId, tx } = yield* running("CL-4")
      const silentSince = noon + 20 * minute
      const closing = {
        sessionId: tx.sessionId,
        organisationId,
        quietSince: silentSince,
        reason: "Silent",
        neverWas: false
      } as const
      assert.deepStrictEqual(yield* closings.close([{ ...closing, quietSince: silentSince - 1 }], noon), [])
      assert.strictEqual((yield* sessions.get(organisationId, tx.sessionId)).status, "ACTIVE")
      assert.deepStrictEqual(yield* closings.close([closing], noon), [tx.sessionId])
      assert.deepStrictEqual(yield* closings.close([closing], noon), [], "it is closed only once")
      assert.lengthOf(yield* factsOf(tx.sessionId), 1)
    })
  )

  it.effect("does not prevent the removal of its charger once it is closed", () =>
    Effect.gen(function* () {
      const chargers = yield* Chargers
      const { writing } = yield* running("CL-5")
      assert.strictEqual((yield* Effect.flip(chargers.remove("CL-5", writing)))._tag, "Conflict")
      yield* says("CL-5", "Available", noon + hour)
      yield* roundAt(noon + 2 * hour)
      yield* chargers.remove("CL-5", writing)
    })
  )
})
