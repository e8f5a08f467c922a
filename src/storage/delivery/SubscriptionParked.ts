/** Makes parked objects of subscriptions due again; their current state is then sent. Parked objects are found with their own index. */
import type { SqlClient } from "effect/sql"

/** The assignments that make a row due as if it had never been tried. */
export const dueAnew = (sql: SqlClient.SqlClient, at: Date) =>
  sql`next_at = ${at}, due_at = ${at}, tries = 0, refusals = 0, problem = NULL, parked_at = NULL`

/**
 * Makes all parked objects of a partner due again. The partner was down or has started anew, and may now accept what it refused before.
 * Parked objects of a webhook remain: its receiver got nothing for three days, and its operator chooses what is still wanted.
 */
export const allParkedAgain = (sql: SqlClient.SqlClient, subscriptionId: string, at: Date) => sql`
  UPDATE subscription_object o SET ${dueAnew(sql, at)}
  FROM subscription s
  WHERE s.id = ${subscriptionId} AND s.kind = 'partner' AND o.organisation_id = s.organisation_id AND o.subscription_id = s.id
    AND o.parked_at IS NOT NULL`
