/** The port `HubClients` over SQL: a register that hubs keep up to date. Its changes are not facts. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import { type ClientInfo, clientStatuses, clientsMax } from "../../domain/roaming/ClientInfo.ts"
import type { PartyId } from "../../domain/values/PartyId.ts"
import { HubClients } from "../../domain/roaming/HubClients.ts"
import { StorageHealth } from "../../domain/values/StorageHealth.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { pagedList, TextKey } from "../kernel/Cursor.ts"
import { isAnothers } from "./PartnerParties.ts"
import { Millis, rowOf, rowsOf } from "../kernel/Rows.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { guarded, guardedWrite } from "../kernel/SqlErrors.ts"
import { unstorableText } from "../kernel/Storable.ts"
import { partyRoles } from "../../domain/roaming/Party.ts"

const Row = Schema.Struct({
  countryCode: Schema.String,
  partyId: Schema.String,
  role: Schema.Literals(partyRoles),
  status: Schema.Literals(clientStatuses),
  lastUpdated: Millis
})
const clientRow = rowOf(Row)
const clientRows = rowsOf(Row)
const holderRow = rowOf(Schema.Struct({ partner: Schema.Boolean, ours: Schema.Boolean }))

const columns = (sql: SqlClient.SqlClient) =>
  sql`c.country_code AS "countryCode", c.party_id AS "partyId", c.role, c.status, c.last_updated AS "lastUpdated"`

const keyOf = ({ countryCode, partyId }: PartyId): string => `${countryCode}*${partyId}`

const pages = pagedList("clients", TextKey, (info: ClientInfo) => keyOf(info))

const put = (sql: SqlClient.SqlClient, organisationId: string, partnerId: string, info: ClientInfo) =>
  Effect.gen(function* () {
    const own = scopedTo(sql, organisationId)
    const { countryCode, partyId, role, status } = info
    const [before] = yield* own<{ readonly known: boolean; readonly most: boolean }>`
      SELECT coalesce(bool_or(c.country_code = ${countryCode} AND c.party_id = ${partyId}), false) AS known,
        count(*) >= ${clientsMax}::int AS most
      FROM partner_client c WHERE ${own.rowsOf("c")} AND c.partner_id = ${partnerId}`
    const { known = false, most = false } = before ?? {}
    if (most && !known) {
      const message = `At most ${clientsMax} parties behind one hub are stored.`
      return yield* new Conflict({ code: "too_many_clients", message })
    }
    yield* own`
      INSERT INTO partner_client AS c (organisation_id, partner_id, country_code, party_id, role, status, last_updated)
      VALUES (${own.id}, ${partnerId}, ${countryCode}, ${partyId}, ${role}, ${status}, ${new Date(info.lastUpdated)})
      ON CONFLICT (partner_id, country_code, party_id) DO UPDATE SET role = excluded.role, status = excluded.status,
        last_updated = excluded.last_updated
      WHERE c.last_updated <= excluded.last_updated`
    return !known
  })

/** Whether the party cannot exist: the codes in a requested address may be any text. */
const isUnreachable = ({ countryCode, partyId }: PartyId): boolean =>
  unstorableText(countryCode) || unstorableText(partyId)

const get = (sql: SqlClient.SqlClient) =>
  Effect.fn("HubClients.get")(function* (organisationId: string, partnerId: string, party: PartyId) {
    if (isUnreachable(party)) return yield* new NotFound({ kind: "client", id: keyOf(party) })
    const own = scopedTo(sql, organisationId)
    const row = yield* guarded(
      clientRow(own`
        SELECT ${columns(sql)} FROM partner_client c
        WHERE ${own.rowsOf("c")} AND c.partner_id = ${partnerId} AND c.country_code = ${party.countryCode}
          AND c.party_id = ${party.partyId}`)
    )
    return row ?? (yield* new NotFound({ kind: "client", id: keyOf(party) }))
  })

const holder = (sql: SqlClient.SqlClient) =>
  Effect.fn("HubClients.holder")(function* (organisationId: string, partnerId: string, party: PartyId) {
    if (isUnreachable(party)) return undefined
    const own = scopedTo(sql, organisationId)
    const row = yield* guarded(
      holderRow(own`
        SELECT ${isAnothers(sql, "w")} AS partner, EXISTS (
          SELECT 1 FROM party m WHERE ${own.rowsOf("m")} AND upper(m.country_code) = w.country_code AND upper(m.party_id) = w.party_id
        ) AS ours
        FROM (SELECT ${own.id}::uuid AS organisation_id, ${partnerId}::uuid AS partner_id, upper(${party.countryCode}::text) AS country_code,
          upper(${party.partyId}::text) AS party_id) w`)
    )
    if (row?.partner === true) return "Partner"
    return row?.ours === true ? "Ourselves" : undefined
  })

const list = (sql: SqlClient.SqlClient) =>
  Effect.fn("HubClients.list")(function* (organisationId: string, partnerId: string, request: PageRequest) {
    const after = yield* pages.after(request)
    if (!isUuid(partnerId)) return { items: [], nextCursor: null }
    const own = scopedTo(sql, organisationId)
    return yield* guarded(
      pages.read(sql, request, {
        statement: own`
        SELECT ${columns(sql)} FROM partner_client c
        WHERE ${own.rowsOf("c")} AND c.partner_id = ${partnerId}
          ${after === undefined ? sql`` : sql`AND (c.country_code || '*' || c.party_id) COLLATE "C" > ${after}`}
        ORDER BY (c.country_code || '*' || c.party_id) COLLATE "C" LIMIT ${pages.rows(request)}`,
        rows: clientRows,
        item: (row) => row
      })
    )
  })

export const layer: Layer.Layer<HubClients, never, SqlClient.SqlClient | StorageHealth> = Layer.effect(
  HubClients,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { writable } = yield* StorageHealth
    return HubClients.of({
      put: Effect.fn("HubClients.put")((organisationId, partnerId, info) =>
        Effect.andThen(writable, guardedWrite(sql.withTransaction(put(sql, organisationId, partnerId, info))))
      ),
      get: get(sql),
      holder: holder(sql),
      list: list(sql)
    })
  })
)
