/** Ends of sessions without anything unusual, from the charger's messages to the pricing loop: what need not be read, and what must be. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { limits } from "../../src/Config.ts"
import { defaultPriceOptions, repricing } from "../../src/actors/background/Repricing.ts"
import { Ledgers } from "../../src/domain/session/Ledgers.ts"
import { Sessions } from "../../src/domain/session/Sessions.ts"
import { Tariffs } from "../../src/domain/tariff/Tariffs.ts"
import * as ChargerDirectoryRepository from "../../src/storage/charging/ChargerDirectory.ts"
import * as JournalRepository from "../../src/storage/charging/Journal.ts"
import { forEachDriver } from "../support/databases.ts"
import { at, energy, ended, evse, metered, minute, reading, started } from "../support/events.ts"
import { seedChargers } from "../support/journalFacts.ts"
import { ModelJournal } from "../support/modelJournal.ts"
import { besideRepositories } from "../support/repositories.ts"
import { StoredCharger } from "../support/storedCharger.ts"

const world = Layer.mergeAll(
  besideRepositories,
  JournalRepository.layer(limits.journal),
  ChargerDirectoryRepository.layer({ ...limits.directory, nodeId: "plain" })
)

interface ReportedSession {
  readonly from: number
  readonly begins: number
  /** Wh since the beginning, one a minute. */
  readonly readings?: ReadonlyArray<number>
  readonly took?: number
  /** Registers that are reported only after the stop. */
  readonly late?: ReadonlyArray<number>
}

/** A charger that accepts unknown cards, and functions for its sessions. */
const charging = (chargerId: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const seeded = yield* seedChargers([chargerId])
    yield* sql`UPDATE organisation SET unknown_tokens = 'Accept' WHERE id = ${seeded.organisationId}`
    const charger = yield* StoredCharger.connect(chargerId, seeded.organisationId, new ModelJournal())
    const reportSession = ({ begins, from, late = [], readings = [40, 80, 121, 160], took = 200 }: ReportedSession) =>
      Effect.gen(function* () {
        charger.now = minute(begins + 11)
        const { reply } = yield* charger.say(started({ time: at(minute(begins)), meterStartWh: from }))
        const id = reply?._tag === "StartAnswered" ? reply.transactionId : 0
        const read = (wh: number, n: number) =>
          charger.say(metered(id, [reading(at(minute(begins + n)), energy(from + wh))], { place: evse(1) }))
        for (const [n, wh] of readings.entries()) yield* read(wh, n + 1)
        yield* charger.say(ended(id, { time: at(minute(begins + 10)), meterStopWh: from + took }))
        for (const wh of late) yield* read(wh, 9)
      })
    /** The sessions to read and those that ended plainly since the last round of the loop; then runs a round. */
    const looked = Effect.gen(function* () {
      const { plainlyEnded, sessionIds } = yield* (yield* Ledgers).changed(1_000)
      while (yield* repricing(defaultPriceOptions)) {}
      return { read: sessionIds.length, plain: plainlyEnded }
    })
    const held = Effect.map(
      Effect.flatMap(Sessions, ({ list }) => list(seeded.organisationId, { limit: 10 })),
      ({ items }) => items.toSorted((a, b) => a.startedAt - b.startedAt).map(({ heldReason }) => heldReason)
    )
    const equipped = sql`INSERT INTO charger_equipment (charger_id, evse_id, connector_id, standard, format, power_type, max_voltage,
      max_amperage, max_power_w)`
    return { charger, equipped, held, looked, reportSession, seeded, sql }
  })

