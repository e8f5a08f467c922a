/**
 * Whose drivers' sessions and records are: a partner's, by the contract that stands in the session's first fact, and nobody's where it has none. They
 * are listed to that partner in order of creation and by when they changed last.
 *
 * The time of change is kept beside the session: in an index of its own table it would make every meter reading an update of all indices.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = [
  `ALTER TABLE session ADD COLUMN partner_id uuid, ADD COLUMN roaming jsonb`,
  `CREATE INDEX session_partner ON session (organisation_id, partner_id, id) WHERE partner_id IS NOT NULL`,
  `CREATE TABLE session_roaming (
    session_id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL,
    partner_id uuid NOT NULL,
    last_updated timestamptz NOT NULL
  )`,
  `CREATE INDEX session_roaming_order ON session_roaming (organisation_id, partner_id, session_id)`,
  `CREATE INDEX session_roaming_updated ON session_roaming (organisation_id, partner_id, last_updated, session_id)`,
  // When a record can be seen: it was issued at a time that was taken before it was stored.
  `ALTER TABLE cdr ADD COLUMN partner_id uuid, ADD COLUMN stored_at timestamptz`,
  `ALTER TABLE cdr ALTER COLUMN stored_at SET DEFAULT clock_timestamp()`,
  `CREATE INDEX cdr_partner ON cdr (organisation_id, partner_id, number) WHERE partner_id IS NOT NULL`,
  `CREATE INDEX cdr_partner_stored ON cdr (organisation_id, partner_id, stored_at, number) WHERE partner_id IS NOT NULL`
]

/** A session that is a reservation belongs to whoever had it made; the start that takes its place says so for itself. */
const begin = [
  `CREATE FUNCTION session_reserved_roaming() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    SELECT g.roaming, (g.roaming ->> 'partnerId')::uuid INTO NEW.roaming, NEW.partner_id FROM token_grant g
    WHERE g.command_id = NEW.id AND g.organisation_id = NEW.organisation_id;
    RETURN NEW;
  END
  $function$`,
  `CREATE TRIGGER session_reserved_roaming BEFORE INSERT ON session FOR EACH ROW
    WHEN (NEW.reservation_only) EXECUTE FUNCTION session_reserved_roaming()`
]

/** By the clock of the database, as late as can be: what is stored after a partner has asked must not look older than its question. */
const follow = [
  `CREATE FUNCTION session_roaming_changed() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    INSERT INTO session_roaming AS r (session_id, organisation_id, partner_id, last_updated)
    VALUES (NEW.id, NEW.organisation_id, NEW.partner_id, clock_timestamp())
    ON CONFLICT (session_id) DO UPDATE SET partner_id = excluded.partner_id,
      last_updated = greatest(excluded.last_updated, r.last_updated + interval '1 millisecond');
    RETURN NULL;
  END
  $function$`,
  `CREATE TRIGGER session_roaming_changed AFTER INSERT OR UPDATE ON session FOR EACH ROW
    WHEN (NEW.partner_id IS NOT NULL) EXECUTE FUNCTION session_roaming_changed()`,
  `CREATE FUNCTION session_roaming_gone() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    DELETE FROM session_roaming WHERE session_id = OLD.id;
    RETURN NULL;
  END
  $function$`,
  `CREATE TRIGGER session_roaming_gone AFTER DELETE ON session FOR EACH ROW
    WHEN (OLD.partner_id IS NOT NULL) EXECUTE FUNCTION session_roaming_gone()`,
  // What is told of a session is also its price, and what an operator corrected.
  `CREATE FUNCTION session_roaming_touch() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    UPDATE session_roaming SET last_updated = greatest(clock_timestamp(), last_updated + interval '1 millisecond')
    WHERE session_id = NEW.session_id;
    RETURN NULL;
  END
  $function$`,
  `CREATE TRIGGER session_roaming_priced AFTER INSERT ON session_price FOR EACH ROW EXECUTE FUNCTION session_roaming_touch()`,
  `CREATE TRIGGER session_roaming_repriced AFTER UPDATE OF price ON session_price FOR EACH ROW
    WHEN (NEW.price IS DISTINCT FROM OLD.price) EXECUTE FUNCTION session_roaming_touch()`,
  `CREATE TRIGGER session_roaming_reviewed AFTER INSERT OR UPDATE ON session_review FOR EACH ROW
    EXECUTE FUNCTION session_roaming_touch()`
]

/** Changes of `journal_commit` as it stands. */
const changes: ReadonlyArray<readonly [from: string, to: string]> = [
  ["created_at, updated_at, reservation_id)\n", "created_at, updated_at, reservation_id, partner_id, roaming)\n"],
  [
    "to_timestamp(x.heard / 1000), x.reservation\n",
    "to_timestamp(x.heard / 1000), x.reservation, (x.roaming ->> 'partnerId')::uuid, x.roaming\n"
  ],
  ["meter bigint, reservation int)\n", "meter bigint, reservation int, roaming jsonb)\n"]
]

export const roamingSessions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of [...tables, ...begin, ...follow]) yield* sql.unsafe(statement)
  const rows = yield* sql<{ readonly text: string }>`SELECT pg_get_functiondef('journal_commit'::regproc) AS text`
  let text = rows[0]?.text ?? ""
  for (const [from, to] of changes) {
    const parts = text.split(from)
    if (parts.length !== 2) return yield* Effect.die(new Error(`journal_commit is not as it was: ${from}`))
    text = parts.join(to)
  }
  yield* sql.unsafe(text)
})
