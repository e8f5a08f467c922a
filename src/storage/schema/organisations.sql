-- Organisations, their parties, operators, API keys and idempotency keys. The audit log has no table: it consists of the journal's facts
-- with an author (indexes journal_audit in kernel.sql).

CREATE TABLE organisation (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  country_code text NOT NULL,
  party_id text NOT NULL,
  time_zone text NOT NULL DEFAULT 'UTC',
  unknown_tokens text NOT NULL DEFAULT 'Refuse' CHECK (unknown_tokens IN ('Refuse', 'Accept')),
  concurrent_transactions text NOT NULL DEFAULT 'Refuse' CHECK (concurrent_transactions IN ('Refuse', 'Allow')),
  heartbeat_interval_s integer NOT NULL DEFAULT 300 CHECK (heartbeat_interval_s BETWEEN 10 AND 86400),
  created_at timestamptz NOT NULL,
  local_lists text NOT NULL DEFAULT 'Manual' CHECK (local_lists IN ('Manual', 'Managed')),
  -- A session without any message for this long is closed.
  close_silent_hours integer NOT NULL DEFAULT 24,
  -- The power up to which a vehicle counts as parked, which affects what drivers pay.
  standby_power_w integer NOT NULL DEFAULT 100 CHECK (standby_power_w BETWEEN 1 AND 10000),
  -- Operators without a second factor may only set one up.
  require_second_factor boolean NOT NULL DEFAULT false,
  CONSTRAINT organisation_country_code_party_id_key UNIQUE (country_code, party_id)
);
COMMENT ON TABLE organisation IS
  'Tenants: each row of nearly every other table belongs to one.';

CREATE TABLE organisation_document (
  organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('configurationTemplate', 'quirks')),
  body sealed_document NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (organisation_id, kind)
);
COMMENT ON TABLE organisation_document IS
  'What an organisation expects of its chargers: configuration, and what some models need. One whole document of each kind; the last one is in force.';

CREATE TABLE party (
  -- The organisation's own party has the organisation's id, so that one statement creates both.
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE CASCADE,
  country_code text NOT NULL,
  party_id text NOT NULL,
  business_details jsonb,
  is_default boolean NOT NULL,
  created_at timestamptz NOT NULL
);
COMMENT ON TABLE party IS
  'CPO parties (OCPI) of organisations. Each organisation has at least its own.';
CREATE UNIQUE INDEX party_code ON party (upper(country_code), upper(party_id));
CREATE UNIQUE INDEX party_default ON party (organisation_id) WHERE is_default;
CREATE INDEX party_organisation ON party (organisation_id, id);

CREATE TABLE operator (
  id uuid PRIMARY KEY,
  email text NOT NULL,
  name text NOT NULL DEFAULT '',
  -- A BCP 47 tag, for example sv-SE.
  locale text NOT NULL DEFAULT 'en',
  -- NULL until the person has set a password: until then only keys and links work.
  password_hash text,
  -- NULL without a second factor.
  totp_secret sealed,
  -- A secret that no code has confirmed yet.
  totp_pending sealed,
  -- The last time step whose code was accepted: each code works once.
  totp_step bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL
);
COMMENT ON TABLE operator IS
  'People who work for organisations, with what they sign in with. What they may do is in membership.';
-- Not unique: no one proves an address to the service, so that an account with it says nothing about other accounts with it.
CREATE INDEX operator_email ON operator (lower(email));

CREATE TABLE role (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisation (id),
  name text NOT NULL,
  permissions text[] NOT NULL,
  created_at timestamptz NOT NULL,
  UNIQUE (organisation_id, id)
);
COMMENT ON TABLE role IS
  'Roles that an organisation has made; the built-in ones are in the code (src/domain/operator/Role.ts).';
CREATE UNIQUE INDEX role_name ON role (organisation_id, lower(name));

