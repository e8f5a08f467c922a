/**
 * Webhooks: what an operator wants posted where, and the deliveries that came through last. Cursor, order, retries and what is parked are their
 * subscriptions', which have the same ids; a webhook is active as its subscription is.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE TABLE webhook (
    id uuid PRIMARY KEY REFERENCES subscription (id) ON DELETE CASCADE,
    organisation_id uuid NOT NULL REFERENCES organisation (id),
    url text NOT NULL,
    -- Null: all types, all sites.
    types text[],
    site_ids uuid[],
    -- Sealed. The one before signs as well until its time.
    secret text NOT NULL,
    previous_secret text,
    previous_until timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  )`,
  `CREATE INDEX webhook_organisation ON webhook (organisation_id, id)`,
  // A ring: what came through takes the place of what came through long before, so that it never grows.
  `CREATE TABLE webhook_delivered (
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
  ) WITH (fillfactor = 70)`,
  `UPDATE operator SET permissions = permissions || ARRAY(
    SELECT p FROM unnest(ARRAY['events:read', 'webhooks:read', 'webhooks:write']) AS p WHERE p <> ALL (permissions))
  WHERE 'organisation:write' = ANY (permissions)`
]

export const webhooks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
