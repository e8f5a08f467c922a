/**
 * What is on its way to a webhook when its URL changes is owed still, as with partners (0049): it may go to the URL before. It gets another number, by
 * which whoever has sent it cannot settle it, and is taken again for the webhook as it is now.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statement = `CREATE TRIGGER webhook_moved AFTER UPDATE OF url ON webhook FOR EACH ROW
  WHEN (OLD.url IS DISTINCT FROM NEW.url) EXECUTE FUNCTION owed_still()`

export const movedWebhooks = Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement))
