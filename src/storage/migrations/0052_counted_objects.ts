/**
 * Which objects fill a subscription: those of which there can be any number. They are counted in each round, and places and tariffs that fail alone for
 * days are not to be gone through for it.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statement = `CREATE INDEX subscription_object_counted ON subscription_object (subscription_id)
  WHERE next_at IS NOT NULL AND kind NOT IN ('location', 'evse', 'tariff')`

export const countedObjects = Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement))
