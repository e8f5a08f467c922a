/** An organisation's figures of sessions: valid sessions are counted, and nothing that is held or implausible. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Journal } from "../../src/domain/charger/Journal.ts"
import { SessionReviews } from "../../src/domain/session/SessionReviews.ts"
import { sessionWindows } from "../../src/storage/charging/SessionWindows.ts"
import * as JournalRepository from "../../src/storage/charging/Journal.ts"
import { limits } from "../../src/Config.ts"
import { forEachDriver } from "../support/databases.ts"
import { ended, metered, noon, seedChargers, started, type Transaction } from "../support/journalFacts.ts"
import { uuid7 } from "../../src/domain/values/Uuid7.ts"
import { besideRepositories } from "../support/repositories.ts"

const world = Layer.mergeAll(besideRepositories, JournalRepository.layer(limits.journal))

const hour = 3_600_000

let made = 0

/** Lists find a session by the time in its id. */
const idAt = (at: number): string => uuid7(at, new Uint8Array(10).fill(++made))

/** A session of `meterStopWh` on a charger of its own, and what the statistics say of it. */
const aSession = (chargerId: string, meterStopWh: number, at = noon) =>
  Effect.gen(function* () {
    const { commit } = yield* Journal
    const reviews = yield* SessionReviews
    const chargers = yield* Chargers
    const seeded = yield* seedChargers([chargerId])
    const { organisationId } = seeded
    const tx: Transaction = { chargerId, sessionId: idAt(at), transactionId: 7 }
    yield* commit([started(seeded, tx, { at })])
    yield* commit([ended(seeded, tx, { at: at + hour, meterStopWh })])
    const principal = { organisationId, actor: "test", keyId: "", operatorId: undefined, permissions: [] }
    const writing = { by: principal, now: noon + 2 * hour }
    const figures = Effect.map(
      chargers.statistics(organisationId, noon + 3 * hour),
      ({ activeSessions, energyWhToday, energyWhTotal, sessionsToday }) => ({
        activeSessions,
        energyWhToday,
        energyWhTotal,
        sessionsToday
      })
    )
    const hold = reviews.hold([{ sessionId: tx.sessionId, organisationId, reason: "EnergyImplausible" }], noon + hour)
    const correct = (correction: {
      readonly energyWh?: number
      readonly startedAt?: number
      readonly endedAt?: number
    }) =>
      reviews.correct(
        tx.sessionId,
        { energyWh: undefined, startedAt: undefined, endedAt: undefined, reason: "read there", ...correction },
        writing
      )
    return { commit, correct, figures, hold, release: reviews.release(tx.sessionId, writing), seeded, tx }
  })

const nothing = { activeSessions: 0, energyWhToday: 0, energyWhTotal: 0, sessionsToday: 0 }

