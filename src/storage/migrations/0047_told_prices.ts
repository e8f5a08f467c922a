/**
 * A price that is kept changes nothing for partners: they were told of the reading or the end with that very price. Only where a session has too many
 * readings for that it is told of by a fact of its own, and whoever writes that says that the session has changed.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `DROP TRIGGER session_roaming_priced ON session_price`,
  `DROP TRIGGER session_roaming_repriced ON session_price`
]

export const toldPrices = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
