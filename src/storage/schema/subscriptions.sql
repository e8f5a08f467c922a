-- Subscriptions of partners and webhooks: a position in the journal, and one row for each object to be sent. A partner's subscription is
-- created and switched in the transaction that changes the partner.

CREATE TABLE subscription (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisation (id),
  kind text NOT NULL CHECK (kind IN ('partner', 'webhook')),
  active boolean NOT NULL,
  -- 0 until the partner is registered for the first time.
  position bigint NOT NULL,
  -- Everything is sent once, to include what happened before the subscription was created.
  needs_all boolean NOT NULL DEFAULT false,
  failures integer NOT NULL DEFAULT 0,
  opened_at timestamptz,
  probed_at timestamptz,
  not_before timestamptz,
  delivered_at timestamptz,
  error text,
  error_at timestamptz
);
COMMENT ON TABLE subscription IS
  'Position in the journal and delivery state of each partner and webhook.';
CREATE INDEX subscription_organisation ON subscription (organisation_id, id);

CREATE TABLE subscription_object (
  subscription_id uuid NOT NULL REFERENCES subscription (id) ON DELETE CASCADE,
  organisation_id uuid NOT NULL,
  kind text NOT NULL,
  object_id text NOT NULL,
  -- Objects of one lane are sent in order.
  lane text NOT NULL,
  -- Identifies the delivery. It is replaced if an object that is being sent must be sent again, so that the old delivery cannot settle it.
  item_id uuid NOT NULL,
  position bigint NOT NULL,
  -- The position of the fact by which it became due; position is that of the newest fact about it.
  since bigint NOT NULL,
  due_at timestamptz NOT NULL,
  next_at timestamptz,
  claimed_until timestamptz,
  tries integer NOT NULL DEFAULT 0,
  refusals integer NOT NULL DEFAULT 0,
  parked_at timestamptz,
  problem text,
  -- Hash of what was sent last, so that the same content is not sent twice.
  hash bytea,
  reference text,
  -- Ids of other objects in what was sent: tariffs that a location names. None of them may be deleted at the partner before it was sent the
  -- location without it. Null: not known.
  named jsonb,
  PRIMARY KEY (subscription_id, kind, object_id)
) WITH (fillfactor = 70);
COMMENT ON TABLE subscription_object IS
  'One row for each object that a subscriber is or was sent. Rows that are not due keep what was sent last.';
-- Objects of which there can be any number, and which therefore fill a subscription. Counted in each round.
CREATE INDEX subscription_object_counted ON subscription_object (subscription_id) WHERE ((next_at IS NOT NULL) AND (kind NOT IN ('location', 'evse', 'tariff')));
CREATE INDEX subscription_object_due ON subscription_object (subscription_id, since) WHERE (next_at IS NOT NULL);
CREATE INDEX subscription_object_lane ON subscription_object (subscription_id, lane, since) WHERE (next_at IS NOT NULL);
-- Sent sessions and CDRs that ended long ago, for deletion.
CREATE INDEX subscription_object_over ON subscription_object (due_at) WHERE ((next_at IS NULL) AND (parked_at IS NULL) AND (kind IN ('session', 'cdr')));
CREATE INDEX subscription_object_parked ON subscription_object (organisation_id, subscription_id, item_id) WHERE (parked_at IS NOT NULL);

CREATE TABLE webhook (
  id uuid PRIMARY KEY REFERENCES subscription (id) ON DELETE CASCADE,
  organisation_id uuid NOT NULL REFERENCES organisation (id),
  url text NOT NULL,
  -- Null: all types.
  types text[],
  -- Null: all sites.
  site_ids uuid[],
  secret sealed NOT NULL,
  -- Also signs until previous_until.
  previous_secret sealed,
  previous_until timestamptz,
  -- The operators who set the URL, and who were shown the secret, themselves or by a key: to be looked at when one of them is disabled. NULL
  -- if no operator did.
  url_by uuid,
  secret_by uuid,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
COMMENT ON TABLE webhook IS
  'Webhooks of an organisation. Position, order and retries are those of the subscription with the same id.';
CREATE INDEX webhook_organisation ON webhook (organisation_id, id);

CREATE TABLE webhook_delivered (
  webhook_id uuid NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
  slot integer NOT NULL,
  organisation_id uuid NOT NULL,
  item_id uuid NOT NULL,
  event_id text NOT NULL,
  type text NOT NULL,
  position bigint NOT NULL,
  tries integer NOT NULL,
  http_status integer NOT NULL,
  due_at timestamptz NOT NULL,
  delivered_at timestamptz NOT NULL,
  PRIMARY KEY (webhook_id, slot)
) WITH (fillfactor = 70);
COMMENT ON TABLE webhook_delivered IS
  'Last deliveries of each webhook: a ring of slots, so that it never grows.';

-- Creates a partner's subscription and switches it. At the first registration everything is sent once. After a later one the partner may
-- have lost everything or read another version, so everything is sent again except CDRs that it has accepted, and reading continues at the
-- same position.
CREATE FUNCTION partner_subscribed()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
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
      -- 0 until it is registered for the first time.
      position = CASE WHEN v_new AND position = 0 THEN (SELECT coalesce(max(j.position), 0) FROM journal j) ELSE position END
    WHERE id = NEW.id;
    -- A partner that registers may have lost everything that it was sent, or reads another version now. Accepted CDRs remain accepted.
    IF v_new OR v_other THEN
      UPDATE subscription_object SET hash = NULL WHERE subscription_id = NEW.id AND kind <> 'cdr' AND hash IS NOT NULL;
    END IF;
    RETURN NULL;
  END
  $function$;

CREATE TRIGGER partner_subscribed AFTER INSERT OR UPDATE OF status, suspended, connection ON partner
  FOR EACH ROW EXECUTE FUNCTION partner_subscribed();

-- Deletes the subscription with its partner.
CREATE FUNCTION partner_unsubscribed()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
  BEGIN
    DELETE FROM subscription WHERE id = OLD.id;
    RETURN NULL;
  END
  $function$;

CREATE TRIGGER partner_unsubscribed AFTER DELETE ON partner
  FOR EACH ROW EXECUTE FUNCTION partner_unsubscribed();

-- An object that is being sent while a registration or URL changes may go to the old address. It gets a new item_id, so that the delivery
-- in progress cannot settle it, and its lease ends, so that it is claimed again at once. The end of a lease shows that it may have been
-- received, so a partner is asked for a record before the record is sent again.
CREATE FUNCTION owed_still()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
  BEGIN
    UPDATE subscription_object SET item_id = gen_random_uuid(), claimed_until = 'epoch'
    WHERE subscription_id = NEW.id AND claimed_until IS NOT NULL;
    RETURN NULL;
  END
  $function$;

-- New tokens alone change nothing: the delivery in progress goes to the same address, and its answer counts.
CREATE TRIGGER partner_registered_anew AFTER UPDATE OF status, connection ON partner
  FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) OR (old.connection IS DISTINCT FROM new.connection))) EXECUTE FUNCTION owed_still();

CREATE TRIGGER webhook_moved AFTER UPDATE OF url ON webhook
  FOR EACH ROW WHEN ((old.url IS DISTINCT FROM new.url)) EXECUTE FUNCTION owed_still();
