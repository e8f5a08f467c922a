/** Partners' tokens, each partner's its own, and the state of fetching them. Revisions count a token's changes: they name the facts of them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE TABLE roaming_token (
    organisation_id uuid NOT NULL REFERENCES organisation (id),
    uid_key text NOT NULL,
    type_key text NOT NULL,
    country_code text NOT NULL,
    party_id text NOT NULL,
    partner_id uuid NOT NULL REFERENCES partner (id) ON DELETE CASCADE,
    uid text NOT NULL,
    type text NOT NULL,
    contract_id text NOT NULL,
    visual_number text,
    issuer text NOT NULL,
    group_uid text,
    valid boolean NOT NULL,
    whitelist text NOT NULL,
    language text,
    default_profile_type text,
    energy_contract jsonb,
    last_updated timestamptz NOT NULL,
    revision integer NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organisation_id, uid_key, type_key, country_code, party_id, partner_id)
  )`,
  `CREATE INDEX roaming_token_partner ON roaming_token (partner_id)`,
  `CREATE TABLE token_pull (
    partner_id uuid PRIMARY KEY REFERENCES partner (id) ON DELETE CASCADE,
    organisation_id uuid NOT NULL,
    -- The registration that it is made under: another one begins in full.
    registered_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    from_at timestamptz,
    failures integer NOT NULL DEFAULT 0,
    tried_at timestamptz,
    pulled_at timestamptz,
    taken integer NOT NULL DEFAULT 0,
    unreadable integer NOT NULL DEFAULT 0,
    problem text
  )`,
  `CREATE INDEX token_pull_due ON token_pull (due_at)`,
  // Those that are asked about cards that nobody knows.
  `CREATE INDEX partner_asked ON partner (organisation_id)
    WHERE status = 'Registered' AND NOT suspended AND (switches ->> 'askUnknownTokens') = 'true'`
]

export const roamingTokens = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
