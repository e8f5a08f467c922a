-- Rollouts: one command for many chargers, with the progress of each charger.

CREATE TABLE rollout (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisation (id),
  kind text NOT NULL CHECK (kind IN ('CommandBatch', 'FirmwareCampaign')),
  name text NOT NULL,
  state text NOT NULL CHECK (state IN ('AwaitingApproval', 'Running', 'Paused', 'Completed', 'Cancelled')),
  pause_reason text CHECK (pause_reason IN ('Operator', 'Failures')),
  type text NOT NULL,
  -- The command as received by REST.
  sealed sealed NOT NULL,
  -- The part of the command that may be shown.
  parameters jsonb NOT NULL,
  -- Pace, waves, window, failures that pause it, the new version: RolloutPlan.
  plan jsonb NOT NULL,
  targets integer NOT NULL,
  failures_accepted integer NOT NULL DEFAULT 0,
  created_by text NOT NULL,
  -- The operator, or the key if it belongs to no operator; must not approve the rollout alone.
  created_by_person text NOT NULL,
  created_at timestamptz NOT NULL,
  approved_by text,
  approved_at timestamptz,
  ends_at timestamptz NOT NULL,
  ended_at timestamptz
);
COMMENT ON TABLE rollout IS
  'Command batches and firmware campaigns. Removed 400 days after their end, with their targets.';
CREATE INDEX rollout_organisation ON rollout (organisation_id, kind, id);
-- Rollouts that are or may be continued: few.
CREATE INDEX rollout_open ON rollout (organisation_id) WHERE (ended_at IS NULL);
CREATE INDEX rollout_ended ON rollout (ended_at) WHERE (ended_at IS NOT NULL);

CREATE TABLE rollout_target (
  rollout_id uuid NOT NULL REFERENCES rollout (id) ON DELETE CASCADE,
  organisation_id uuid NOT NULL,
  charger_id text NOT NULL,
  -- The order in which the chargers are commanded.
  turn integer NOT NULL,
  state text NOT NULL DEFAULT 'Waiting' CHECK (state IN ('Waiting', 'Issued', 'Succeeded', 'Failed', 'Skipped', 'Unreached')),
  detail text,
  -- Chosen before the command is issued, so that a process that ends in between cannot issue a second one.
  command_id uuid,
  issued_at timestamptz,
  -- The firmware version before the rollout.
  firmware_before text,
  ended_at timestamptz,
  PRIMARY KEY (rollout_id, charger_id)
) WITH (fillfactor = 80);
COMMENT ON TABLE rollout_target IS
  'The chargers of a rollout, at most 10,000, and what came of each.';
CREATE UNIQUE INDEX rollout_target_turn ON rollout_target (rollout_id, turn);
CREATE INDEX rollout_target_state ON rollout_target (rollout_id, state, turn);
