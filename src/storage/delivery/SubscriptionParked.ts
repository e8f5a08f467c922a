/** Parked objects of subscriptions that become due again, as they stand then. Their places are looked for by the index of what was parked. */
import type { SqlClient } from "effect/sql"

/** What is set of a row that is due as if it had never been tried. */
export const dueAnew = (sql: SqlClient.SqlClient, at: Date) =>
  sql`next_at = ${at}, due_at = ${at}, tries = 0, refusals = 0, problem = NULL, parked_at = NULL`

/**
 * All that was parked of a partner: it was away, or has begun anew, and what it refused then it may take now. A webhook's stays: its operator heard
 * nothing of it for three days, and chooses what is still wanted.
 */
export const allParkedAgain = (sql: SqlClient.SqlClient, subscriptionId: string, at: Date) => sql`
  UPDATE subscription_object o SET ${dueAnew(sql, at)}
  FROM subscription s
  WHERE s.id = ${subscriptionId} AND s.kind = 'partner' AND o.organisation_id = s.organisation_id AND o.subscription_id = s.id
    AND o.parked_at IS NOT NULL`
