/** Roaming partners, and the tokens by which they call us: verifiers only, each with what it is for. The token by which we call them is sealed. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE TABLE partner (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisation (id),
    name text NOT NULL,
    status text NOT NULL CHECK (status IN ('Invited', 'Registered', 'Unregistered')),
    suspended boolean NOT NULL DEFAULT false,
    switches jsonb NOT NULL,
    connection jsonb,
    their_token text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  )`,
  `CREATE INDEX partner_organisation ON partner (organisation_id, id)`,
  `CREATE TABLE partner_token (
    verifier bytea PRIMARY KEY,
    partner_id uuid NOT NULL REFERENCES partner (id) ON DELETE CASCADE,
    organisation_id uuid NOT NULL,
    use text NOT NULL CHECK (use IN ('Registration', 'Access', 'Retiring')),
    expires_at timestamptz,
    used_at timestamptz,
    created_at timestamptz NOT NULL
  )`,
  // One of each kind at a time.
  `CREATE UNIQUE INDEX partner_token_use ON partner_token (partner_id, use)`,
  `UPDATE operator SET permissions = permissions || ARRAY(
    SELECT p FROM unnest(ARRAY['partners:read', 'partners:write']) AS p WHERE p <> ALL (permissions))
  WHERE 'organisation:write' = ANY (permissions)`
]

export const partners = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
