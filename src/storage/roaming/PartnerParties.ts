/**
 * Which parties a partner is, a part of the port `Partners`. Within an organisation, no two partners are the same party, so that each token
 * has one owner.
 */
import { Effect } from "effect"
import { Conflict } from "../../domain/Errors.ts"
import type { ExpectedParty } from "../../domain/roaming/Partner.ts"
import type { PartyRole } from "../../domain/roaming/Party.ts"
import type { PartyId } from "../../domain/values/PartyId.ts"
import type { SqlClient } from "effect/sql"
import { textArray } from "../kernel/Arrays.ts"
import type { Scoped } from "../kernel/Scoped.ts"

interface Claimed extends PartyId {
  readonly role: PartyRole
}

export const partiesOf = ({ countryCode, partyId, roles }: ExpectedParty): ReadonlyArray<Claimed> =>
  roles.map((role) => ({ countryCode, partyId, role }))

/** Assigns parties to a partner. Fails with `Conflict` `party_in_use` if another partner has one of them. */
export const claim = (own: Scoped, partnerId: string, claimed: ReadonlyArray<Claimed>, expected: boolean) =>
  Effect.gen(function* () {
    const codes = (of: (party: Claimed) => string) => textArray(claimed.map((party) => of(party).toUpperCase()))
    yield* own`
      INSERT INTO partner_party (organisation_id, partner_id, country_code, party_id, role, expected)
      SELECT ${own.id}::uuid, ${partnerId}::uuid, c.country_code, c.party_id, c.role, ${expected}::boolean
      FROM unnest(${codes((one) => one.countryCode)}, ${codes((one) => one.partyId)}, ${codes((one) => one.role)})
        AS c(country_code, party_id, role)
      ON CONFLICT DO NOTHING`
    const taken = yield* own<{ readonly party: string; readonly id: string | null }>`
      SELECT c.country_code || '*' || c.party_id || ' as ' || c.role AS party, (
        SELECT o.partner_id FROM partner_party o WHERE ${own.rowsOf("o")} AND o.country_code = c.country_code AND o.party_id = c.party_id
          AND o.role = c.role) AS id
      FROM unnest(${codes((one) => one.countryCode)}, ${codes((one) => one.partyId)}, ${codes((one) => one.role)})
        AS c(country_code, party_id, role)
      WHERE NOT EXISTS (
        SELECT 1 FROM partner_party p WHERE ${own.rowsOf("p")} AND p.partner_id = ${partnerId} AND p.country_code = c.country_code
          AND p.party_id = c.party_id AND p.role = c.role)
      ORDER BY 1 LIMIT 1`
    if (taken[0] === undefined) return
    const { id, party } = taken[0]
    // Only an operator may know which partner it is, not another partner.
    const message = expected
      ? `${party} is already the partner ${id}. Invite that partner again (POST /cpo/v2/partners/${id}/invite), or remove it first (DELETE).`
      : `${party} is already registered here as another partner. Contact the operator.`
    return yield* new Conflict({ code: "party_in_use", message })
  })

/**
 * For a row with a party that its partner speaks for: whether another partner is that party itself, as an eMSP, and so owns its drivers. A
 * suspended partner still is that party: no other partner may let its drivers charge.
 */
export const isAnothers = (sql: SqlClient.SqlClient, alias: string) => sql`EXISTS (
  SELECT 1 FROM partner_party q JOIN partner d ON d.id = q.partner_id AND d.organisation_id = q.organisation_id
  WHERE q.organisation_id = ${sql(alias)}.organisation_id AND q.country_code = ${sql(alias)}.country_code
    AND q.party_id = ${sql(alias)}.party_id AND q.role = 'EMSP' AND q.partner_id <> ${sql(alias)}.partner_id AND d.status = 'Registered')`

/** Removes the parties that the partner has stated itself; those that it was invited as remain its own. */
export const release = (own: Scoped, partnerId: string) =>
  own`DELETE FROM partner_party p WHERE ${own.rowsOf("p")} AND p.partner_id = ${partnerId} AND NOT p.expected`
