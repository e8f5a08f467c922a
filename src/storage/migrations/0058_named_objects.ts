/**
 * Beside what a subscriber was told of an object, the ids of others that stand in it: the tariffs that a location names, none of which may be deleted
 * at a partner before it was told of the location without it. Null is not known, since it was told by an older release.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statement = `ALTER TABLE subscription_object ADD COLUMN named jsonb`

export const namedObjects = Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement))
