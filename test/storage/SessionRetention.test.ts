/** Sessions are deleted after their retention together with their records; those with open work stay, whatever their age. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { limits } from "../../src/Config.ts"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Journal } from "../../src/domain/charger/Journal.ts"
import { uuid7 } from "../../src/domain/values/Uuid7.ts"
import * as JournalRepository from "../../src/storage/charging/Journal.ts"
import { forget, forgetSessions } from "../../src/storage/charging/SessionRetention.ts"
import { advanceTotals } from "../../src/storage/charging/SessionTotals.ts"
import { forEachDriver } from "../support/databases.ts"
import {
  ended,
  freshId,
  orphaned,
  type Seeded,
  seedChargers,
  started,
  type Transaction
} from "../support/journalFacts.ts"
import { besideRepositories } from "../support/repositories.ts"

const world = Layer.mergeAll(besideRepositories, JournalRepository.layer(limits.journal))
const months = 84
const now = Date.UTC(2026, 10, 20, 12)
const limit = Date.UTC(2019, 10, 20, 12)
const hour = 3_600_000
const day = 24 * hour

let made = 0

/** A session that started, ended and was last changed before the limit, unless `end` says otherwise. */
const aSession = (seeded: Seeded, chargerId: string, end: number | null = limit - day) =>
  Effect.gen(function* () {
    const { commit } = yield* Journal
    const sql = yield* SqlClient.SqlClient
    const at = (end ?? limit - day) - hour
    const tx: Transaction = { chargerId, sessionId: uuid7(at, new Uint8Array(10).fill(++made)), transactionId: made }
    yield* commit([started(seeded, tx, { at })])
    if (end !== null) yield* commit([ended(seeded, tx, { at: end, meterStopWh: 1000 + 1000 })])
    yield* sql`UPDATE session SET updated_at = ${new Date(end ?? at)} WHERE id = ${tx.sessionId}`
    return tx.sessionId
  })

const bill = (seeded: Seeded, sessionId: string, issuedAt: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const id = freshId()
    yield* sql`INSERT INTO session_tariff (session_id, organisation_id, tariff_id, version)
      VALUES (${sessionId}, ${seeded.organisationId}, ${freshId()}, 1)`
    yield* sql`INSERT INTO session_price (session_id, organisation_id, based_on, price)
      VALUES (${sessionId}, ${seeded.organisationId}, now(), '{}')`
    yield* sql`INSERT INTO cdr (id, organisation_id, number, session_id, charger_id, site_id, started_at, ended_at, body, issued_at, revision)
      SELECT ${id}::uuid, organisation_id, ${++made}, id, charger_id, site_id, started_at, ended_at, '{}', ${new Date(issuedAt)}, 0
      FROM session WHERE id = ${sessionId}`
    return id
  })

/** The remaining rows of the tables that have something about sessions. */
const left = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly what: string }>`
    SELECT 'session ' || id AS what FROM session UNION ALL SELECT 'record ' || session_id FROM cdr
    UNION ALL SELECT 'price ' || session_id FROM session_price UNION ALL SELECT 'tariff ' || session_id FROM session_tariff
    UNION ALL SELECT 'review ' || session_id FROM session_review UNION ALL SELECT 'reservation ' || session_id FROM reservation
    UNION ALL SELECT 'orphan' FROM orphan`
  return rows.map(({ what }) => what)
})

