/** Changes of database functions as they stand, whatever earlier migrations have made of them: a text that is not there once stops the migration. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

export type Change = readonly [from: string, to: string]

export const changeFunction = (sql: SqlClient.SqlClient, name: string, changes: ReadonlyArray<Change>) =>
  Effect.gen(function* () {
    const [stands] = yield* sql<{ readonly text: string }>`SELECT pg_get_functiondef(${name}::regproc) AS text`
    let text = stands?.text ?? ""
    for (const [from, to] of changes) {
      const parts = text.split(from)
      if (parts.length !== 2) return yield* Effect.die(new Error(`expected to find once in ${name}: ${from}`))
      text = parts.join(to)
    }
    return yield* sql.unsafe(text)
  })
