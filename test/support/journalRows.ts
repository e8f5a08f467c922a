/** What the journal has stored, as its tests read it. */
import { Effect, Metric } from "effect"
import { SqlClient } from "effect/sql"
import { freshId, type Transaction } from "./journalFacts.ts"

let next = 100
export const transaction = (chargerId: string): Transaction => ({
  chargerId,
  sessionId: freshId(),
  transactionId: next++
})

export const session = (id: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<Record<string, unknown>>`
      SELECT status, energy_wh::float8 AS energy, meter_stop_wh::float8 AS stop, register_wh::float8 AS register, superseded,
        held_reason, stop_reason, (extract(epoch FROM ended_at) * 1000)::float8 AS ended
      FROM session WHERE id = ${id}::uuid`
    return row
  })

export const count = (table: "journal" | "meter" | "session", column: "subject" | "charger_id", value: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{
      n: number
    }>`SELECT count(*)::int AS n FROM ${sql(table)} WHERE ${sql(column)} = ${value}`
    return row!.n
  })

export const epochOf = (chargerId: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{
      epoch: number
    }>`SELECT epoch::float8 AS epoch FROM connection WHERE charger_id = ${chargerId}`
    return row!.epoch
  })

/** The value of a counter or gauge, or the count of a histogram. */
export const numberOf = (metric: Metric.Metric<number, object>) =>
  Effect.map(Metric.value(metric), (state) => Number("count" in state ? state.count : "value" in state && state.value))
