/** The log of exchanges with partners, how each of their modules does, and the parties behind hubs. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Without a reference to the partner: what is written behind may come after it is gone, and goes by its retention.
  `CREATE TABLE exchange (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organisation_id uuid NOT NULL,
    partner_id uuid NOT NULL,
    at timestamptz NOT NULL,
    direction text NOT NULL,
    module text NOT NULL,
    method text NOT NULL,
    path text NOT NULL,
    http_status integer,
    ocpi_status integer,
    failed boolean NOT NULL,
    millis integer NOT NULL,
    request_id text NOT NULL,
    correlation_id text NOT NULL,
    request_body text,
    response_body text,
    error text
  )`,
  `CREATE INDEX exchange_partner ON exchange (partner_id, at, id)`,
  // For what is to be forgotten. A tree would tempt the planner to look for a quiet partner among all the others' exchanges.
  `CREATE INDEX exchange_at ON exchange USING brin (at)`,
  `CREATE TABLE exchange_health (
    organisation_id uuid NOT NULL,
    partner_id uuid NOT NULL,
    direction text NOT NULL,
    module text NOT NULL,
    last_success_at timestamptz,
    last_failure_at timestamptz,
    last_failure text,
    successes bigint NOT NULL,
    failures bigint NOT NULL,
    PRIMARY KEY (partner_id, direction, module)
  )`,
  `CREATE TABLE partner_client (
    organisation_id uuid NOT NULL,
    partner_id uuid NOT NULL REFERENCES partner (id) ON DELETE CASCADE,
    country_code text NOT NULL,
    party_id text NOT NULL,
    role text NOT NULL,
    status text NOT NULL,
    last_updated timestamptz NOT NULL,
    PRIMARY KEY (partner_id, country_code, party_id)
  )`
]

export const exchanges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
