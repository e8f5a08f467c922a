/** The port `Parties` over SQL. The database creates the default party with its organisation, with the same id and name. */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import { type CpoParty, partiesMax } from "../../domain/roaming/Party.ts"
import { type NewParty, Parties } from "../../domain/roaming/Parties.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { factOf, recording, type Recording, type RecordingServices } from "../kernel/Facts.ts"
import { Millis, rowOf, rowsOf } from "../kernel/Rows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { refusingValues, storable } from "../kernel/Storable.ts"

const PartyRow = Schema.Struct({
  id: Schema.String,
  organisationId: Schema.String,
  countryCode: Schema.String,
  partyId: Schema.String,
  businessDetails: Schema.Struct({ name: Schema.String, website: Schema.optional(Schema.String) }),
  isDefault: Schema.Boolean,
  createdAt: Millis
})
const partyRow = rowOf(PartyRow)
const partyRows = rowsOf(PartyRow)

const columns = (sql: SqlClient.SqlClient) => sql`
  p.id, p.organisation_id AS "organisationId", p.country_code AS "countryCode", p.party_id AS "partyId",
  coalesce(p.business_details, jsonb_build_object('name', o.name)) AS "businessDetails", p.is_default AS "isDefault",
  p.created_at AS "createdAt"`

const all = (sql: SqlClient.SqlClient, own: Scoped) =>
  partyRows(own`
    SELECT ${columns(sql)} FROM party p JOIN organisation o ON o.id = p.organisation_id
    WHERE ${own.rowsOf("p")} ORDER BY p.is_default DESC, p.id`)

const create = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Parties.create")(function* (input: NewParty, audit: AuditContext) {
    yield* storable(input)
    const { by, now } = audit
    const own = scopedTo(sql, by.organisationId)
    const { name, website } = input.businessDetails
    const party: CpoParty = {
      id: secrets.uuid(now),
      organisationId: by.organisationId,
      countryCode: input.countryCode.toUpperCase(),
      partyId: input.partyId.toUpperCase(),
      businessDetails: { name, website },
      isDefault: false,
      createdAt: now
    }
    const details = PgTypes.jsonb(website === undefined ? { name } : { name, website })
    const write = Effect.gen(function* () {
      if ((yield* all(sql, own)).length >= partiesMax) {
        const message = `An organisation can have at most ${partiesMax} parties.`
        return yield* new Conflict({ code: "too_many_parties", message })
      }
      const made = yield* own`
        INSERT INTO party (id, organisation_id, country_code, party_id, business_details, is_default, created_at)
        VALUES (${party.id}, ${own.id}, ${party.countryCode}, ${party.partyId}, ${details}, false, ${new Date(now)})
        ON CONFLICT DO NOTHING RETURNING id`
      if (made.length === 0) {
        const message = "A party with this country code and party id already exists."
        return yield* new Conflict({ code: "party_exists", message })
      }
      const fact = factOf("PartyCreated", `party:${party.id}`, party.id, audit)
      return { result: party, facts: [{ ...fact, body: { by: by.actor, after: party } }] }
    })
    return yield* journaled(refusingValues(write))
  })

const ofSite = (sql: SqlClient.SqlClient) =>
  Effect.fn("Parties.ofSite")(function* (organisationId: string, siteId: string) {
    const own = scopedTo(sql, organisationId)
    const row = isUuid(siteId)
      ? yield* guarded(
          partyRow(own`
            SELECT ${columns(sql)} FROM site s
            JOIN party p ON p.organisation_id = s.organisation_id AND (p.id = s.party_id OR (s.party_id IS NULL AND p.is_default))
            JOIN organisation o ON o.id = p.organisation_id
            WHERE ${own.rowsOf("s")} AND s.id = ${siteId}`)
        )
      : undefined
    return row ?? (yield* new NotFound({ kind: "site", id: siteId }))
  })

export const layer: Layer.Layer<Parties, never, RecordingServices> = Layer.effect(
  Parties,
  Effect.map(recording, (records) =>
    Parties.of({
      list: Effect.fn("Parties.list")((organisationId) =>
        guarded(all(records.sql, scopedTo(records.sql, organisationId)))
      ),
      create: create(records),
      ofSite: ofSite(records.sql)
    })
  )
)
