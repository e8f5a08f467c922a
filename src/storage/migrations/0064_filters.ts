/**
 * What operators filter their lists by, each along an index of its own, so that nobody reads an organisation's history to find a card's sessions or
 * those of last March. Nothing that is indexed here changes with a meter reading, which stays an update in place.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE INDEX session_started ON session (organisation_id, started_at, id)`,
  `CREATE INDEX session_charger_started ON session (charger_id, started_at, id)`,
  `CREATE INDEX session_site ON session (organisation_id, site_id, started_at, id)`,
  `CREATE INDEX session_token ON session (organisation_id, token_key, started_at, id)`,
  `CREATE INDEX session_partner_started ON session (organisation_id, partner_id, started_at, id) WHERE partner_id IS NOT NULL`,
  `CREATE INDEX session_pending ON session (organisation_id, id) WHERE status = 'PENDING'`,
  // The card's key stands beside the sealed body, which has its uid as the charger read it. Records that were issued before get theirs.
  `ALTER TABLE cdr ADD COLUMN token_key text`,
  `ALTER TABLE cdr DISABLE TRIGGER cdr_sealed`,
  `UPDATE cdr d SET token_key = coalesce((SELECT s.token_key FROM session s WHERE s.id = d.session_id), lower(d.body ->> 'tokenUid'))`,
  `ALTER TABLE cdr ENABLE TRIGGER cdr_sealed`,
  `CREATE INDEX cdr_token ON cdr (organisation_id, token_key, started_at, number)`,
  `CREATE INDEX cdr_charger_started ON cdr (organisation_id, charger_id, started_at, number)`,
  `CREATE INDEX cdr_site_started ON cdr (organisation_id, site_id, started_at, number)`,
  `CREATE INDEX cdr_partner_started ON cdr (organisation_id, partner_id, started_at, number) WHERE partner_id IS NOT NULL`,
  `CREATE INDEX token_status ON token (organisation_id, status, uid_key)`
]

export const filters = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
