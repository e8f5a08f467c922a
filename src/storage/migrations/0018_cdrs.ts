/** Charge detail records. A session has one that bills, and each has at most one that takes it back: both are unique by the database. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE TABLE cdr (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisation (id),
    number bigint NOT NULL,
    session_id uuid NOT NULL,
    charger_id text NOT NULL,
    site_id uuid NOT NULL,
    started_at timestamptz NOT NULL,
    ended_at timestamptz NOT NULL,
    credits uuid UNIQUE REFERENCES cdr (id),
    body jsonb NOT NULL,
    issued_at timestamptz NOT NULL,
    UNIQUE (organisation_id, number)
  )`,
  `CREATE UNIQUE INDEX cdr_session ON cdr (session_id) WHERE credits IS NULL`,
  `CREATE INDEX cdr_organisation ON cdr (organisation_id, id)`,
  `CREATE INDEX cdr_charger ON cdr (charger_id, id)`,
  `CREATE INDEX cdr_site ON cdr (site_id, id)`,
  `CREATE TABLE cdr_number (organisation_id uuid PRIMARY KEY, last bigint NOT NULL)`,
  // A record is never changed, by nobody.
  `CREATE FUNCTION cdr_sealed() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    RAISE EXCEPTION 'a charge detail record is never changed: issue a credit record' USING ERRCODE = 'restrict_violation';
  END
  $function$`,
  `CREATE TRIGGER cdr_sealed BEFORE UPDATE OR DELETE ON cdr FOR EACH ROW EXECUTE FUNCTION cdr_sealed()`
]

export const cdrs = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
