/** Which data of an organisation belongs to one of its CPO parties, for partners' lists that address that party (OCPI 2.2.1 §4.2.2). */
import type { SqlClient } from "effect/sql"
import type { PartyId } from "../../domain/values/PartyId.ts"
import type { Scoped } from "../kernel/Scoped.ts"

/** The ids of a party's sites; sites without a party belong to the default one. */
export const sitesOf = (own: Scoped, { countryCode, partyId }: PartyId) => own`
  SELECT i.id FROM site i
  JOIN party q ON q.organisation_id = i.organisation_id AND (q.id = i.party_id OR (i.party_id IS NULL AND q.is_default))
  WHERE ${own.rowsOf("i")} AND q.country_code = ${countryCode} AND q.party_id = ${partyId}`

/** Whether a `cdr d` was sealed in a party's name; later changes of its site do not change the record. */
export const sealedBy = (sql: SqlClient.SqlClient, { countryCode, partyId }: PartyId) => sql`
  (d.body #>> '{place,party,countryCode}' = ${countryCode} AND d.body #>> '{place,party,partyId}' = ${partyId})`