CREATE TABLE membership (
  organisation_id uuid NOT NULL REFERENCES organisation (id),
  operator_id uuid NOT NULL REFERENCES operator (id),
  -- A built-in role, or one of the organisation's own.
  role text CHECK (role IN ('Owner', 'Operations', 'Money', 'Support', 'Viewer')),
  role_id uuid,
  -- Permissions in addition to the role's, and the role's permissions that this operator lacks.
  additions text[] NOT NULL DEFAULT '{}',
  removals text[] NOT NULL DEFAULT '{}',
  active boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (organisation_id, operator_id),
  FOREIGN KEY (organisation_id, role_id) REFERENCES role (organisation_id, id),
  CHECK (num_nonnulls(role, role_id) = 1)
);
COMMENT ON TABLE membership IS
  'What operators may do in which organisation. Keys may do at most what their operator may at the time of the call. Rows are never deleted: keys and the audit log name them.';
CREATE INDEX membership_operator ON membership (operator_id);
CREATE INDEX membership_role ON membership (organisation_id, role_id) WHERE role_id IS NOT NULL;

CREATE TABLE api_key (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisation (id),
  operator_id uuid NOT NULL,
  name text NOT NULL,
  public_id text NOT NULL UNIQUE,
  prefix text NOT NULL,
  verifier bytea NOT NULL,
  permissions text[],
  created_at timestamptz NOT NULL,
  last_used_at timestamptz,
  revoked_at timestamptz,
  expires_at timestamptz,
  -- In CIDR form; NULL for any address.
  networks text[],
  -- The address of the last use.
  last_used_from text,
  FOREIGN KEY (organisation_id, operator_id) REFERENCES membership (organisation_id, operator_id)
);
COMMENT ON TABLE api_key IS
  'API keys of operators; only verifiers are stored. A revoked key stays, for the audit log.';
CREATE INDEX api_key_organisation ON api_key (organisation_id, id);

CREATE TABLE v1_credential (
  client_id text PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisation (id),
  verifier bytea NOT NULL,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz
);
COMMENT ON TABLE v1_credential IS
  'Credentials of the v1 API, one organisation each; only verifiers are stored.';

CREATE TABLE idempotency (
  key_id text NOT NULL,
  idempotency_key text NOT NULL,
  fingerprint text NOT NULL,
  claimed_at timestamptz NOT NULL,
  status integer,
  content_type text,
  body sealed,
  -- The process that runs the request; NULL if none does. The claim is free as soon as that process is gone.
  node_id text,
  -- What a request with several transactions has completed so far; a retry starts from it.
  reached sealed,
  PRIMARY KEY (key_id, idempotency_key)
);
COMMENT ON TABLE idempotency IS
  'Answers to requests with an idempotency key, for repeats of the request. Deleted by age.';
CREATE INDEX idempotency_age ON idempotency (claimed_at);

CREATE TABLE organisation_use (
  organisation_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('audit', 'idempotency', 'access', 'partner')),
  -- The key, person or partner; empty for the sum of all, which only 'audit' and 'idempotency' have.
  author text NOT NULL,
  day date NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (organisation_id, kind, author)
-- Every write of a key changes two rows: with room in their pages, no index changes.
) WITH (fillfactor = 50);
COMMENT ON TABLE organisation_use IS
  'Bytes that were stored on the last day (UTC) with writes, for the daily budgets. One row of each kind for an organisation and each of its keys, people and partners.';

-- Gives a new organisation its own party.
CREATE FUNCTION organisation_make_party()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
  BEGIN
    INSERT INTO party (id, organisation_id, country_code, party_id, is_default, created_at)
      VALUES (NEW.id, NEW.id, NEW.country_code, NEW.party_id, true, NEW.created_at) ON CONFLICT DO NOTHING;
    RETURN NULL;
  END
  $function$;

CREATE TRIGGER organisation_party AFTER INSERT ON organisation
  FOR EACH ROW EXECUTE FUNCTION organisation_make_party();
