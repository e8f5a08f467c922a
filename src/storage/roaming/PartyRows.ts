/** What of an organisation belongs to one of its CPO parties, for the lists of partners that address that party (OCPI 2.2.1 §4.2.2). */
import type { SqlClient } from "effect/sql"
import type { PartyId } from "../../domain/values/PartyId.ts"
import type { Scoped } from "../kernel/Scoped.ts"

/** Ids of the sites of a party; sites that name none are the default one's. */
export const sitesOf = (own: Scoped, { countryCode, partyId }: PartyId) => own`
  SELECT i.id FROM site i
  JOIN party q ON q.organisation_id = i.organisation_id AND (q.id = i.party_id OR (i.party_id IS NULL AND q.is_default))
  WHERE ${own.rowsOf("i")} AND q.country_code = ${countryCode} AND q.party_id = ${partyId}`

/** True of a `cdr d` that was sealed in a party's name: what becomes of its site afterwards changes no record. */
export const sealedBy = (sql: SqlClient.SqlClient, { countryCode, partyId }: PartyId) => sql`
  (d.body #>> '{place,party,countryCode}' = ${countryCode} AND d.body #>> '{place,party,partyId}' = ${partyId})`