forEachDriver("sessions older than their retention", world, (it) => {
  it.effect("are deleted with price, records, review and reservation, and leave the organisation's total correct", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { commit } = yield* Journal
      const chargers = yield* Chargers
      const seeded = yield* seedChargers(["R-1"])
      const { organisationId } = seeded
      const old = yield* aSession(seeded, "R-1")
      const first = yield* bill(seeded, old, limit - day + 1)
      yield* sql`INSERT INTO cdr (id, organisation_id, number, session_id, charger_id, site_id, started_at, ended_at, body, issued_at, revision, credits)
        SELECT ${freshId()}::uuid, organisation_id, 900, session_id, charger_id, site_id, started_at, ended_at, '{}', issued_at, 0, id FROM cdr WHERE id = ${first}`
      yield* sql`INSERT INTO session_review (session_id, organisation_id, energy_wh, released_at, revision, updated_at)
        VALUES (${old}, ${organisationId}, 7000, now(), 1, now())`
      yield* sql`INSERT INTO reservation (command_id, organisation_id, charger_id, reservation_id, evse_id, token_uid, expires_at, status,
          session_id, created_at, updated_at)
        VALUES (${freshId()}, ${organisationId}, 'R-1', 1, 1, 'X', ${new Date(limit - day)}, 'Used', ${old}, ${new Date(limit - day)}, now())`
      const free = yield* aSession(seeded, "R-1")
      const young = yield* aSession(seeded, "R-1", limit + day)
      yield* bill(seeded, young, limit + day)
      yield* commit([orphaned(seeded, "R-1", uuid7(limit - day, new Uint8Array(10).fill(++made)))])
      yield* advanceTotals(sql, now)
      const before = (yield* chargers.statistics(organisationId, now)).energyWhTotal
      assert.strictEqual(before, 7000 + 1000 + 1000)
      assert.deepStrictEqual(yield* forget(sql, months, now), { sessions: 2, orphans: 1 })
      assert.sameMembers(yield* left, [`session ${young}`, `record ${young}`, `price ${young}`, `tariff ${young}`])
      assert.strictEqual((yield* chargers.statistics(organisationId, now)).energyWhTotal, 1000)
      assert.notInclude(yield* left, `session ${free}`)
      const sealed = yield* Effect.exit(sql`DELETE FROM cdr`)
      assert.include(String(sealed), "Failure")
      assert.deepStrictEqual(yield* forget(sql, months, now + 40 * day), { sessions: 1, orphans: 0 })
      assert.deepStrictEqual(yield* left, [])
    })
  )

  it.effect(
    "stay while they run, are held or not billed, need a correction, or have a delivery that is not settled",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const seeded = yield* seedChargers(["R-2"])
        const { organisationId } = seeded
        const kept = new Map<string, string>()
        const keep = (why: string, id: string) => {
          kept.set(id, why)
          return id
        }
        keep("runs", yield* aSession(seeded, "R-2", null))
        const held = keep("held", yield* aSession(seeded, "R-2"))
        yield* sql`UPDATE session SET held_reason = 'MeterStopMissing' WHERE id = ${held}`
        const unbilled = keep("not billed", yield* aSession(seeded, "R-2"))
        yield* sql`INSERT INTO session_tariff (session_id, organisation_id, tariff_id, version)
        VALUES (${unbilled}, ${organisationId}, ${freshId()}, 1)`
        const differing = keep("differs", yield* aSession(seeded, "R-2"))
        yield* bill(seeded, differing, limit - day)
        yield* sql`UPDATE session_price SET differs = true WHERE session_id = ${differing}`
        const contradicted = keep("contradicted", yield* aSession(seeded, "R-2"))
        yield* sql`UPDATE session SET contradicted = true WHERE id = ${contradicted}`
        const corrected = keep("corrected lately", yield* aSession(seeded, "R-2"))
        yield* bill(seeded, corrected, limit)
        const subscription = freshId()
        yield* sql`INSERT INTO subscription (id, organisation_id, kind, active, position) VALUES (${subscription}, ${organisationId}, 'partner', true, 0)`
        const parked = keep("record parked", yield* aSession(seeded, "R-2"))
        const record = yield* bill(seeded, parked, limit - day)
        const waiting = keep("session to be sent", yield* aSession(seeded, "R-2"))
        yield* sql`INSERT INTO subscription_object (subscription_id, organisation_id, kind, object_id, lane, item_id, position, since, due_at, next_at, parked_at)
        VALUES (${subscription}, ${organisationId}, 'cdr', ${record}, 'a', ${freshId()}, 1, 1, now(), NULL, now()),
          (${subscription}, ${organisationId}, 'session', ${waiting}, 'b', ${freshId()}, 1, 1, now(), now(), NULL)`
        const gone = yield* aSession(seeded, "R-2")
        assert.deepStrictEqual(yield* forgetSessions(sql, limit, 1), [gone])
        assert.deepStrictEqual(yield* forgetSessions(sql, limit, 1), [])
        const rows = yield* sql<{
          readonly id: string
        }>`SELECT id FROM session WHERE organisation_id = ${organisationId}`
        assert.sameMembers(
          rows.map(({ id }) => kept.get(id)),
          [...kept.values()]
        )
      })
  )
})
