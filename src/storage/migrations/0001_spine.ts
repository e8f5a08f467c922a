/**
 * The first schema: organisations and who may call, sites and chargers, the journal and the projections of a charger's facts, and the
 * two time-partitioned stores beside it (`meter`, `message`). Statements only create; a migration is never edited once released.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const organisations = [
  `CREATE TABLE organisation (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    country_code text NOT NULL,
    party_id text NOT NULL,
    time_zone text NOT NULL DEFAULT 'UTC',
    unknown_tokens text NOT NULL DEFAULT 'Refuse' CHECK (unknown_tokens IN ('Refuse', 'Accept')),
    concurrent_transactions text NOT NULL DEFAULT 'Refuse' CHECK (concurrent_transactions IN ('Refuse', 'Allow')),
    heartbeat_interval_s integer NOT NULL DEFAULT 300 CHECK (heartbeat_interval_s BETWEEN 10 AND 86400),
    created_at timestamptz NOT NULL,
    UNIQUE (country_code, party_id)
  )`,
  `CREATE TABLE operator (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisation (id),
    email text NOT NULL,
    password_hash text,
    permissions text[] NOT NULL,
    active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL
  )`,
  `CREATE UNIQUE INDEX operator_email ON operator (lower(email))`,
  `CREATE TABLE api_key (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisation (id),
    operator_id uuid NOT NULL REFERENCES operator (id),
    name text NOT NULL,
    public_id text NOT NULL UNIQUE,
    prefix text NOT NULL,
    verifier bytea NOT NULL,
    permissions text[],
    created_at timestamptz NOT NULL,
    last_used_at timestamptz,
    revoked_at timestamptz
  )`,
  `CREATE INDEX api_key_organisation ON api_key (organisation_id, id)`,
  `CREATE TABLE v1_credential (
    client_id text PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisation (id),
    verifier bytea NOT NULL,
    created_at timestamptz NOT NULL,
    last_used_at timestamptz
  )`,
  `CREATE TABLE idempotency (
    key_id text NOT NULL,
    idempotency_key text NOT NULL,
    fingerprint text NOT NULL,
    claimed_at timestamptz NOT NULL,
    status integer,
    content_type text,
    body text,
    PRIMARY KEY (key_id, idempotency_key)
  )`,
  `CREATE INDEX idempotency_age ON idempotency (claimed_at)`
]

const equipment = [
  `CREATE TABLE site (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisation (id),
    group_id integer GENERATED ALWAYS AS IDENTITY UNIQUE,
    name text NOT NULL,
    time_zone text NOT NULL,
    street_address text,
    street_number text,
    house_letter text,
    postal_number text,
    city text,
    area text,
    country text,
    latitude double precision,
    longitude double precision,
    opening_hours jsonb,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  )`,
  `CREATE INDEX site_organisation ON site (organisation_id, id)`,
  `CREATE TABLE charger (
    charger_id text PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisation (id),
    site_id uuid NOT NULL REFERENCES site (id),
    name text NOT NULL,
    security_profile smallint NOT NULL CHECK (security_profile BETWEEN 0 AND 3),
    password_verifier bytea,
    registration text NOT NULL DEFAULT 'Accepted' CHECK (registration IN ('Accepted', 'Pending', 'Rejected')),
    ocpp_version text,
    manufacturer text NOT NULL DEFAULT '',
    model text NOT NULL DEFAULT '',
    serial_number text NOT NULL DEFAULT '',
    firmware_version text NOT NULL DEFAULT '',
    iccid text,
    imsi text,
    meter_type text,
    meter_serial_number text,
    booted_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  )`,
  `CREATE UNIQUE INDEX charger_organisation ON charger (organisation_id, charger_id)`,
  `CREATE INDEX charger_site ON charger (site_id, charger_id)`,
  `CREATE TABLE charger_equipment (
    charger_id text NOT NULL REFERENCES charger (charger_id) ON DELETE CASCADE,
    evse_id integer NOT NULL,
    connector_id integer NOT NULL,
    standard text NOT NULL,
    format text NOT NULL,
    power_type text NOT NULL,
    max_voltage integer NOT NULL,
    max_amperage integer NOT NULL,
    max_power_w integer NOT NULL,
    PRIMARY KEY (charger_id, evse_id, connector_id)
  )`,
  `CREATE TABLE charger_configuration (
    charger_id text PRIMARY KEY REFERENCES charger (charger_id) ON DELETE CASCADE,
    keys jsonb NOT NULL,
    reported_at timestamptz NOT NULL
  )`,
  `CREATE TABLE connector (
    charger_id text NOT NULL REFERENCES charger (charger_id) ON DELETE CASCADE,
    evse_id integer NOT NULL,
    connector_id integer NOT NULL,
    status text NOT NULL,
    raw_status text NOT NULL,
    error_code text,
    info text,
    vendor_id text,
    vendor_error_code text,
    status_at timestamptz NOT NULL,
    heard_at timestamptz NOT NULL,
    PRIMARY KEY (charger_id, evse_id, connector_id)
  )`,
  // Which connection of a charger is the true one: the epoch only grows, and a row with closed_at has no open socket.
  `CREATE TABLE connection (
    charger_id text PRIMARY KEY REFERENCES charger (charger_id) ON DELETE CASCADE,
    organisation_id uuid NOT NULL,
    node_id text NOT NULL,
    epoch bigint NOT NULL,
    ocpp_version text NOT NULL,
    security_profile smallint NOT NULL,
    remote_address text NOT NULL,
    connected_at timestamptz NOT NULL,
    closed_at timestamptz
  )`,
  `CREATE INDEX connection_node ON connection (node_id) WHERE closed_at IS NULL`,
  `CREATE TABLE node (
    node_id text PRIMARY KEY,
    started_at timestamptz NOT NULL,
    lease_until timestamptz NOT NULL
  )`,
  // Written once a second for all chargers in one statement; half-full pages keep those updates in place.
  `CREATE TABLE charger_seen (
    charger_id text PRIMARY KEY REFERENCES charger (charger_id) ON DELETE CASCADE,
    last_seen timestamptz NOT NULL,
    last_message text NOT NULL
  ) WITH (fillfactor = 50)`
]

const driving = [
  `CREATE TABLE token (
    organisation_id uuid NOT NULL REFERENCES organisation (id),
    uid_key text NOT NULL,
    uid text NOT NULL,
    type text NOT NULL,
    status text NOT NULL CHECK (status IN ('Accepted', 'Blocked', 'Expired')),
    parent_uid text,
    expires_at timestamptz,
    visual_number text,
    note text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organisation_id, uid_key)
  )`,
  // charger_id and site_id have no foreign keys: sessions outlive the charger's removal.
  `CREATE TABLE session (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL,
    charger_id text NOT NULL,
    site_id uuid NOT NULL,
    evse_id integer NOT NULL,
    connector_id integer NOT NULL,
    transaction_id text NOT NULL,
    ocpp_version text NOT NULL,
    token_uid text NOT NULL,
    token_key text NOT NULL,
    status text NOT NULL,
    authorization_status text NOT NULL,
    authorization_source text NOT NULL,
    authorized_at timestamptz NOT NULL,
    parent_uid text,
    started_at timestamptz NOT NULL,
    ended_at timestamptz,
    meter_start_wh bigint NOT NULL,
    meter_stop_wh bigint,
    register_wh bigint,
    register_at timestamptz,
    energy_wh bigint NOT NULL DEFAULT 0,
    stop_reason text,
    held_reason text,
    superseded boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    UNIQUE (charger_id, transaction_id)
  ) WITH (fillfactor = 70)`,
  `CREATE INDEX session_organisation ON session (organisation_id, id)`,
  `CREATE INDEX session_charger ON session (charger_id, id)`,
  `CREATE INDEX session_open ON session (organisation_id, token_key) WHERE ended_at IS NULL`,
  `CREATE INDEX session_ended ON session (organisation_id, ended_at)`,
  `CREATE TABLE orphan (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL,
    charger_id text NOT NULL,
    action text NOT NULL,
    raw_transaction_id text,
    token_uid text,
    meter_stop_wh bigint,
    reason text,
    raw_at text,
    problem text NOT NULL,
    raw text NOT NULL,
    at timestamptz NOT NULL,
    heard_at timestamptz NOT NULL,
    at_hand boolean NOT NULL,
    session_id uuid
  )`,
  // Those that decisions look at; the others are for people only.
  `CREATE INDEX orphan_charger ON orphan (charger_id, id) WHERE at_hand AND session_id IS NULL`
]

const journal = [
  // The key is the first 16 bytes of SHA-256 over the business key: half the index of the text, and no text to leak.
  `CREATE TABLE journal (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key bytea NOT NULL UNIQUE,
    organisation_id uuid NOT NULL,
    type text NOT NULL,
    subject text NOT NULL,
    at timestamptz NOT NULL,
    heard_at timestamptz NOT NULL,
    body json NOT NULL
  )`,
  `CREATE INDEX journal_heard ON journal USING brin (heard_at)`,
  `CREATE TABLE number_block (name text PRIMARY KEY, next bigint NOT NULL)`,
  `INSERT INTO number_block (name, next) VALUES ('transaction', 1)`,
  // Partitioned by the charger's time; a unique index must contain it, and hence the business key has the time in it.
  `CREATE TABLE meter (
    charger_id text NOT NULL,
    at timestamptz NOT NULL,
    key bytea NOT NULL,
    organisation_id uuid NOT NULL,
    session_id uuid,
    evse_id integer NOT NULL,
    connector_id integer NOT NULL,
    heard_at timestamptz NOT NULL,
    raw_at text,
    energy_wh bigint,
    samples json NOT NULL,
    UNIQUE (charger_id, at, key)
  ) PARTITION BY RANGE (at)`,
  `CREATE INDEX meter_session ON meter (session_id, at) WHERE session_id IS NOT NULL`,
  `CREATE TABLE meter_other PARTITION OF meter DEFAULT`,
  `CREATE TABLE message (
    id bigint GENERATED ALWAYS AS IDENTITY,
    organisation_id uuid NOT NULL,
    charger_id text NOT NULL,
    at timestamptz NOT NULL,
    direction text NOT NULL,
    kind text NOT NULL,
    action text NOT NULL,
    message_id text NOT NULL,
    frame text NOT NULL
  ) PARTITION BY RANGE (at)`,
  `CREATE INDEX message_charger ON message (charger_id, at, id)`,
  `CREATE TABLE message_other PARTITION OF message DEFAULT`
]

export const spine = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of [...organisations, ...equipment, ...driving, ...journal]) yield* sql.unsafe(statement)
})
