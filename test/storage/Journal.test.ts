/** The journal: what a commit stores, what a repeated or late one changes, and what is refused. */
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { decide } from "../../src/domain/decide/Decide.ts"
import { Journal } from "../../src/domain/charger/Journal.ts"
import { v16 } from "../../src/ocpp/v16/V16.ts"
import { supersededEnd } from "../../src/domain/session/Superseded.ts"
import * as JournalStorage from "../../src/storage/charging/Journal.ts"
import { journalMetrics } from "../../src/storage/charging/JournalMetrics.ts"
import { forEachDriver } from "../support/databases.ts"
import { state } from "../support/events.ts"
import {
  ended,
  freshId,
  metered,
  noon,
  orphaned,
  seedChargers,
  started,
  statusChanged,
  transferred,
  type Transaction
} from "../support/journalFacts.ts"
import { transaction, session, count, epochOf, numberOf } from "../support/journalRows.ts"

const journal = JournalStorage.layer({ maxBatchFacts: 500, maxWaiting: 1000, patienceMillis: 1000 })

forEachDriver("the journal", journal, (it) => {
  it.effect("stores a session from its start through its readings to its end", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const seeded = yield* seedChargers(["J-1"])
      const tx = transaction("J-1")
      assert.deepStrictEqual(yield* commit([started(seeded, tx)]), { recorded: [true], existing: undefined })
      yield* commit([metered(seeded, tx, noon + 60_000, 2500)])
      const running = yield* session(tx.sessionId)
      assert.strictEqual(running?.["status"], "ACTIVE")
      assert.strictEqual(running?.["energy"], 1500)
      yield* commit([ended(seeded, tx)])
      const done = yield* session(tx.sessionId)
      assert.deepInclude(done, {
        status: "COMPLETED",
        energy: 5000,
        stop: 6000,
        ended: noon + 3_600_000,
        held_reason: null
      })
      assert.strictEqual(yield* count("journal", "subject", "charger:J-1"), 3)
      assert.strictEqual(yield* count("meter", "charger_id", "J-1"), 1)
    })
  )

  it.effect("keeps less than 8 KiB of each frame that is not about a transaction, however long it is", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const sql = yield* SqlClient.SqlClient
      const { organisationId } = yield* seedChargers(["J-LONG"])
      const long = "\u{1f50c}".repeat(230_400)
      const frames: ReadonlyArray<readonly [string, object]> = [
        ["DataTransfer", { vendorId: long, messageId: long, data: long }],
        ["DataTransfer", { vendorId: "V", data: [{ own: long }] }],
        ["SecurityEventNotification", { type: long, timestamp: long, techInfo: long }]
      ]
      for (const [n, [action, payload]] of frames.entries()) {
        const decoded = v16.decodeCall(action, payload)
        if (decoded._tag === "Refused") return assert.fail(`${action} is refused`)
        const envelope = { messageId: String(n), raw: JSON.stringify([2, String(n), action, payload]) }
        const input = { _tag: "Event", event: decoded.event, envelope, answers: {} } as const
        const known = state({ organisationId, chargerId: "J-LONG", epoch: 0 })
        const decision = decide(known, input, noon + n, { transactionId: 1, uuid: freshId })
        if (decision._tag === "Act") yield* commit(decision.facts)
      }
      const kept = yield* sql<{ bytes: number }>`
        SELECT octet_length(body::text) AS bytes FROM journal WHERE subject = 'charger:J-LONG'`
      assert.strictEqual(kept.length, 3)
      for (const { bytes } of kept) assert.isBelow(bytes, 8 * 1024)
    })
  )

  it.effect("answers a repeated start with the existing session, and changes nothing", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const seeded = yield* seedChargers(["J-2"])
      const first = transaction("J-2")
      const again = transaction("J-2")
      yield* commit([started(seeded, first, { key: "J-2:same" })])
      const outcome = yield* commit([started(seeded, again, { key: "J-2:same" })])
      assert.deepStrictEqual(outcome.recorded, [false])
      assert.strictEqual(outcome.existing?.transactionId, first.transactionId)
      assert.strictEqual(outcome.existing?.sessionId, first.sessionId)
      assert.strictEqual(yield* count("session", "charger_id", "J-2"), 1)
    })
  )

  it.effect("records a fact once when it occurs twice in one batch", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const seeded = yield* seedChargers(["J-3"])
      const tx = transaction("J-3")
      const twin = transaction("J-3")
      const outcomes = yield* Effect.all(
        [commit([started(seeded, tx, { key: "J-3:same" })]), commit([started(seeded, twin, { key: "J-3:same" })])],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        outcomes.map((o) => o.recorded),
        [[true], [false]]
      )
      assert.strictEqual(outcomes[1].existing?.transactionId, tx.transactionId)
      assert.strictEqual(yield* count("session", "charger_id", "J-3"), 1)
    })
  )

  it.effect("ignores a repeated end, even one with other values", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const seeded = yield* seedChargers(["J-4"])
      const tx = transaction("J-4")
      yield* commit([started(seeded, tx)])
      yield* commit([ended(seeded, tx)])
      assert.deepStrictEqual((yield* commit([ended(seeded, tx, { meterStopWh: 9999 })])).recorded, [false])
      assert.deepInclude(yield* session(tx.sessionId), { energy: 5000, stop: 6000 })
    })
  )

  it.effect("keeps the newest register, whatever the order of the readings", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const seeded = yield* seedChargers(["J-5"])
      const tx = transaction("J-5")
      yield* commit([started(seeded, tx)])
      yield* commit([metered(seeded, tx, noon + 120_000, 3000)])
      yield* commit([metered(seeded, tx, noon + 60_000, 2000)])
      yield* commit([metered(seeded, tx, noon + 60_000, 2000)])
      assert.strictEqual((yield* session(tx.sessionId))?.["energy"], 2000)
      assert.strictEqual(yield* count("meter", "charger_id", "J-5"), 2)
    })
  )

  it.effect("ignores a repeated reading, even when its time of receipt is newer", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const seeded = yield* seedChargers(["J-15", "J-16"])
      const tx = transaction("J-15")
      // The clock is not trusted: the register has the time of receipt, which is newer for a repeat.
      const read = (key: string, wh: number, heardAt: number) => {
        const fact = metered(seeded, tx, noon, wh)
        return { ...fact, key, heardAt, body: { ...fact.body, registerAt: heardAt } }
      }
      yield* commit([started(seeded, tx)])
      yield* commit([read("J-15:first", 2000, noon + 60_000)])
      yield* commit([read("J-15:second", 3000, noon + 120_000)])
      assert.deepStrictEqual((yield* commit([read("J-15:first", 2000, noon + 180_000)])).recorded, [false])
      assert.deepInclude(yield* session(tx.sessionId), { register: 3000, energy: 2000 })
      // The same in a batch with a new fact of another charger and a new reading of this session.
      yield* Effect.all(
        [
          commit([read("J-15:third", 4000, noon + 200_000)]),
          commit([read("J-15:second", 3000, noon + 240_000)]),
          commit([transferred(seeded, "J-16", "J-16:new")])
        ],
        { concurrency: "unbounded" }
      )
      assert.deepInclude(yield* session(tx.sessionId), { register: 4000, energy: 3000 })
    })
  )

  it.effect("creates no session for the former organisation of a charger id", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const sql = yield* SqlClient.SqlClient
      const old = yield* seedChargers([])
      const seeded = yield* seedChargers(["J-17"])
      yield* sql`SELECT * FROM connection_open(ARRAY['J-17'], ARRAY['1.6'], ARRAY[0], ARRAY['10.0.0.1'], ARRAY[now()], 'node')`
      const epoch = yield* epochOf("J-17")
      const outcome = yield* commit([
        started(old, transaction("J-17")),
        statusChanged(old, "J-17", epoch, "Faulted", "J-17")
      ])
      assert.deepStrictEqual(outcome.recorded, [true, false])
      assert.strictEqual(yield* count("session", "charger_id", "J-17"), 0)
      yield* commit([statusChanged(seeded, "J-17", epoch, "Charging", "J-17:own")])
      const rows = yield* sql<{ status: string }>`SELECT status FROM connector WHERE charger_id = 'J-17'`
      assert.deepStrictEqual(
        rows.map(({ status }) => status),
        ["Charging"]
      )
    })
  )

  it.effect("closes a session that a later start supersedes, and lets its late end correct it", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const seeded = yield* seedChargers(["J-6"])
      const lost = transaction("J-6")
      const next = transaction("J-6")
      yield* commit([started(seeded, lost)])
      yield* commit([metered(seeded, lost, noon + 60_000, 2000)])
      yield* commit([started(seeded, next, { at: noon + 7_200_000, supersedes: [lost.sessionId] })])
      assert.deepInclude(yield* session(lost.sessionId), {
        status: "COMPLETED",
        superseded: true,
        held_reason: "StopMissing",
        stop: 2000,
        energy: 1000
      })
      yield* commit([ended(seeded, lost)])
      assert.deepInclude(yield* session(lost.sessionId), {
        superseded: false,
        held_reason: null,
        energy: 5000,
        ended: noon + 3_600_000
      })
    })
  )

  it.effect("drops state reported by an older connection, and keeps its transactions", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const sql = yield* SqlClient.SqlClient
      const seeded = yield* seedChargers(["J-7"])
      const open = Effect.map(
        sql<{
          epoch: number
        }>`SELECT epoch FROM connection_open(ARRAY['J-7'], ARRAY['1.6'], ARRAY[0], ARRAY['10.0.0.1'], ARRAY[now()], 'node')`,
        ([row]) => row!.epoch
      )
      const old = yield* open
      const now = yield* open
      assert.strictEqual(now, old + 1)
      const tx = transaction("J-7")
      const outcome = yield* commit([
        statusChanged(seeded, "J-7", old, "Faulted", "J-7:old"),
        started(seeded, tx),
        statusChanged(seeded, "J-7", now, "Charging", "J-7:new")
      ])
      assert.deepStrictEqual(outcome.recorded, [false, true, true])
      const [row] = yield* sql<{ status: string }>`SELECT status FROM connector WHERE charger_id = 'J-7'`
      assert.strictEqual(row?.status, "Charging")
      yield* sql`SELECT connection_close(ARRAY['J-7'], ARRAY[${old}::float8], ARRAY[now()], ARRAY['late'])`
      const [connection] = yield* sql<{
        open: boolean
      }>`SELECT closed_at IS NULL AS open FROM connection WHERE charger_id = 'J-7'`
      assert.isTrue(connection?.open)
    })
  )

  it.effect("keeps an orphaned stop until its session is found", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const sql = yield* SqlClient.SqlClient
      const seeded = yield* seedChargers(["J-8"])
      const orphanId = freshId()
      yield* commit([orphaned(seeded, "J-8", orphanId)])
      const tx = transaction("J-8")
      yield* commit([started(seeded, tx), ended(seeded, tx, { orphanId })])
      const [row] = yield* sql<{ session_id: string }>`SELECT session_id FROM orphan WHERE id = ${orphanId}::uuid`
      assert.strictEqual(row?.session_id, tx.sessionId)
      assert.deepInclude(yield* session(tx.sessionId), { status: "COMPLETED", energy: 5000 })
    })
  )

  it.effect("drops an end whose orphan is already stored, so that a repeat cannot end another session", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const seeded = yield* seedChargers(["J-12"])
      const first = transaction("J-12")
      const second = transaction("J-12")
      yield* commit([started(seeded, first)])
      yield* commit([started(seeded, second)])
      const orphan = orphaned(seeded, "J-12", freshId())
      const end = (tx: Transaction) => ({
        ...ended(seeded, tx, { orphanId: orphan.body.orphanId }),
        requires: orphan.key
      })
      assert.deepStrictEqual((yield* commit([orphan, end(first)])).recorded, [true, true])
      const twin = { ...orphan, body: { ...orphan.body, orphanId: freshId() } }
      assert.deepStrictEqual((yield* commit([twin, end(second)])).recorded, [false, false])
      assert.deepInclude(yield* session(first.sessionId), { status: "COMPLETED", energy: 5000 })
      assert.deepInclude(yield* session(second.sessionId), { status: "ACTIVE", ended: null })
    })
  )

  it.effect("drops such an end also in the same batch as the first", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const seeded = yield* seedChargers(["J-13"])
      const first = transaction("J-13")
      const second = transaction("J-13")
      yield* commit([started(seeded, first), started(seeded, second)])
      const orphan = orphaned(seeded, "J-13", freshId())
      const end = (tx: Transaction) => ({ ...ended(seeded, tx), requires: orphan.key })
      const outcomes = yield* Effect.all([commit([orphan, end(first)]), commit([orphan, end(second)])], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        outcomes.map((o) => o.recorded),
        [
          [true, true],
          [false, false]
        ]
      )
      assert.deepInclude(yield* session(second.sessionId), { status: "ACTIVE" })
    })
  )

  it.effect("stores an older start that arrives late as superseded from the beginning", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const seeded = yield* seedChargers(["J-14"])
      const newer = transaction("J-14")
      const older = transaction("J-14")
      yield* commit([started(seeded, newer, { at: noon + 600_000 })])
      const late = started(seeded, older)
      const ends = [supersededEnd({ sessionId: older.sessionId, startedAt: late.at }, noon + 600_000)]
      yield* commit([{ ...late, body: { ...late.body, supersededBy: newer.sessionId, ends } }])
      assert.deepInclude(yield* session(older.sessionId), {
        superseded: true,
        status: "COMPLETED",
        ended: noon + 600_000
      })
      yield* commit([ended(seeded, older, { at: noon + 300_000 })])
      assert.deepInclude(yield* session(older.sessionId), { superseded: false, energy: 5000, ended: noon + 300_000 })
    })
  )

  it.effect("keeps the register that arrived later when two have the same time", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const seeded = yield* seedChargers(["J-31"])
      const tx = transaction("J-31")
      yield* commit([started(seeded, tx)])
      yield* commit([metered(seeded, tx, noon + 60_000, 3000)])
      yield* commit([metered(seeded, tx, noon + 60_000, 2500)])
      assert.deepInclude(yield* session(tx.sessionId), { register: 2500, energy: 1500 })
    })
  )

  it.effect("leaves the energy of a stopped session unchanged when a reading arrives afterwards", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const seeded = yield* seedChargers(["J-32"])
      const tx = transaction("J-32")
      yield* commit([started(seeded, tx)])
      yield* commit([ended(seeded, tx)])
      yield* commit([metered(seeded, tx, noon + 7_200_000, 9000)])
      assert.deepInclude(yield* session(tx.sessionId), {
        register: 9000,
        energy: 5000,
        stop: 6000,
        status: "COMPLETED"
      })
    })
  )

  it.effect("prefers the stop of a session to a start that supersedes it in the same batch", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const seeded = yield* seedChargers(["J-33"])
      for (const stopFirst of [true, false]) {
        const tx = transaction("J-33")
        yield* commit([started(seeded, tx)])
        const stop = commit([ended(seeded, tx)])
        const start = commit([
          started(seeded, transaction("J-33"), { at: noon + 7_200_000, supersedes: [tx.sessionId] })
        ])
        yield* Effect.all(stopFirst ? [stop, start] : [start, stop], { concurrency: "unbounded" })
        assert.deepInclude(yield* session(tx.sessionId), {
          superseded: false,
          held_reason: null,
          stop_reason: "Local",
          stop: 6000,
          ended: noon + 3_600_000
        })
      }
    })
  )

  it.effect("supersedes no session that has ended", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const seeded = yield* seedChargers(["J-34"])
      const tx = transaction("J-34")
      yield* commit([started(seeded, tx)])
      yield* commit([ended(seeded, tx)])
      yield* commit([started(seeded, transaction("J-34"), { at: noon + 7_200_000, supersedes: [tx.sessionId] })])
      assert.deepInclude(yield* session(tx.sessionId), {
        superseded: false,
        held_reason: null,
        ended: noon + 3_600_000
      })
    })
  )

  it.effect("refuses a fact that the database cannot store, and commits the others of its batch", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const seeded = yield* seedChargers(["J-9"])
      // Shared with the other tests of this process, so that what changes counts.
      const measured = Effect.all(journalMetrics.map(numberOf))
      const before = yield* measured
      const facts = Array.from({ length: 40 }, (_, i) => [
        transferred(seeded, "J-9", i === 17 ? "J-9:\u0000" : `J-9:${i}`)
      ])
      const results = yield* Effect.all(
        facts.map((f) => Effect.result(commit(f))),
        { concurrency: "unbounded" }
      )
      const failed = results.flatMap((r, i) => (Result.isFailure(r) ? [`${i} ${r.failure._tag}`] : []))
      assert.deepStrictEqual(failed, ["17 FactRefused"])
      assert.strictEqual(yield* count("journal", "subject", "charger:J-9"), 39)
      const changed = (yield* measured).map((value, i) => value - before[i]!)
      const [facts39, commits, waiting, ...reasons] = changed
      assert.deepStrictEqual([facts39, waiting, reasons], [39, 0, [0, 0, 0, 0, 1]])
      assert.isAbove(commits!, 1)
    })
  )

  it.effect("refuses a start whose token is too long for an index, and no other fact", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const seeded = yield* seedChargers(["J-18"])
      const tokenUid = Array.from({ length: 1000 }, (_, n) => ((n * 2_654_435_761) >>> 0).toString(36)).join("")
      const [long, short] = [transaction("J-18"), transaction("J-18")]
      const results = yield* Effect.all(
        [commit([started(seeded, long, { tokenUid })]), commit([started(seeded, short)])].map(Effect.result),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        results.map((result) => (Result.isFailure(result) ? result.failure._tag : "stored")),
        ["FactRefused", "stored"]
      )
      assert.deepInclude(yield* session(short.sessionId), { status: "ACTIVE" })
    })
  )

  it.effect("gives positions in the order in which facts become visible, with two concurrent writers", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const sql = yield* SqlClient.SqlClient
      const seeded = yield* seedChargers(["J-10", "J-11"])
      let cursor = 0
      const seen: Array<number> = []
      let writing = true
      const writer = (id: string) =>
        Effect.forEach(
          Array.from({ length: 60 }, (_, i) => i),
          (i) => commit([transferred(seeded, id, `${id}:order:${i}`)]),
          { discard: true }
        )
      const reader = Effect.whileLoop({
        while: () => writing,
        body: () =>
          Effect.map(
            sql<{
              position: number
            }>`SELECT position::float8 AS position FROM journal WHERE position > ${cursor}::float8 ORDER BY position`,
            (rows) => {
              for (const row of rows) {
                seen.push(row.position)
                cursor = row.position
              }
            }
          ),
        step: () => {}
      })
      const writers = Effect.andThen(
        Effect.all([writer("J-10"), writer("J-11")], { concurrency: "unbounded" }),
        Effect.sync(() => {
          writing = false
        })
      )
      yield* Effect.all([writers, reader], { concurrency: "unbounded" })
      const [row] = yield* sql<{
        n: number
      }>`SELECT count(*)::int AS n FROM journal WHERE position <= ${cursor}::float8`
      assert.strictEqual(seen.length, row!.n, "a reader behind a cursor must meet every fact")
    })
  )
})
