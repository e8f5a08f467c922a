/** The statements that an effect sends, for tests that count them or ask the database for their plan. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient, Statement } from "effect/sql"

export interface SentStatement {
  readonly text: string
  readonly values: ReadonlyArray<unknown>
}

/** Runs `effect` and returns its statements in order, without transaction control. */
export const statementsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sent: Array<SentStatement> = []
    yield* Effect.provideService(effect, Statement.CurrentTransformer, (statement) =>
      Effect.sync(() => {
        const [text, values] = statement.compile()
        sent.push({ text, values })
        return statement
      })
    )
    return sent
  })

/** The database's plan for a statement, as text. */
export const planOf = ({ text, values }: SentStatement) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql.unsafe<{ "QUERY PLAN": string }>(`EXPLAIN (COSTS OFF) ${text}`, values)
    return rows.map((row) => row["QUERY PLAN"]).join("\n")
  })

interface Node {
  readonly "Relation Name"?: string
  readonly "Actual Rows"?: number
  readonly "Actual Loops"?: number
  readonly "Rows Removed by Filter"?: number
  readonly "Rows Removed by Index Recheck"?: number
  readonly Plans?: ReadonlyArray<Node>
}

/** Rows that a plan read from tables, including those that it discarded. */
const readBy = (node: Node): number => {
  const own =
    node["Relation Name"] === undefined
      ? 0
      : ((node["Actual Rows"] ?? 0) +
          (node["Rows Removed by Filter"] ?? 0) +
          (node["Rows Removed by Index Recheck"] ?? 0)) *
        (node["Actual Loops"] ?? 0)
  return own + (node.Plans ?? []).reduce((sum, plan) => sum + readBy(plan), 0)
}

/** How many rows a statement reads from tables; the statement is run for this. */
export const rowsReadBy = ({ text, values }: SentStatement) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql.unsafe<{ "QUERY PLAN": ReadonlyArray<{ readonly Plan: Node }> }>(
      `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`,
      values
    )
    const [explained] = row?.["QUERY PLAN"] ?? []
    assert(explained !== undefined)
    return readBy(explained.Plan)
  })
