/**
 * A token by which a partner may call us while we register with it, or renew, has a use of its own: it stands beside the invitation that was handed out,
 * which a handshake that fails leaves good. There may be several, since what was told in a renewal may be all that the partner has.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `ALTER TABLE partner_token DROP CONSTRAINT partner_token_use_check`,
  `ALTER TABLE partner_token ADD CONSTRAINT partner_token_use_check
    CHECK (use IN ('Registration', 'Access', 'Retiring', 'Expected'))`,
  // Those of registered partners were told in renewals.
  `UPDATE partner_token t SET use = 'Expected' FROM partner p
    WHERE p.id = t.partner_id AND p.status = 'Registered' AND t.use = 'Registration'`,
  `DROP INDEX partner_token_use`,
  `CREATE UNIQUE INDEX partner_token_use ON partner_token (partner_id, use) WHERE use <> 'Expected'`,
  `CREATE INDEX partner_token_partner ON partner_token (partner_id)`
]

export const expectedTokens = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
