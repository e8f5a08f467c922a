-- Local authorization lists: what each charger's list contains. The domain decides what the end of a command says about it
-- (src/domain/command/LocalListEnd.ts). Every write of a token is made under the journal's lock, so that change numbers become visible in
-- order.

CREATE TABLE local_list (
  charger_id text PRIMARY KEY REFERENCES charger (charger_id) ON DELETE CASCADE,
  organisation_id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  -- The last token change that the charger's list contains.
  synced_seq bigint NOT NULL DEFAULT 0,
  -- The change number at which a list that needs several messages is complete.
  fill_to bigint NOT NULL DEFAULT 0,
  needs_full boolean NOT NULL DEFAULT true,
  state text NOT NULL DEFAULT 'Unknown' CHECK (state IN ('Unknown', 'InStep', 'Sending', 'Disabled', 'Unsupported', 'Failed')),
  checked_epoch bigint,
  checked_at timestamptz,
  -- pending_*: the list's state once the charger accepts the message that is on its way.
  pending_version integer,
  pending_seq bigint,
  pending_fill bigint,
  pending_full boolean NOT NULL DEFAULT false,
  -- Consecutive failures; they make the pauses longer.
  attempts integer NOT NULL DEFAULT 0,
  looked_at timestamptz NOT NULL,
  next_look_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  reason text
) WITH (fillfactor = 70);
COMMENT ON TABLE local_list IS
  'State of each charger''s local authorization list, and when it is looked at next.';
CREATE INDEX local_list_organisation ON local_list (organisation_id, charger_id);
