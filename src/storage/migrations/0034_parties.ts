/** The CPO parties of organisations, of which every one has at least its own; and whom partners are expected to be. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE TABLE party (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE CASCADE,
    country_code text NOT NULL,
    party_id text NOT NULL,
    -- Null for the party that is called as the organisation is.
    business_details jsonb,
    is_default boolean NOT NULL,
    created_at timestamptz NOT NULL
  )`,
  `CREATE UNIQUE INDEX party_code ON party (upper(country_code), upper(party_id))`,
  `CREATE UNIQUE INDEX party_default ON party (organisation_id) WHERE is_default`,
  `CREATE INDEX party_organisation ON party (organisation_id, id)`,
  // The organisation's own party has its id, so that it is made by the same statement wherever organisations are made.
  `INSERT INTO party (id, organisation_id, country_code, party_id, is_default, created_at)
    SELECT o.id, o.id, o.country_code, o.party_id, true, o.created_at FROM organisation o`,
  `CREATE FUNCTION organisation_make_party() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    INSERT INTO party (id, organisation_id, country_code, party_id, is_default, created_at)
      VALUES (NEW.id, NEW.id, NEW.country_code, NEW.party_id, true, NEW.created_at) ON CONFLICT DO NOTHING;
    RETURN NULL;
  END
  $function$`,
  `CREATE TRIGGER organisation_party AFTER INSERT ON organisation FOR EACH ROW EXECUTE FUNCTION organisation_make_party()`,
  // Null: the organisation's own.
  `ALTER TABLE site ADD COLUMN party_id uuid REFERENCES party (id)`,
  `CREATE INDEX site_party ON site (party_id) WHERE party_id IS NOT NULL`,
  `CREATE TABLE partner_party (
    organisation_id uuid NOT NULL,
    partner_id uuid NOT NULL REFERENCES partner (id) ON DELETE CASCADE,
    country_code text NOT NULL,
    party_id text NOT NULL,
    role text NOT NULL,
    -- As the operator said, or as the partner itself has.
    expected boolean NOT NULL,
    PRIMARY KEY (partner_id, country_code, party_id, role)
  )`,
  // A token belongs to one partner: nobody else of the organisation's has the same party in the same role.
  `CREATE UNIQUE INDEX partner_party_owner ON partner_party (organisation_id, country_code, party_id, role)`,
  `INSERT INTO partner_party (organisation_id, partner_id, country_code, party_id, role, expected)
    SELECT p.organisation_id, p.id, upper(r ->> 'countryCode'), upper(r ->> 'partyId'), r ->> 'role', false
    FROM partner p, jsonb_array_elements(p.connection -> 'parties') AS r
    WHERE p.connection IS NOT NULL ORDER BY p.id ON CONFLICT DO NOTHING`
]

export const parties = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
