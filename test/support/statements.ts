/** Which statements an effect sends, for tests that count them or ask the database for their plan. */
import { Effect } from "effect"
import { SqlClient, Statement } from "effect/sql"

export interface SentStatement {
  readonly text: string
  readonly values: ReadonlyArray<unknown>
}

/** Runs `effect` and answers its statements in order, transaction control left out. */
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
