/**
 * What came with a stop that waits for its start is kept with it until then. And what the stop said that ended a session stands with that, so that a further
 * one is known for saying something else: it is kept as an orphan, and its session waits for somebody to look at it until it is corrected.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Change, changeFunction } from "./changeFunction.ts"

const statements = [
  `ALTER TABLE orphan ADD COLUMN readings json, ADD COLUMN contradicts uuid`,
  `ALTER TABLE session ADD COLUMN told_stop jsonb, ADD COLUMN contradicted boolean NOT NULL DEFAULT false`,
  // It does not change with a reading: that stays an update within its page.
  `CREATE INDEX session_contradicted ON session (organisation_id, id) WHERE contradicted`,
  `CREATE FUNCTION session_settle_contradiction() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    UPDATE session SET contradicted = false WHERE id = NEW.session_id AND contradicted;
    RETURN NULL;
  END
  $function$`,
  `CREATE TRIGGER session_contradiction_settled AFTER INSERT OR UPDATE ON session_review FOR EACH ROW
    WHEN (NEW.released_at IS NOT NULL) EXECUTE FUNCTION session_settle_contradiction()`
]

const commit: ReadonlyArray<Change> = [
  [
    "problem,\n      raw, at, heard_at, at_hand)\n",
    "problem,\n      raw, at, heard_at, at_hand, contradicts, readings)\n"
  ],
  ["p_at[x.ord], p_heard[x.ord], x.at_hand\n", "p_at[x.ord], p_heard[x.ord], x.at_hand, x.contradicts, x.readings\n"],
  [
    `problem text, raw text, at_hand boolean)
    WHERE v_all OR x.ord = ANY (fresh);
`,
    `problem text, raw text, at_hand boolean, contradicts uuid, readings json)
    WHERE v_all OR x.ord = ANY (fresh);
    UPDATE session s SET contradicted = true, updated_at = greatest(s.updated_at, p_heard[x.ord])
    FROM jsonb_to_recordset(p_orphans) AS x(ord int, contradicts uuid)
    WHERE s.id = x.contradicts AND (v_all OR x.ord = ANY (fresh));
`
  ],
  ["'ended', s.ended_at IS NOT NULL,", "'toldStop', s.told_stop, 'ended', s.ended_at IS NOT NULL,"],
  ["      held_reason = x.held, updated_at", "      held_reason = x.held, told_stop = x.told, updated_at"],
  [
    "energy bigint, reason text, held text, unheard boolean)\n",
    "energy bigint, reason text, held text, unheard boolean, told jsonb)\n"
  ]
]

export const furtherStops = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
  yield* changeFunction(sql, "journal_commit", commit)
})
