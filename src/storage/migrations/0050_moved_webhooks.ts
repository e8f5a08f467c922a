/**
 * What is on its way to a webhook when its URL changes is owed still, as with partners (0049): it may go to the URL before. It gets another number, by
 * which whoever has sent it cannot settle it, and is taken again for the webhook as it is now.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE FUNCTION webhook_moved() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    UPDATE subscription_object SET item_id = gen_random_uuid(), claimed_until = NULL
    WHERE subscription_id = NEW.id AND claimed_until IS NOT NULL;
    RETURN NULL;
  END
  $function$`,
  `CREATE TRIGGER webhook_moved AFTER UPDATE OF url ON webhook FOR EACH ROW
    WHEN (OLD.url IS DISTINCT FROM NEW.url) EXECUTE FUNCTION webhook_moved()`
]

export const movedWebhooks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
