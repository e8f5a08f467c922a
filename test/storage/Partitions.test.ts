import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { uuid7 } from "../../src/domain/values/Uuid7.ts"
import { maintain } from "../../src/storage/kernel/Partitions.ts"
import { forEachDatabase } from "../support/databases.ts"
import { freshId } from "../support/journalFacts.ts"
import { usualRetention } from "../support/retention.ts"

const dayMillis = 86_400_000
/** A day on which everything here happens; each test uses days of its own, far from those of the others. */
const someDay = Date.UTC(2031, 0, 10, 15, 30)

const maintained = (now: number, more: Partial<typeof usualRetention> = {}) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => maintain(sql, { ...usualRetention, ...more }, now))

/** `20310110` of a time, as partitions are named. */
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10).replaceAll("-", "")

type Store = "meter" | "meter_unassigned" | "message"

/** The days or months that have a partition of their own. */
const partitionsOf = (store: Store) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ name: string }>`
      SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = ${store}::regclass AND c.relname <> ${`${store}_other`} ORDER BY 1`
    return rows.map(({ name }) => name.slice(store.length + 1))
  })

const addMessage = (at: number, frame: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`INSERT INTO message (organisation_id, charger_id, at, direction, kind, action, message_id, frame)
      VALUES (${freshId()}::uuid, 'P', ${new Date(at)}, 'in', 'CALL', 'X', 'm', ${frame})`
  })

/** The id of a session that was made at a time. */
const sessionOf = (at: number): string => uuid7(at, crypto.getRandomValues(new Uint8Array(10)))

/** A reading of a session, whatever the charger's clock says; whether it was new. */
const addReading = (sessionId: string, at: number, heardAt = at) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql`
      INSERT INTO meter (session_id, at, key, charger_id, organisation_id, evse_id, connector_id, heard_at, energy_wh, samples)
      VALUES (${sessionId}::uuid, ${new Date(at)}, ${Uint8Array.from([7])}, 'P', ${freshId()}::uuid, 1, 1, ${new Date(heardAt)}, 1, '[]')
      ON CONFLICT DO NOTHING RETURNING charger_id`
    return rows.length === 1
  })

const addUnassigned = (at: number, heardAt = at) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`INSERT INTO meter_unassigned (charger_id, at, key, organisation_id, evse_id, connector_id, heard_at, energy_wh, samples)
      VALUES ('P', ${new Date(at)}, ${Uint8Array.from([7])}, ${freshId()}::uuid, 1, 1, ${new Date(heardAt)}, 1, '[]')`
  })

/** Which partition each row of a span lies in, by the charger's time. */
const placesOf = (store: Store, from: number, to: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ place: string }>`
      SELECT tableoid::regclass::text AS place FROM ${sql(store)}
      WHERE at >= ${new Date(from)} AND at < ${new Date(to)} ORDER BY at`
    return rows.map(({ place }) => place)
  })

/** Which partition the readings of a session lie in. */
const placesOfSession = (sessionId: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ place: string }>`
      SELECT DISTINCT tableoid::regclass::text AS place FROM meter WHERE session_id = ${sessionId} ORDER BY 1`
    return rows.map(({ place }) => place)
  })