forEachDriver("the figures of an organisation", world, (it) => {
  it.effect("exclude a session that is held, and include its corrected energy once it was corrected", () =>
    Effect.gen(function* () {
      const { correct, figures, hold } = yield* aSession("S-held", 8_001_000)
      yield* hold
      assert.deepStrictEqual(yield* figures, nothing)
      yield* correct({ energyWh: 7000 })
      assert.deepStrictEqual(yield* figures, {
        ...nothing,
        energyWhToday: 7000,
        energyWhTotal: 7000,
        sessionsToday: 1
      })
    })
  )

  it.effect("include a released session unchanged", () =>
    Effect.gen(function* () {
      const { figures, hold, release } = yield* aSession("S-released", 6000)
      yield* hold
      yield* release
      assert.deepStrictEqual(yield* figures, { ...nothing, energyWhToday: 5000, energyWhTotal: 5000, sessionsToday: 1 })
    })
  )

  it.effect("count a session on the day of its corrected end", () =>
    Effect.gen(function* () {
      const { correct, figures } = yield* aSession("S-moved", 6000, noon - 40 * hour)
      assert.deepStrictEqual(yield* figures, { ...nothing, energyWhTotal: 5000 })
      yield* correct({ endedAt: noon })
      assert.deepStrictEqual(yield* figures, { ...nothing, energyWhToday: 5000, energyWhTotal: 5000 })
      yield* correct({ startedAt: noon - 50 * hour, endedAt: noon - 49 * hour, energyWh: 400 })
      assert.deepStrictEqual(yield* figures, { ...nothing, energyWhTotal: 400 })
    })
  )

  it.effect("exclude the energy of a running session with an implausible register", () =>
    Effect.gen(function* () {
      const { commit, correct, figures, seeded } = yield* aSession("S-runs", 6000)
      yield* correct({ energyWh: 5000 })
      const tx: Transaction = { chargerId: "S-runs", sessionId: idAt(noon), transactionId: 8 }
      const start = started(seeded, tx, { at: noon + 2 * hour })
      yield* commit([{ ...start, body: { ...start.body, meterStartWh: 0, meterStartMissing: true } }])
      yield* commit([metered(seeded, tx, noon + 2.5 * hour, 8_000_000)])
      const one = { energyWhToday: 5000, energyWhTotal: 5000, sessionsToday: 1 }
      assert.deepStrictEqual(yield* figures, { activeSessions: 1, ...one })
    })
  )

  it.effect("include the times and energy of sessions as corrected, for a site, a charger or all", () =>
    Effect.gen(function* () {
      const { commit, correct, hold, release, seeded } = yield* aSession("S-windows", 6000)
      const chargers = yield* Chargers
      const { organisationId, siteId } = seeded
      const between = (from: number, to: number, site?: string) =>
        Effect.map(chargers.sessionWindows(organisationId, { from, to, siteId: site }), (windows) =>
          windows.map(({ endedAt, energyWh, startedAt }) => [startedAt, endedAt, energyWh])
        )
      const whole = [noon, noon + hour, 5000]
      assert.deepStrictEqual(yield* between(noon - hour, noon + 3 * hour), [whole])
      assert.deepStrictEqual(yield* between(noon + hour / 2, noon + 3 * hour), [whole])
      assert.deepStrictEqual(yield* between(noon - 3 * hour, noon), [])
      assert.deepStrictEqual(yield* between(noon + 2 * hour, noon + 3 * hour), [])
      assert.deepStrictEqual(yield* between(noon, noon + hour, siteId), [whole])
      assert.deepStrictEqual(yield* between(noon, noon + hour, uuid7(1, new Uint8Array(10))), [])
      const ofCharger = (chargerId: string) =>
        Effect.map(
          chargers.sessionWindows(organisationId, { from: noon, to: noon + hour, chargerId }),
          ({ length }) => length
        )
      assert.deepStrictEqual([yield* ofCharger("S-windows"), yield* ofCharger("S-runs")], [1, 0])
      yield* hold
      assert.deepStrictEqual(yield* between(noon, noon + hour), [])
      yield* release
      yield* correct({ energyWh: 7000 })
      assert.deepStrictEqual(yield* between(noon, noon + hour), [[noon, noon + hour, 7000]])
      const running: Transaction = { chargerId: "S-windows", sessionId: idAt(noon + 2 * hour), transactionId: 9 }
      yield* commit([started(seeded, running, { at: noon + 2 * hour })])
      assert.deepStrictEqual(yield* between(noon + 2 * hour, noon + 3 * hour), [[noon + 2 * hour, undefined, 0]])
      assert.deepStrictEqual(
        yield* chargers.sessionWindows(uuid7(2, new Uint8Array(10)), {
          from: noon,
          to: noon + hour,
          siteId: undefined
        }),
        []
      )
    })
  )

  it.effect("include a session that began days before a range and ended in it or after it", () =>
    Effect.gen(function* () {
      const { commit, correct, seeded } = yield* aSession("S-long", 6000)
      const chargers = yield* Chargers
      const { organisationId } = seeded
      const long: Transaction = { chargerId: "S-long", sessionId: idAt(noon - 200 * hour), transactionId: 12 }
      yield* commit([started(seeded, long, { at: noon - 200 * hour })])
      yield* commit([ended(seeded, long, { at: noon - 50 * hour, meterStopWh: 9000 })])
      const starts = (from: number, to: number) =>
        Effect.map(chargers.sessionWindows(organisationId, { from, to, siteId: undefined }), (windows) =>
          windows.map(({ startedAt }) => (startedAt - noon) / hour).toSorted((a, b) => a - b)
        )
      assert.deepStrictEqual(yield* starts(noon - 100 * hour, noon - 90 * hour), [-200])
      assert.deepStrictEqual(yield* starts(noon - 60 * hour, noon - 40 * hour), [-200])
      assert.deepStrictEqual(yield* starts(noon - 40 * hour, noon + hour), [0])
      yield* correct({ startedAt: noon - 80 * hour, endedAt: noon - 79 * hour })
      assert.deepStrictEqual(yield* starts(noon - 80 * hour, noon - 78 * hour), [-200, -80])
    })
  )

  it.effect("refuse a range with too many sessions of the requested site", () =>
    Effect.gen(function* () {
      const { commit, seeded } = yield* aSession("S-many", 6000)
      const { organisationId, siteId } = seeded
      const second: Transaction = { chargerId: "S-many", sessionId: idAt(noon + 2 * hour), transactionId: 11 }
      yield* commit([started(seeded, second, { at: noon + 2 * hour })])
      yield* commit([ended(seeded, second, { at: noon + 3 * hour, meterStopWh: 7000 })])
      const sql = yield* SqlClient.SqlClient
      const range = { from: noon - hour, to: noon + 2.5 * hour, siteId: undefined }
      const refusal = yield* Effect.flip(sessionWindows(sql, 1)(organisationId, range))
      assert.strictEqual(refusal._tag, "InvalidInput")
      assert.strictEqual((yield* sessionWindows(sql, 2)(organisationId, range)).length, 2)
      // Sessions that began after the range do not count.
      assert.strictEqual((yield* sessionWindows(sql, 1)(organisationId, { ...range, to: noon + hour / 2 })).length, 1)
      const elsewhere = { ...range, siteId: uuid7(3, new Uint8Array(10)) }
      assert.deepStrictEqual(yield* sessionWindows(sql, 1)(organisationId, elsewhere), [])
      assert.strictEqual(
        (yield* Effect.flip(sessionWindows(sql, 1)(organisationId, { ...range, siteId })))._tag,
        "InvalidInput"
      )
    })
  )
})
