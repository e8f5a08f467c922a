/** The stored sum of energy is that of all existing sessions, whatever happens to them before and after they were added to it. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { limits } from "../../src/Config.ts"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Journal } from "../../src/domain/charger/Journal.ts"
import { uuid7 } from "../../src/domain/values/Uuid7.ts"
import * as JournalRepository from "../../src/storage/charging/Journal.ts"
import { withReview } from "../../src/storage/charging/SessionRows.ts"
import { advanceTotals } from "../../src/storage/charging/SessionTotals.ts"
import { exists } from "../../src/storage/charging/Statistics.ts"
import { forEachDriver } from "../support/databases.ts"
import { ended, noon, seedChargers, started, type Transaction } from "../support/journalFacts.ts"
import { Random } from "../support/random.ts"
import { besideRepositories } from "../support/repositories.ts"

const world = Layer.mergeAll(besideRepositories, JournalRepository.layer(limits.journal))
const hour = 3_600_000
const day = 24 * hour

/** What may happen to a session or its review, each as some writer does it. */
const changes = [
  "status = 'INVALID'",
  "status = 'COMPLETED'",
  "held_reason = 'RegisterFell'",
  "held_reason = NULL",
  "energy_wh = energy_wh + 17",
  "ended_at = NULL, closed_as_of = updated_at",
  "ended_at = NULL, closed_as_of = NULL",
  "ended_at = started_at + interval '1 hour'",
  "updated_at = updated_at + interval '1 second'"
]
const reviews = [
  "released_at = now()",
  "released_at = NULL",
  "held_reason = 'EnergyImplausible'",
  "held_reason = NULL",
  "energy_wh = 40",
  "energy_wh = NULL"
]

forEachDriver("the sum of sessions", world, (it) => {
  it.effect("is that of all existing sessions after every step of a random history", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const chargers = yield* Chargers
      const sql = yield* SqlClient.SqlClient
      const seeded = yield* seedChargers(["T-sum"])
      const { organisationId } = seeded
      const random = new Random(7)
      const ids: Array<string> = []
      for (let n = 0; n < 12; n++) {
        const at = noon - 10 * day + n * day
        const tx: Transaction = {
          chargerId: "T-sum",
          sessionId: uuid7(at, new Uint8Array(10).fill(n + 1)),
          transactionId: n + 1
        }
        yield* commit([started(seeded, tx, { at })])
        yield* commit([ended(seeded, tx, { at: at + hour, meterStopWh: 2000 + n })])
        ids.push(tx.sessionId)
      }
      const all = Effect.map(
        sql<{ readonly sum: number }>`
          SELECT coalesce(sum(coalesce(r.energy_wh, s.energy_wh)), 0)::float8 AS sum FROM session s ${withReview(sql)}
          WHERE s.organisation_id = ${organisationId} AND ${exists(sql)}`,
        ([row]) => row?.sum
      )
      const review = sql`INSERT INTO session_review (session_id, organisation_id, updated_at)
        SELECT id, organisation_id, now() FROM session WHERE id = ANY (${`{${ids.join(",")}}`}::uuid[]) ON CONFLICT DO NOTHING`
      const seen = new Set<number>()
      for (let n = 0; n < 150; n++) {
        const id = random.pick(ids)
        const what = random.next()
        if (what < 0.1) yield* advanceTotals(sql, noon - 8 * day + Math.floor((n / 150) * 14 * day), 2)
        else if (what < 0.15) yield* sql`DELETE FROM session_review WHERE session_id = ${id}`
        else if (what < 0.2) yield* review
        else if (what < 0.6)
          yield* sql.unsafe(`UPDATE session_review SET ${random.pick(reviews)} WHERE session_id = $1`, [id])
        else yield* sql.unsafe(`UPDATE session SET ${random.pick(changes)} WHERE id = $1`, [id])
        const { energyWhTotal } = yield* chargers.statistics(organisationId, noon)
        assert.strictEqual(energyWhTotal, yield* all, `after ${n + 1} changes`)
        seen.add(energyWhTotal)
      }
      assert.isAbove(seen.size, 15)
      yield* sql`DELETE FROM session WHERE id = ${ids[0]!}`
      assert.strictEqual((yield* chargers.statistics(organisationId, noon)).energyWhTotal, yield* all)
      const [kept] = yield* sql<{ readonly n: number }>`
        SELECT count(*)::int AS n FROM session s JOIN session_total t USING (organisation_id)
        WHERE s.organisation_id = ${organisationId} AND s.id > t.through`
      assert.isBelow(kept?.n ?? 12, 8)
    })
  )

  it.effect("includes a session with the id of an older reservation that the sum had already passed", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const chargers = yield* Chargers
      const sql = yield* SqlClient.SqlClient
      const seeded = yield* seedChargers(["T-late"])
      const { organisationId } = seeded
      const now = Date.now()
      const made: Transaction = {
        chargerId: "T-late",
        sessionId: uuid7(now - 5 * day, new Uint8Array(10).fill(1)),
        transactionId: 1
      }
      const late: Transaction = {
        chargerId: "T-late",
        sessionId: uuid7(now - 6 * day, new Uint8Array(10).fill(2)),
        transactionId: 2
      }
      yield* commit([started(seeded, made, { at: now - 5 * day })])
      yield* commit([ended(seeded, made, { at: now - 5 * day + hour, meterStopWh: 3000 })])
      yield* advanceTotals(sql, now)
      const before = (yield* chargers.statistics(organisationId, now)).energyWhTotal
      // Its start was received just now, days after the reservation was made.
      const start = started(seeded, late, { at: now - hour })
      yield* commit([{ ...start, body: { ...start.body, reservationId: 5 } }])
      yield* commit([ended(seeded, late, { at: now, meterStopWh: 5000 })])
      const [row] = yield* sql<{ readonly wh: number }>`
        SELECT energy_wh::float8 AS wh FROM session WHERE id = ${late.sessionId}`
      assert.isAbove(row?.wh ?? 0, 0)
      assert.strictEqual((yield* chargers.statistics(organisationId, now)).energyWhTotal, before + (row?.wh ?? 0))
    })
  )
})
