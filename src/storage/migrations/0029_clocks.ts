/**
 * Sessions whose length cannot be told, since the charger's clock jumped within them: how far its times lie before or after those at which we
 * heard them tells so.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** How far a clock may be off, and by how much more at one end than at the other: T28's five minutes. */
const tolerance = "interval '5 minutes'"

const statements = [
  `ALTER TABLE session ADD COLUMN clock_jumped boolean NOT NULL DEFAULT false`,
  // Planned once, in a young database with empty tables, it would read the whole of them at each stop for as long as the connection lives.
  `CREATE FUNCTION session_doubt_clock() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $function$
  BEGIN
    UPDATE session s SET clock_jumped = true
    WHERE s.id = (NEW.body ->> 'sessionId')::uuid AND s.organisation_id = NEW.organisation_id AND (
      -- Messages wait and come late, so that a time long past tells nothing. One that is ahead is of a wrong clock; and if start and stop are
      -- not off by the same, its time passed otherwise than ours.
      (greatest(s.started_at - s.created_at, NEW.at - NEW.heard_at) > ${tolerance}
        AND abs(extract(epoch FROM (s.started_at - s.created_at) - (NEW.at - NEW.heard_at))) > extract(epoch FROM ${tolerance}))
      -- The stop has no time but that at which it was heard; and the charger was away since the start, so that it may have waited for days.
      OR (NEW.body ->> 'untimed' = 'true' AND EXISTS (
        SELECT 1 FROM connection n WHERE n.charger_id = s.charger_id AND n.connected_at > s.created_at)));
    RETURN NULL;
  END
  $function$`,
  `CREATE TRIGGER journal_clock AFTER INSERT ON journal FOR EACH ROW
    WHEN (NEW.type = 'SessionEnded') EXECUTE FUNCTION session_doubt_clock()`
]

export const clocks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
