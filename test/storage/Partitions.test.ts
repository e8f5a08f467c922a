import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { maintain } from "../../src/storage/kernel/Partitions.ts"
import { forEachDatabase } from "../support/databases.ts"
import { freshId } from "../support/journalFacts.ts"

const dayMillis = 86_400_000
/** A day on which everything here happens; each test takes days of its own, far from the others'. */
const someDay = Date.UTC(2031, 0, 10, 15, 30)
const options = { messageRetentionDays: 30 }

const maintained = (now: number, more: Partial<typeof options> = {}) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => maintain(sql, { ...options, ...more }, now))

/** `20310110` of a time, as partitions are named. */
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10).replaceAll("-", "")

type Store = "meter" | "message"

/** The days that have a partition of their own. */
const daysOf = (store: Store) =>
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

const addReading = (at: number, wh: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`INSERT INTO meter (charger_id, at, key, organisation_id, evse_id, connector_id, heard_at, energy_wh, samples)
      VALUES ('P', ${new Date(at)}, ${Uint8Array.from([wh & 255])}, ${freshId()}::uuid, 1, 1, now(), ${wh}, '[]')`
  })

/** Which partition each row lies in. */
const placesOf = (store: Store, from: number, to: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ place: string }>`
      SELECT tableoid::regclass::text AS place FROM ${sql(store)}
      WHERE at >= ${new Date(from)} AND at < ${new Date(to)} ORDER BY at`
    return rows.map(({ place }) => place)
  })

forEachDatabase("partitions by day", (it) => {
  it.effect("are made for yesterday, today and a week ahead, in both stores", () =>
    Effect.gen(function* () {
      yield* maintained(someDay)
      const expected = Array.from({ length: 9 }, (_, n) => dayOf(someDay + (n - 1) * dayMillis))
      assert.deepStrictEqual(yield* daysOf("meter"), expected)
      assert.deepStrictEqual(yield* daysOf("message"), expected)
      yield* addMessage(someDay, "[today]")
      yield* addReading(someDay + 7 * dayMillis, 1)
      assert.deepStrictEqual(yield* placesOf("message", someDay - 1, someDay + 1), [`message_${dayOf(someDay)}`])
      assert.deepStrictEqual(yield* placesOf("meter", someDay + dayMillis, someDay + 8 * dayMillis), [
        `meter_${dayOf(someDay + 7 * dayMillis)}`
      ])
    })
  )

  it.effect("begin and end at midnight UTC", () =>
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

  it.effect("are made once, however often and by however many at a time", () =>
    Effect.gen(function* () {
      const day = someDay + 100 * dayMillis
      yield* Effect.all([maintained(day), maintained(day), maintained(day + dayMillis)], { concurrency: "unbounded" })
      yield* maintained(day)
      const made = (yield* daysOf("meter")).filter((name) => name >= dayOf(day - dayMillis))
      assert.deepStrictEqual(
        made,
        Array.from({ length: 10 }, (_, n) => dayOf(day + (n - 1) * dayMillis))
      )
    })
  )

  it.effect("take in what had come for their day before they were there, and nothing else", () =>
    Effect.gen(function* () {
      const day = someDay + 200 * dayMillis
      const [ahead, farAhead] = [day + 3 * dayMillis, day + 20 * dayMillis]
      yield* addReading(ahead, 7)
      yield* addReading(farAhead, 8)
      yield* addMessage(ahead, "[a clock that is ahead]")
      assert.deepStrictEqual(yield* placesOf("meter", ahead, farAhead + 1), ["meter_other", "meter_other"])
      yield* maintained(day)
      assert.deepStrictEqual(yield* placesOf("meter", ahead, farAhead + 1), [`meter_${dayOf(ahead)}`, "meter_other"])
      assert.deepStrictEqual(yield* placesOf("message", ahead, ahead + 1), [`message_${dayOf(ahead)}`])
      const sql = yield* SqlClient.SqlClient
      const again =
        yield* sql`INSERT INTO meter (charger_id, at, key, organisation_id, evse_id, connector_id, heard_at, energy_wh, samples)
        VALUES ('P', ${new Date(ahead)}, ${Uint8Array.from([7])}, ${freshId()}::uuid, 1, 1, now(), 7, '[]')
        ON CONFLICT (charger_id, at, key) DO NOTHING RETURNING charger_id`
      assert.lengthOf(again, 0, "a reading that was moved is still known")
    })
  )

  it.effect("of frames go after their retention, with what lies outside any day, and those of readings stay", () =>
    Effect.gen(function* () {
      const day = someDay + 300 * dayMillis
      yield* maintained(day - 40 * dayMillis)
      yield* addMessage(day - 40 * dayMillis, "[old]")
      yield* addMessage(day - 36 * dayMillis, "[older than its retention, younger than the oldest]")
      yield* addMessage(day - 31 * dayMillis, "[old, and the partitions of its day were never made]")
      yield* addMessage(day - 30 * dayMillis, "[kept]")
      yield* addReading(day - 40 * dayMillis, 1)
      yield* maintained(day)
      const sql = yield* SqlClient.SqlClient
      const frames = yield* sql<{
        frame: string
      }>`SELECT frame FROM message WHERE at < ${new Date(day)} AND frame LIKE '[%' ORDER BY at`
      assert.deepStrictEqual(
        frames.map(({ frame }) => frame),
        ["[kept]"]
      )
      assert.isEmpty((yield* daysOf("message")).filter((name) => name < dayOf(day - 30 * dayMillis)))
      assert.deepStrictEqual(yield* placesOf("meter", day - 40 * dayMillis, day - 39 * dayMillis), [
        `meter_${dayOf(day - 40 * dayMillis)}`
      ])
    })
  )

  it.effect("never touch readings of 1970, which chargers without a clock send", () =>
    Effect.gen(function* () {
      yield* addReading(1000, 3)
      yield* maintained(someDay + 400 * dayMillis, { messageRetentionDays: 1 })
      assert.deepStrictEqual(yield* placesOf("meter", 0, dayMillis), ["meter_other"])
    })
  )
})
