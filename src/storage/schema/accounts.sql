-- People's sign-ins, recovery codes, passkeys, and the links that give people access.

CREATE TABLE sign_in (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL,
  operator_id uuid NOT NULL,
  -- Keyed hash of the cookie's secret.
  hash text NOT NULL UNIQUE,
  strength text NOT NULL CHECK (strength IN ('Password', 'SecondFactor')),
  network text NOT NULL,
  agent text NOT NULL,
  -- True if the sign-in was made by an organisation's identity provider: then it is valid in that organisation only.
  single_sign_on boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL,
  seen_at timestamptz NOT NULL,
  -- When the person last proved a second factor; NULL for never.
  factor_at timestamptz,
  ended_at timestamptz,
  FOREIGN KEY (organisation_id, operator_id) REFERENCES membership (organisation_id, operator_id)
);
COMMENT ON TABLE sign_in IS
  'Sign-ins of people, one for each browser. Deleted by age at the next sign-in of the same person; the journal keeps what happened.';
CREATE INDEX sign_in_operator ON sign_in (operator_id, created_at);

CREATE TABLE recovery_code (
  operator_id uuid NOT NULL REFERENCES operator (id),
  hash text NOT NULL,
  PRIMARY KEY (operator_id, hash)
);
COMMENT ON TABLE recovery_code IS
  'Keyed hashes of recovery codes, which stand in for a second factor. A code that was used is deleted.';

CREATE TABLE code_failure (
  operator_id uuid NOT NULL REFERENCES operator (id),
  -- Keyed hash of a device on which the person signed in before; '' for all others.
  place text NOT NULL,
  failures int NOT NULL,
  -- Time and network of the last one.
  at timestamptz NOT NULL,
  network text NOT NULL,
  PRIMARY KEY (operator_id, place)
);
COMMENT ON TABLE code_failure IS
  'Wrong codes of second factors, counted for each account: eleven rows at most. Deleted at the next code after seven days.';

CREATE TABLE account_link (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisation (id),
  kind text NOT NULL CHECK (kind IN ('SetUp', 'Invitation', 'Reset')),
  -- Keyed hash of the link's secret.
  hash text NOT NULL UNIQUE,
  -- NULL for an invitation, since the person may have no account.
  operator_id uuid REFERENCES operator (id),
  email text NOT NULL,
  -- Of an invitation: a built-in role, or one of the organisation's own.
  role text CHECK (role IN ('Owner', 'Operations', 'Money', 'Support', 'Viewer')),
  role_id uuid,
  -- Who made it: the person, or the person for whom a key acted. NULL for the machine itself (command line, first start). The link gives no
  -- more than this person or key may give when it is used.
  maker_operator_id uuid,
  maker_key_id uuid REFERENCES api_key (id),
  -- True if the person had signed in through the identity provider.
  maker_by_single_sign_on boolean NOT NULL DEFAULT false,
  -- Keyed hash of the person's credentials when it was made. After they have changed, the link no longer works.
  credentials bytea,
  created_at timestamptz NOT NULL,
  -- NULL for the link of the first start, which works until it is used.
  expires_at timestamptz,
  -- When it was used, withdrawn, or replaced by a later one.
  closed_at timestamptz,
  FOREIGN KEY (organisation_id, role_id) REFERENCES role (organisation_id, id),
  FOREIGN KEY (organisation_id, maker_operator_id) REFERENCES membership (organisation_id, operator_id),
  CHECK ((kind = 'Invitation') = (num_nonnulls(role, role_id) = 1)),
  CHECK ((kind = 'Invitation') = (credentials IS NULL)),
  CHECK (maker_key_id IS NULL OR maker_operator_id IS NOT NULL)
);
COMMENT ON TABLE account_link IS
  'Links that work once: set-up, invitations and resets. Deleted some time after they have expired or were used.';
CREATE INDEX account_link_organisation ON account_link (organisation_id, id) WHERE closed_at IS NULL;
CREATE INDEX account_link_operator ON account_link (operator_id) WHERE operator_id IS NOT NULL AND closed_at IS NULL;
CREATE INDEX account_link_role ON account_link (organisation_id, role_id) WHERE role_id IS NOT NULL;

CREATE TABLE passkey (
  -- The credential's id in base64url, chosen by the person's device.
  id text PRIMARY KEY,
  operator_id uuid NOT NULL REFERENCES operator (id),
  name text NOT NULL,
  -- COSE_Key.
  public_key bytea NOT NULL,
  -- The device's count of signatures; a count that goes back shows a copy. 0 for devices that do not count.
  counter bigint NOT NULL,
  transports text[] NOT NULL,
  created_at timestamptz NOT NULL,
  used_at timestamptz
);
COMMENT ON TABLE passkey IS
  'Passkeys of people (WebAuthn), ten for each at most.';
CREATE INDEX passkey_operator ON passkey (operator_id);

CREATE TABLE passkey_challenge (
  -- Keyed hash of the challenge.
  hash text PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
COMMENT ON TABLE passkey_challenge IS
  'Challenges that a passkey has answered, so that each works once. Deleted after they have expired, when another is answered.';
CREATE INDEX passkey_challenge_expires ON passkey_challenge (expires_at);
