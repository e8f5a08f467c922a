/**
 * What is on its way to a partner when its registration changes is owed still: it may go to the place where the partner was. It gets another number, by
 * which whoever has sent it cannot settle it, and is taken again for the partner as it is now.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE FUNCTION owed_still() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    UPDATE subscription_object SET item_id = gen_random_uuid(), claimed_until = NULL
    WHERE subscription_id = NEW.id AND claimed_until IS NOT NULL;
    RETURN NULL;
  END
  $function$`,
  `CREATE TRIGGER partner_registered_anew AFTER UPDATE OF status, connection, their_token ON partner FOR EACH ROW
    WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.connection IS DISTINCT FROM NEW.connection
      OR OLD.their_token IS DISTINCT FROM NEW.their_token)
    EXECUTE FUNCTION owed_still()`
]

export const onTheirWay = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
