/** Rows of partners, decoded into the domain's. */
import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { type ExpectedParty, type Partner, tokenUses } from "../../domain/roaming/Partner.ts"
import { Millis, optional, rowOf, rowsOf } from "../kernel/Rows.ts"
import { partyRoles } from "../../domain/roaming/Party.ts"

const Role = Schema.Literals(partyRoles)

const PartyRow = Schema.Struct({
  role: Role,
  countryCode: Schema.String,
  partyId: Schema.String,
  businessDetails: Schema.Struct({ name: Schema.String, website: Schema.optional(Schema.String) })
})

const EndpointRow = Schema.Struct({
  module: Schema.String,
  role: Schema.optional(Schema.Literals(["SENDER", "RECEIVER"])),
  url: Schema.String
})

const ConnectionRow = Schema.Struct({
  version: Schema.String,
  versionsUrl: Schema.String,
  tokenForm: Schema.Literals(["Raw", "Base64"]),
  parties: Schema.Array(PartyRow),
  endpoints: Schema.Array(EndpointRow),
  registeredAt: Schema.Finite
})

const PartnerRow = Schema.Struct({
  id: Schema.String,
  organisationId: Schema.String,
  name: Schema.String,
  status: Schema.Literals(["Invited", "Registered", "Unregistered"]),
  suspended: Schema.Boolean,
  switches: Schema.Struct({
    tokenForm: Schema.optional(Schema.Literals(["Raw", "Base64"])),
    semanticErrorsAs400: Schema.optional(Schema.Boolean),
    createdAs201: Schema.optional(Schema.Boolean),
    credentialsOnce: Schema.optional(Schema.Boolean),
    noCreditCdrs: Schema.optional(Schema.Boolean),
    askUnknownTokens: Schema.optional(Schema.Boolean)
  }),
  expected: Schema.Array(Schema.Struct({ countryCode: Schema.String, partyId: Schema.String, role: Role })),
  connection: optional(ConnectionRow),
  createdAt: Millis,
  updatedAt: Millis
})
export const partnerRow = rowOf(PartnerRow)
export const partnerRows = rowsOf(PartnerRow)

/** A partner with the sealed token with which we call it. */
export const addresseeRows = rowsOf(Schema.Struct({ ...PartnerRow.fields, sealedToken: optional(Schema.String) }))

/** A partner with what the bearer of the token may do. */
export const bearerRow = rowOf(
  Schema.Struct({
    ...PartnerRow.fields,
    use: Schema.Literals(tokenUses),
    isFirst: Schema.Boolean,
    reading: Schema.Int
  })
)

const expectedOf = ([first, ...others]: (typeof PartnerRow.Type)["expected"]): ExpectedParty | undefined =>
  first && {
    countryCode: first.countryCode,
    partyId: first.partyId,
    roles: [first, ...others].map(({ role }) => role)
  }

/** Converts a row to the domain's partner. */
export const partnerOf = ({ connection, expected, status, suspended, ...row }: typeof PartnerRow.Type): Partner => ({
  ...row,
  expected: expectedOf(expected),
  status: suspended ? "Suspended" : status,
  connection: connection && {
    ...connection,
    endpoints: connection.endpoints.map(({ module, role, url }) => ({ module, role, url }))
  }
})

/** The columns of `partner p`. */
export const partnerColumns = (sql: SqlClient.SqlClient) => sql`
  p.id, p.organisation_id AS "organisationId", p.name, p.status, p.suspended, p.switches, p.connection,
  coalesce((SELECT jsonb_agg(jsonb_build_object('countryCode', e.country_code, 'partyId', e.party_id, 'role', e.role) ORDER BY e.role)
    FROM partner_party e WHERE e.partner_id = p.id AND e.expected), '[]') AS expected,
  p.created_at AS "createdAt", p.updated_at AS "updatedAt"`
