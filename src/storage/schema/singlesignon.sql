-- Single sign-on: organisations' settings for their identity providers, and which identity belongs to which operator.

CREATE TABLE single_sign_on (
  organisation_id uuid PRIMARY KEY REFERENCES organisation (id),
  issuer text NOT NULL,
  client_id text NOT NULL,
  -- NULL for a client without a secret.
  client_secret sealed,
  -- In addition to openid.
  scopes text[] NOT NULL,
  groups_claim text NOT NULL,
  -- For providers that do not say whether an address is verified.
  trust_email boolean NOT NULL,
  enabled boolean NOT NULL,
  -- Only owners may do anything when signed in by password.
  password_for_owners_only boolean NOT NULL,
  updated_at timestamptz NOT NULL
);
COMMENT ON TABLE single_sign_on IS
  'The identity provider (OpenID Connect) of an organisation. No row where it has none.';

CREATE TABLE single_sign_on_domain (
  organisation_id uuid NOT NULL REFERENCES single_sign_on (organisation_id) ON DELETE CASCADE,
  -- Lower case.
  domain text NOT NULL,
  place integer NOT NULL,
  -- What the TXT record contains that verifies the domain.
  token text NOT NULL,
  -- NULL until then: the domain does nothing yet.
  verified_at timestamptz,
  verified_by text CHECK (verified_by IN ('Dns', 'Operator')),
  -- When the record was looked up and when it was found, for the last time.
  checked_at timestamptz,
  confirmed_at timestamptz,
  PRIMARY KEY (organisation_id, domain),
  CHECK (num_nonnulls(verified_at, verified_by) IN (0, 2))
);
COMMENT ON TABLE single_sign_on_domain IS
  'Domains of email addresses that an organisation names for single sign-on. Several may name the same one, and one can have it verified.';
-- Also finds the organisation by the email address that a person types.
CREATE UNIQUE INDEX single_sign_on_domain_verified ON single_sign_on_domain (domain) WHERE verified_at IS NOT NULL;
CREATE INDEX single_sign_on_domain_checked ON single_sign_on_domain (checked_at) WHERE verified_by = 'Dns';

CREATE TABLE single_sign_on_role (
  organisation_id uuid NOT NULL REFERENCES single_sign_on (organisation_id) ON DELETE CASCADE,
  -- The order of groups: the first one that matches counts.
  place integer NOT NULL,
  -- NULL, at most once: for people without a matching group.
  group_name text,
  role text CHECK (role IN ('Owner', 'Operations', 'Money', 'Support', 'Viewer')),
  role_id uuid,
  PRIMARY KEY (organisation_id, place),
  FOREIGN KEY (organisation_id, role_id) REFERENCES role (organisation_id, id),
  CHECK (num_nonnulls(role, role_id) = 1)
);
COMMENT ON TABLE single_sign_on_role IS
  'Which role the members of a group of the identity provider get.';
CREATE INDEX single_sign_on_role_role ON single_sign_on_role (organisation_id, role_id) WHERE role_id IS NOT NULL;

CREATE TABLE operator_identity (
  organisation_id uuid NOT NULL,
  issuer text NOT NULL,
  subject text NOT NULL,
  operator_id uuid NOT NULL,
  -- True if groups determine the role; false for owners who had an account before.
  managed boolean NOT NULL,
  -- True while the membership is disabled because no group gave a role; a matching group enables it again.
  withdrawn boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (organisation_id, issuer, subject),
  FOREIGN KEY (organisation_id, operator_id) REFERENCES membership (organisation_id, operator_id)
);
COMMENT ON TABLE operator_identity IS
  'Identities at providers, each of one organisation, by which operators sign in.';
CREATE INDEX operator_identity_operator ON operator_identity (organisation_id, operator_id);

CREATE TABLE single_sign_on_state (
  organisation_id uuid NOT NULL REFERENCES organisation (id),
  -- Keyed hash of the state that was sent to the provider and returned.
  hash text PRIMARY KEY,
  used_at timestamptz NOT NULL
);
COMMENT ON TABLE single_sign_on_state IS
  'States that let someone in, so that each does so once. Deleted after some minutes: by then the browser''s own part has expired.';
CREATE INDEX single_sign_on_state_used ON single_sign_on_state (organisation_id, used_at);
