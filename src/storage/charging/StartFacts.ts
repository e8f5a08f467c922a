/**
 * What only a start needs, read in the same statement as its card: the tariffs assigned to its connector, charger, site and organisation,
 * and the RemoteStarts that no session follows yet. The domain decides which of them apply. There is one join for each scope, since a
 * batched statement then joins whole tables once; a subquery per start that collects the assignments costs ten times as much.
 */
import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { commandStatuses } from "../../domain/command/Command.ts"
import type { StartFacts, StartWanted } from "../../domain/charger/Decision.ts"
import type { Assignment } from "../../domain/tariff/Tariff.ts"

/** Tariff, version, and the start and end of its validity. */
const Assigned = Schema.NullOr(
  Schema.Tuple([Schema.String, Schema.Int, Schema.NullOr(Schema.Finite), Schema.NullOr(Schema.Finite)])
)

const RemoteStart = Schema.Struct({
  commandId: Schema.String,
  sentAt: Schema.Finite,
  status: Schema.Literals(commandStatuses),
  errorCode: Schema.NullOr(Schema.String),
  tokenUid: Schema.String,
  evseId: Schema.NullOr(Schema.Int)
})

/**
 * How many RemoteStarts of one charger are read, the newest first: more than it starts sessions in the time in which a session may follow a
 * RemoteStart.
 */
const remoteStartsLooked = 100

export const startFields = {
  site_id: Schema.NullOr(Schema.String),
  time_zone: Schema.NullOr(Schema.String),
  of_connector: Assigned,
  of_charger: Assigned,
  of_site: Assigned,
  of_organisation: Assigned,
  remote_starts: Schema.NullOr(Schema.Array(RemoteStart))
}
const StartRow = Schema.Struct(startFields)

/** The columns for `startJoins`. */
export const startColumns = (sql: SqlClient.SqlClient) => sql`
  c.site_id, i.time_zone,
  CASE WHEN a1.tariff_id IS NOT NULL THEN json_build_array(f1.id, f1.version, extract(epoch FROM f1.starts_at) * 1000,
    extract(epoch FROM f1.ends_at) * 1000) END AS of_connector,
  CASE WHEN a2.tariff_id IS NOT NULL THEN json_build_array(f2.id, f2.version, extract(epoch FROM f2.starts_at) * 1000,
    extract(epoch FROM f2.ends_at) * 1000) END AS of_charger,
  CASE WHEN a3.tariff_id IS NOT NULL THEN json_build_array(f3.id, f3.version, extract(epoch FROM f3.starts_at) * 1000,
    extract(epoch FROM f3.ends_at) * 1000) END AS of_site,
  CASE WHEN a4.tariff_id IS NOT NULL THEN json_build_array(f4.id, f4.version, extract(epoch FROM f4.starts_at) * 1000,
    extract(epoch FROM f4.ends_at) * 1000) END AS of_organisation, (
    SELECT json_agg(json_build_object('commandId', m.id, 'sentAt', extract(epoch FROM m.sent_at) * 1000, 'status', m.status,
      'errorCode', m.result ->> 'errorCode', 'tokenUid', m.command ->> 'tokenUid', 'evseId', (m.command #>> '{place,evseId}')::int))
    FROM (
      SELECT x.* FROM command x
      WHERE x.charger_id = c.charger_id AND x.organisation_id = c.organisation_id AND x.type = 'RemoteStart' AND x.session_id IS NULL
        AND x.sent_at >= w.sent_since
      ORDER BY x.sent_at DESC LIMIT ${remoteStartsLooked}::int
    ) m
  ) AS remote_starts`

/** Joins to `w(organisation_id, charger_id, evse_id, connector_id, sent_since)`, whose place is null if nothing starts. */
export const startJoins = (sql: SqlClient.SqlClient) => sql`
  LEFT JOIN charger c ON c.charger_id = w.charger_id AND c.organisation_id = w.organisation_id AND w.evse_id IS NOT NULL
  LEFT JOIN site i ON i.id = c.site_id AND i.organisation_id = c.organisation_id
  LEFT JOIN tariff_assignment a1 ON a1.organisation_id = c.organisation_id AND a1.scope = 'connector' AND a1.target = c.charger_id
    AND a1.evse_id = w.evse_id AND a1.connector_id = w.connector_id
  LEFT JOIN tariff f1 ON f1.id = a1.tariff_id
  LEFT JOIN tariff_assignment a2 ON a2.organisation_id = c.organisation_id AND a2.scope = 'charger' AND a2.target = c.charger_id
    AND a2.evse_id = 0 AND a2.connector_id = 0
  LEFT JOIN tariff f2 ON f2.id = a2.tariff_id
  LEFT JOIN tariff_assignment a3 ON a3.organisation_id = c.organisation_id AND a3.scope = 'site' AND a3.target = c.site_id::text
    AND a3.evse_id = 0 AND a3.connector_id = 0
  LEFT JOIN tariff f3 ON f3.id = a3.tariff_id
  LEFT JOIN tariff_assignment a4 ON a4.organisation_id = c.organisation_id AND a4.scope = 'organisation' AND a4.target = ''
    AND a4.evse_id = 0 AND a4.connector_id = 0
  LEFT JOIN tariff f4 ON f4.id = a4.tariff_id`

const assigned = (assignment: Assignment, found: typeof Assigned.Type): StartFacts["tariffs"] => {
  if (found === null) return []
  const [tariffId, version, startsAt, endsAt] = found
  return [{ tariffId, version, assignment, startsAt: startsAt ?? undefined, endsAt: endsAt ?? undefined }]
}

export const startFacts = (chargerId: string, { place }: StartWanted, row: typeof StartRow.Type): StartFacts => ({
  timeZone: row.time_zone ?? undefined,
  tariffs: [
    ...assigned({ scope: "connector", chargerId, ...place }, row.of_connector),
    ...assigned({ scope: "charger", chargerId }, row.of_charger),
    ...assigned({ scope: "site", siteId: row.site_id ?? "" }, row.of_site),
    ...assigned({ scope: "organisation" }, row.of_organisation)
  ],
  remoteStarts: (row.remote_starts ?? []).map((one) => ({
    ...one,
    errorCode: one.errorCode ?? undefined,
    evseId: one.evseId ?? undefined
  }))
})
