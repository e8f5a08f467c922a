/** A partner's tokens in the order in which an operator is shown them: a page of a million is found along an index, which also finds them all. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE INDEX roaming_token_listed ON roaming_token (partner_id, uid_key, type_key, country_code, party_id)`,
  `DROP INDEX roaming_token_partner`
]

export const listedTokens = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
