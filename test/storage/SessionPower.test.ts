/** The power of a session by its readings, whatever their order. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { limits } from "../../src/Config.ts"
import type { MeterRead } from "../../src/domain/charger/Fact.ts"
import { Journal } from "../../src/domain/charger/Journal.ts"
import * as JournalRepository from "../../src/storage/charging/Journal.ts"
import { forEachDriver } from "../support/databases.ts"
import { freshId, metered, noon, seedChargers, started } from "../support/journalFacts.ts"
import { besideRepositories } from "../support/repositories.ts"

const world = Layer.mergeAll(besideRepositories, JournalRepository.layer(limits.journal))

const minute = 60_000

/** A running session, readings of it with a power, and its stored power and register. */
const charging = (chargerId: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { commit } = yield* Journal
    const seeded = yield* seedChargers([chargerId])
    const tx = { chargerId, sessionId: freshId(), transactionId: 7 }
    yield* commit([started(seeded, tx)])
    const read = (at: number, wh: number, power: Pick<MeterRead["body"], "powerW" | "powerAt">): MeterRead => {
      const fact = metered(seeded, tx, at, wh)
      return { ...fact, body: { ...fact.body, ...power } }
    }
    const stored = Effect.map(
      sql<{ power: number | null; at: Date | null; register: bigint | null }>`
        SELECT power_w AS power, power_at AS at, register_wh AS register FROM session WHERE id = ${tx.sessionId}`,
      ([row]) => [row?.power, row?.at?.getTime(), Number(row?.register)]
    )
    return { commit, read, stored }
  })

forEachDriver("the power of a session", world, (it) => {
  it.effect("is that of its newest reading, and stays when a reading has none", () =>
    Effect.gen(function* () {
      const { commit, read, stored } = yield* charging("P-newest")
      const at = noon + 10 * minute
      yield* commit([read(at, 2000, { powerW: 11_040, powerAt: at })])
      assert.deepStrictEqual(yield* stored, [11_040, at, 2000])
      yield* commit([read(at - minute, 1800, { powerW: 3000, powerAt: at - minute })])
      assert.deepStrictEqual(yield* stored, [11_040, at, 2000])
      yield* commit([read(at + minute, 2200, {})])
      assert.deepStrictEqual(yield* stored, [11_040, at, 2200])
    })
  )

  it.effect("is taken from readings without a register too, which leave the register as it is", () =>
    Effect.gen(function* () {
      const { commit, read, stored } = yield* charging("P-alone")
      const at = noon + 10 * minute
      const alone = (powerAt: number, powerW: number): MeterRead => {
        const fact = read(powerAt, 1, { powerW, powerAt })
        return { ...fact, body: { ...fact.body, registerWh: undefined, registerAt: undefined, energyWh: undefined } }
      }
      yield* commit([read(at, 2000, {}), alone(at + minute, 7000)])
      assert.deepStrictEqual((yield* stored).at(-1), 2000)
      yield* commit([alone(at + 2 * minute, 7360)])
      assert.deepStrictEqual(yield* stored, [7360, at + 2 * minute, 2000])
    })
  )
})