forEachDatabase("partitions", (it) => {
  it.effect(
    "of frames are made for yesterday, today and a week ahead, and of readings for last month to two months ahead",
    () =>
      Effect.gen(function* () {
        yield* maintained(someDay)
        const days = Array.from({ length: 9 }, (_, n) => dayOf(someDay + (n - 1) * dayMillis))
        assert.deepStrictEqual(yield* partitionsOf("message"), days)
        for (const store of ["meter", "meter_unassigned"] as const) {
          assert.deepStrictEqual(yield* partitionsOf(store), ["203012", "203101", "203102", "203103"])
        }
        yield* addMessage(someDay, "[today]")
        assert.deepStrictEqual(yield* placesOf("message", someDay - 1, someDay + 1), [`message_${dayOf(someDay)}`])
      })
  )

  it.effect("of days begin and end at midnight UTC", () =>
    Effect.gen(function* () {
      const midnight = Date.UTC(2031, 0, 11)
      yield* maintained(someDay)
      yield* addMessage(midnight - 1, "[last]")
      yield* addMessage(midnight, "[first]")
      assert.deepStrictEqual(yield* placesOf("message", midnight - 1, midnight + 1), [
        "message_20310110",
        "message_20310111"
      ])
    })
  )

  it.effect("of readings hold a whole session in the month of its creation, whatever the charger's clock says", () =>
    Effect.gen(function* () {
      yield* maintained(someDay)
      const [last, first] = [sessionOf(Date.UTC(2031, 1, 1) - 1), sessionOf(Date.UTC(2031, 1, 1))]
      for (const at of [1000, someDay, someDay + 90 * dayMillis]) {
        yield* addReading(last, at)
        yield* addReading(first, at)
      }
      assert.deepStrictEqual(yield* placesOfSession(last), ["meter_203101"])
      assert.deepStrictEqual(yield* placesOfSession(first), ["meter_203102"])
    })
  )

  it.effect("are made once, however many runs make them at the same time", () =>
    Effect.gen(function* () {
      const day = someDay + 100 * dayMillis
      yield* Effect.all([maintained(day), maintained(day), maintained(day + dayMillis)], { concurrency: "unbounded" })
      yield* maintained(day)
      const made = (yield* partitionsOf("message")).filter((name) => name >= dayOf(day - dayMillis))
      assert.deepStrictEqual(
        made,
        Array.from({ length: 10 }, (_, n) => dayOf(day + (n - 1) * dayMillis))
      )
    })
  )

  it.effect("take over the rows of their time that arrived before they existed, and no others", () =>
    Effect.gen(function* () {
      const day = someDay + 200 * dayMillis
      const [ahead, farAhead] = [day + 3 * dayMillis, day + 120 * dayMillis]
      yield* addMessage(ahead, "[a clock that is ahead]")
      yield* addUnassigned(ahead)
      yield* addUnassigned(farAhead)
      const [soon, late] = [sessionOf(ahead), sessionOf(farAhead)]
      yield* addReading(soon, day)
      yield* addReading(late, day)
      assert.deepStrictEqual(yield* placesOfSession(soon), ["meter_other"])
      yield* maintained(day)
      assert.deepStrictEqual(yield* placesOf("message", ahead, ahead + 1), [`message_${dayOf(ahead)}`])
      assert.deepStrictEqual(yield* placesOf("meter_unassigned", ahead, farAhead + 1), [
        `meter_unassigned_${dayOf(ahead).slice(0, 6)}`,
        "meter_unassigned_other"
      ])
      assert.deepStrictEqual(yield* placesOfSession(soon), [`meter_${dayOf(ahead).slice(0, 6)}`])
      assert.deepStrictEqual(yield* placesOfSession(late), ["meter_other"])
      assert.isFalse(yield* addReading(soon, day), "a reading that was moved is still known")
    })
  )

  it.effect("of frames are dropped after their retention, with rows outside any day, and those of readings stay", () =>
    Effect.gen(function* () {
      const day = someDay + 300 * dayMillis
      yield* maintained(day - 40 * dayMillis)
      yield* addMessage(day - 40 * dayMillis, "[old]")
      yield* addMessage(day - 36 * dayMillis, "[older than its retention, younger than the oldest]")
      yield* addMessage(day - 31 * dayMillis, "[old, and the partitions of its day were never made]")
      yield* addMessage(day - 30 * dayMillis, "[kept]")
      const session = sessionOf(day - 40 * dayMillis)
      yield* addReading(session, day - 40 * dayMillis)
      yield* maintained(day)
      const sql = yield* SqlClient.SqlClient
      const frames = yield* sql<{
        frame: string
      }>`SELECT frame FROM message WHERE at < ${new Date(day)} AND frame LIKE '[%' ORDER BY at`
      assert.deepStrictEqual(
        frames.map(({ frame }) => frame),
        ["[kept]"]
      )
      assert.isEmpty((yield* partitionsOf("message")).filter((name) => name < dayOf(day - 30 * dayMillis)))
      assert.lengthOf(yield* placesOfSession(session), 1)
    })
  )

  it.effect("of readings are dropped by whole months after their retention, with rows outside any month", () =>
    Effect.gen(function* () {
      const then = Date.UTC(2034, 2, 31, 23)
      const none = sessionOf(Date.UTC(2033, 0, 5))
      yield* addReading(none, then, Date.UTC(2033, 0, 5))
      yield* maintained(then)
      const [old, young] = [sessionOf(then), sessionOf(Date.UTC(2034, 3, 1))]
      yield* addReading(old, then)
      yield* addReading(young, then)
      yield* addUnassigned(then)
      // The last day on which a reading of 31 March is not yet two whole months old.
      const kept = { readingsRetentionMonths: 2 }
      yield* maintained(Date.UTC(2034, 4, 31, 12), kept)
      assert.lengthOf(yield* placesOfSession(none), 0, "heard in a month that had no partition")
      assert.lengthOf(yield* placesOfSession(old), 1)
      assert.lengthOf(yield* placesOf("meter_unassigned", then, then + 1), 1)
      yield* maintained(Date.UTC(2034, 5, 1, 12), kept)
      assert.lengthOf(yield* placesOfSession(old), 0)
      assert.lengthOf(yield* placesOfSession(young), 1)
      assert.notInclude(yield* partitionsOf("meter"), "203403")
      yield* maintained(Date.UTC(2034, 6, 1, 12), kept)
      assert.lengthOf(
        yield* placesOf("meter_unassigned", then, then + 1),
        0,
        "three months after a start could claim it"
      )
    })
  )

  it.effect("keep readings that a charger dates to 1970 as long as others", () =>
    Effect.gen(function* () {
      const now = someDay + 2_000 * dayMillis
      yield* addUnassigned(1000, now)
      yield* maintained(now, { messageRetentionDays: 1 })
      assert.deepStrictEqual(yield* placesOf("meter_unassigned", 0, dayMillis), ["meter_unassigned_other"])
      yield* maintained(now + 130 * dayMillis, { messageRetentionDays: 1 })
      assert.deepStrictEqual(yield* placesOf("meter_unassigned", 0, dayMillis), [])
    })
  )
})