forEachDriver("Plain ends", world, (it) => {
  it.effect("include what only the database knows: the previous session, the connector's power, its meter", () =>
    Effect.gen(function* () {
      const { equipped, looked, reportSession, sql } = yield* charging("PE-1")
      yield* looked
      yield* reportSession({ from: 1_000, begins: 0 })
      const first = yield* looked
      assert.deepStrictEqual(
        first.plain.map(({ sessionId: _, ...one }) => one),
        [
          {
            plain: { powerW: 0, meter: { stepWh: 1, reportsPower: false } },
            meterStartWh: 1_000,
            maxPowerW: undefined,
            before: undefined,
            meter: undefined
          }
        ]
      )
      yield* sql`${equipped} VALUES ('PE-1', 1, 1, 'IEC_62196_T2', 'SOCKET', 'AC_3_PHASE', 230, 32, 22000)`
      yield* reportSession({ from: 1_200, begins: 20, readings: [], took: 3_000 })
      const second = yield* looked
      assert.deepStrictEqual(
        second.plain.map(({ sessionId: _, ...one }) => one),
        [
          {
            plain: { powerW: 16_365 },
            meterStartWh: 1_200,
            maxPowerW: 22_000,
            before: { isSuperseded: false, meterStopWh: 1_200 },
            // The first session was read, since its meter was not known.
            meter: { stepWh: 1, reportsPower: false }
          }
        ]
      )
      assert.strictEqual(second.read, 0)
    })
  )

  it.effect("exclude sessions with something unusual, which are held", () =>
    Effect.gen(function* () {
      const { equipped, held, looked, reportSession, sql } = yield* charging("PE-2")
      yield* reportSession({ from: 10_000, begins: 0 })
      assert.strictEqual((yield* looked).plain.length, 1)
      yield* reportSession({ from: 11_000, begins: 20, readings: [100, 40, 150] })
      yield* reportSession({ from: 9_000, begins: 40, readings: [100, 2_500], took: 3_000 })
      const { plain, read } = yield* looked
      // The third is plain in itself, and begins below where the second ended.
      assert.deepStrictEqual([plain.length, read], [1, 1])
      assert.deepStrictEqual(yield* held, [undefined, "RegisterFell", "MeterStartImplausible"])
      yield* sql`${equipped} VALUES ('PE-2', 1, 1, 'IEC_62196_T2', 'SOCKET', 'AC_1_PHASE', 230, 16, 3700)`
      yield* reportSession({ from: 20_000, begins: 60, readings: [], took: 4_000 })
      yield* looked
      assert.strictEqual((yield* held)[3], "EnergyImplausible")
    })
  )

  it.effect("exclude sessions that no actor followed to the end, and those with a reading after the stop", () =>
    Effect.gen(function* () {
      const { charger, looked, reportSession } = yield* charging("PE-3")
      const { reply } = yield* charger.say(started())
      yield* charger.reconnect
      charger.now = minute(31)
      yield* charger.say(ended(reply?._tag === "StartAnswered" ? reply.transactionId : 0))
      const anew = yield* looked
      assert.deepStrictEqual([anew.plain.length, anew.read], [0, 1])
      yield* reportSession({ from: 10_000, begins: 60, late: [500] })
      const late = yield* looked
      assert.deepStrictEqual([late.plain.length, late.read], [0, 1])
    })
  )

  it.effect("exclude sessions with a tariff, which are priced and get a record", () =>
    Effect.gen(function* () {
      const { looked, reportSession, seeded, sql } = yield* charging("PE-4")
      const tariffs = yield* Tariffs
      const by = { ...seeded, actor: "test", keyId: "", operatorId: undefined, permissions: [] }
      const elements = [{ priceComponents: [{ type: "ENERGY" as const, price: 1, stepSize: 1 }] }]
      const tariff = yield* tariffs.create({ currency: "EUR", elements }, { by, now: minute(-1) })
      yield* tariffs.assign(tariff.id, { scope: "organisation" }, { by, now: minute(-1) })
      yield* reportSession({ from: 1_000, begins: 0 })
      const { plain, read } = yield* looked
      assert.deepStrictEqual([plain.length, read], [0, 1])
      const [row] = yield* sql<{ cdrs: number; prices: number }>`
        SELECT (SELECT count(*)::int FROM cdr WHERE organisation_id = ${seeded.organisationId}) AS cdrs,
          (SELECT count(*)::int FROM session_price WHERE organisation_id = ${seeded.organisationId}) AS prices`
      assert.deepStrictEqual(row, { cdrs: 1, prices: 1 })
    })
  )
})
