/**
 * What operators may do who were there before a permission was: whoever may change the organisation gets what is new, as the operator of a
 * new organisation does. Keys have their operator's permissions, so they need nothing.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const added = [
  "commands:read",
  "commands:write",
  "reservations:read",
  "audit:read",
  "tariffs:read",
  "tariffs:write",
  "cdrs:read",
  "cdrs:write"
]

const statements = [
  `UPDATE operator SET permissions = permissions || ARRAY(
    SELECT p FROM unnest(ARRAY['${added.join("', '")}']) AS p WHERE p <> ALL (permissions))
  WHERE 'organisation:write' = ANY (permissions)`
]

export const permissions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
