/**
 * Subscriptions of partners and webhooks: cursors on the journal, and one row for each object that somebody is told of. A partner's is made with it,
 * switched with it and begins anew with each registration, in the transaction that changes the partner. A word goes out with every commit of facts.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = [
  `CREATE TABLE subscription (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisation (id),
    kind text NOT NULL CHECK (kind IN ('partner', 'webhook')),
    active boolean NOT NULL,
    position bigint NOT NULL,
    needs_all boolean NOT NULL DEFAULT false,
    failures integer NOT NULL DEFAULT 0,
    opened_at timestamptz,
    probed_at timestamptz,
    not_before timestamptz,
    delivered_at timestamptz,
    error text,
    error_at timestamptz
  )`,
  `CREATE INDEX subscription_organisation ON subscription (organisation_id, id)`,
  // "since" is the fact by which it became due, "position" the newest one about it. Rows that are not due keep what was told last.
  `CREATE TABLE subscription_object (
    subscription_id uuid NOT NULL REFERENCES subscription (id) ON DELETE CASCADE,
    organisation_id uuid NOT NULL,
    kind text NOT NULL,
    object_id text NOT NULL,
    lane text NOT NULL,
    item_id uuid NOT NULL,
    position bigint NOT NULL,
    since bigint NOT NULL,
    due_at timestamptz NOT NULL,
    next_at timestamptz,
    claimed_until timestamptz,
    tries integer NOT NULL DEFAULT 0,
    refusals integer NOT NULL DEFAULT 0,
    parked_at timestamptz,
    problem text,
    hash bytea,
    reference text,
    PRIMARY KEY (subscription_id, kind, object_id)
  ) WITH (fillfactor = 70)`,
  `CREATE INDEX subscription_object_due ON subscription_object (subscription_id, since) WHERE next_at IS NOT NULL`,
  `CREATE INDEX subscription_object_lane ON subscription_object (subscription_id, lane, since) WHERE next_at IS NOT NULL`,
  `CREATE INDEX subscription_object_parked ON subscription_object (organisation_id, subscription_id, item_id)
    WHERE parked_at IS NOT NULL`
]

const journal = [
  `CREATE FUNCTION journal_committed() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    PERFORM pg_notify('voltlane_journal', '');
    RETURN NULL;
  END
  $function$`,
  `CREATE TRIGGER journal_committed AFTER INSERT ON journal FOR EACH STATEMENT EXECUTE FUNCTION journal_committed()`
]

const partners = [
  `CREATE FUNCTION partner_subscribed() RETURNS trigger LANGUAGE plpgsql AS $function$
  DECLARE
    v_registered boolean := NEW.status = 'Registered';
    v_new boolean := v_registered AND (TG_OP = 'INSERT' OR OLD.status <> 'Registered');
    v_other boolean := v_registered AND NOT v_new
      AND NEW.connection ->> 'version' IS DISTINCT FROM OLD.connection ->> 'version';
  BEGIN
    INSERT INTO subscription (id, organisation_id, kind, active, position)
    VALUES (NEW.id, NEW.organisation_id, 'partner', false, 0) ON CONFLICT (id) DO NOTHING;
    UPDATE subscription SET active = v_registered AND NOT NEW.suspended, failures = 0, opened_at = NULL, not_before = NULL,
      needs_all = needs_all OR v_new OR v_other,
      -- What happened before it was registered is told by telling everything once.
      position = CASE WHEN v_new THEN (SELECT coalesce(max(j.position), 0) FROM journal j) ELSE position END
    WHERE id = NEW.id;
    -- Whoever registers may have lost all that he was told, or reads it in other words now. Records that were taken stay taken.
    IF v_new OR v_other THEN
      UPDATE subscription_object SET hash = NULL WHERE subscription_id = NEW.id AND kind <> 'cdr' AND hash IS NOT NULL;
    END IF;
    RETURN NULL;
  END
  $function$`,
  `CREATE TRIGGER partner_subscribed AFTER INSERT OR UPDATE OF status, suspended, connection ON partner FOR EACH ROW
    EXECUTE FUNCTION partner_subscribed()`,
  `CREATE FUNCTION partner_unsubscribed() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    DELETE FROM subscription WHERE id = OLD.id;
    RETURN NULL;
  END
  $function$`,
  `CREATE TRIGGER partner_unsubscribed AFTER DELETE ON partner FOR EACH ROW EXECUTE FUNCTION partner_unsubscribed()`,
  `INSERT INTO subscription (id, organisation_id, kind, active, position, needs_all)
  SELECT p.id, p.organisation_id, 'partner', p.status = 'Registered' AND NOT p.suspended,
    (SELECT coalesce(max(j.position), 0) FROM journal j), true
  FROM partner p`
]

export const subscriptions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of [...tables, ...journal, ...partners]) yield* sql.unsafe(statement)
})
