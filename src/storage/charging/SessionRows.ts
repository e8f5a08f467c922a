/** Rows of sessions, decoded into the domain's; shared by the code that lists sessions and the code that prices them. */
import { Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { ChargingPreferences } from "../../domain/session/ChargingPreferences.ts"
import { type ChargingSession, sessionPlace, sessionStatuses } from "../../domain/session/ChargingSession.ts"
import { evidences } from "../../domain/tariff/Evidence.ts"
import { RoamingRow } from "../roaming/RoamingRows.ts"
import { Millis, optional, Whole } from "../kernel/Rows.ts"
import { authorizationSources, authorizationStatuses } from "../../domain/token/Authorization.ts"

export const SessionRow = Schema.Struct({
  ...sessionPlace,
  organisationId: Schema.String,
  transactionId: Schema.String,
  ocppVersion: Schema.String,
  tokenUid: Schema.String,
  status: Schema.Literals(sessionStatuses),
  authorizationStatus: Schema.Literals(authorizationStatuses),
  authorizationSource: Schema.Literals(authorizationSources),
  authorizedAt: Millis,
  parentUid: optional(Schema.String),
  startedAt: Millis,
  endedAt: optional(Millis),
  meterStartWh: Whole,
  meterStopWh: optional(Whole),
  energyWh: Whole,
  stopReason: optional(Schema.String),
  heldReason: optional(Schema.String),
  revision: Schema.Int,
  reviewed: Schema.Boolean,
  contradicted: Schema.Boolean,
  reservation: Schema.NullOr(
    Schema.Struct({
      reservationId: Schema.Int,
      acceptedAt: Schema.NullOr(Schema.Finite),
      expiresAt: Schema.Finite,
      used: Schema.Boolean
    })
  ),
  roaming: Schema.NullOr(RoamingRow),
  preferences: Schema.NullOr(ChargingPreferences),
  billed: Schema.NullOr(Schema.Struct({ exclVat: Schema.Finite, inclVat: Schema.Finite })),
  createdAt: Millis,
  updatedAt: Millis
})

/** A period of a price, in its stored form. */
export const PeriodRow = Schema.Struct({
  startedAt: Schema.Finite,
  endedAt: Schema.Finite,
  energyWh: Schema.Finite,
  charging: Schema.Boolean,
  evidence: Schema.optionalKey(Schema.Array(Schema.Literals(evidences))),
  reserved: Schema.optionalKey(Schema.Literal(true)),
  minPowerW: Schema.optionalKey(Schema.Finite),
  maxPowerW: Schema.optionalKey(Schema.Finite),
  minCurrentA: Schema.optionalKey(Schema.Finite),
  maxCurrentA: Schema.optionalKey(Schema.Finite),
  stateOfCharge: Schema.optionalKey(Schema.Finite),
  elements: Schema.Record(Schema.String, Schema.Int)
})

export const SessionPriceRow = Schema.Struct({
  currency: Schema.String,
  exclVat: Schema.Finite,
  inclVat: Schema.Finite,
  periods: Schema.Array(PeriodRow)
})

/** A session with its latest price. */
export const PricedRow = Schema.Struct({ ...SessionRow.fields, price: Schema.NullOr(SessionPriceRow) })

/** Converts a row to the domain's session. */
export const sessionOf = (row: typeof PricedRow.Type): ChargingSession => {
  const {
    authorizationSource,
    authorizationStatus,
    authorizedAt,
    billed,
    parentUid,
    preferences,
    price,
    reservation,
    roaming,
    ...rest
  } = row
  return {
    ...rest,
    ...(reservation === null
      ? {}
      : { reservation: { ...reservation, acceptedAt: reservation.acceptedAt ?? undefined } }),
    ...(roaming === null ? {} : { roaming }),
    ...(preferences === null ? {} : { preferences }),
    price: price ?? undefined,
    billed: billed ?? undefined,
    authorization: {
      status: authorizationStatus,
      source: authorizationSource,
      decidedAt: authorizedAt,
      // How long the charger may remember the answer only matters to the charger.
      expiresAt: undefined,
      parentUid
    }
  }
}

/** Whether a `session s` has not ended, was closed for silence, and has not been heard of since. */
export const isClosed = (sql: SqlClient.SqlClient) => sql`
  (s.ended_at IS NULL AND s.closed_as_of IS NOT DISTINCT FROM s.updated_at)`

/** Whether a `session s` with its review `r` was invalid and an operator has corrected it. */
export const isBilledAfterAll = (sql: SqlClient.SqlClient) => sql`
  (s.status = 'INVALID' AND r.released_at IS NOT NULL)`

/** The last known end of a `session s` without a stop of its own: its last reading, but no later than the start that showed it to be over. */
export const lastKnownEnd = (sql: SqlClient.SqlClient) => sql`
  least(greatest(s.started_at, s.register_at), s.ended_at)`

/** Why `session s` with its review `r` is held for an operator; NULL if it is not. */
export const heldReason = (sql: SqlClient.SqlClient) => sql`
  CASE WHEN r.released_at IS NULL AND s.status <> 'INVALID' THEN coalesce(s.held_reason, CASE WHEN ${isClosed(sql)} THEN 'StopMissing' END, r.held_reason) END`

/** When `session s` with its review `r` ended; NULL while it is running or reserved. */
export const endedAt = (sql: SqlClient.SqlClient) => sql`
  coalesce(r.ended_at, CASE WHEN s.status = 'RESERVATION' THEN NULL WHEN s.superseded OR ${isClosed(sql)} THEN ${lastKnownEnd(sql)} ELSE s.ended_at END)`

/** The record in force of `session s` with its review `r`, as `cdr d`. */
export const fromRecordInForce = (sql: SqlClient.SqlClient) => sql`
  FROM cdr d WHERE d.session_id = s.id AND d.credits IS NULL AND d.revision = coalesce(r.revision, 0)
    AND NOT EXISTS (SELECT 1 FROM cdr c WHERE c.credits = d.id)`

/** The price in that record. */
export const recordColumn = (sql: SqlClient.SqlClient) => sql`(
    SELECT json_build_object('currency', d.body -> 'currency', 'exclVat', d.body #> '{total,exclVat}', 'inclVat', d.body #> '{total,inclVat}',
      'periods', d.body -> 'periods') ${fromRecordInForce(sql)}
  ) AS record`

/** A `reservation y` as JSON. */
const reservationOf = (sql: SqlClient.SqlClient, used: Statement.Fragment) => sql`
  json_build_object('reservationId', y.reservation_id, 'acceptedAt', extract(epoch FROM y.accepted_at) * 1000,
    'expiresAt', extract(epoch FROM y.expires_at) * 1000, 'used', ${used})`

/** The total of the record in force of `session s` with its review `r`. */
const totalOfRecord = (sql: SqlClient.SqlClient) => sql`(SELECT d.body -> 'total' ${fromRecordInForce(sql)})`

/** In place of `totalOfRecord` where `recordColumn` is selected too, which contains the total. */
export const noTotal = (sql: SqlClient.SqlClient) => sql`NULL::json`

/**
 * The columns of `session s` with its review `r`: an operator's corrections replace what the charger reported. `billed` is the total of the
 * record in force.
 */
export const sessionColumns = (sql: SqlClient.SqlClient, billed = totalOfRecord(sql)) => sql`
  s.id, s.organisation_id AS "organisationId", s.charger_id AS "chargerId", s.site_id AS "siteId", s.evse_id AS "evseId",
  s.connector_id AS "connectorId", s.transaction_id AS "transactionId", s.ocpp_version AS "ocppVersion",
  s.token_uid AS "tokenUid", CASE WHEN ${isClosed(sql)} OR ${isBilledAfterAll(sql)} THEN 'COMPLETED' ELSE s.status END AS status, s.authorization_status AS "authorizationStatus",
  s.authorization_source AS "authorizationSource", s.authorized_at AS "authorizedAt", s.parent_uid AS "parentUid",
  coalesce(r.started_at, s.started_at) AS "startedAt", ${endedAt(sql)} AS "endedAt", s.meter_start_wh AS "meterStartWh", coalesce(s.meter_stop_wh, CASE WHEN ${isClosed(sql)} THEN s.register_wh END) AS "meterStopWh",
  coalesce(r.energy_wh, s.energy_wh) AS "energyWh", coalesce(s.stop_reason, CASE WHEN ${isClosed(sql)} THEN s.close_reason END) AS "stopReason", coalesce(r.revision, 0) AS revision,
  r.released_at IS NOT NULL AS reviewed, s.contradicted, ${billed} AS billed, CASE WHEN s.reservation_only
    THEN (SELECT ${reservationOf(sql, sql`false`)} FROM reservation y WHERE y.command_id = s.id AND y.organisation_id = s.organisation_id)
    ELSE (
      SELECT ${reservationOf(sql, sql`true`)} FROM reservation y
      WHERE y.session_id = s.id AND y.organisation_id = s.organisation_id AND y.status = 'Used' ORDER BY y.command_id LIMIT 1)
  END AS reservation,
  s.roaming, CASE WHEN s.partner_id IS NOT NULL THEN (
    SELECT w.preferences FROM session_roaming w WHERE w.session_id = s.id AND w.organisation_id = s.organisation_id
  ) END AS preferences, ${heldReason(sql)} AS "heldReason", s.created_at AS "createdAt",
  greatest(s.updated_at, r.updated_at) AS "updatedAt"`

/** Joins the review of `session s`. */
export const withReview = (sql: SqlClient.SqlClient) => sql`
  LEFT JOIN session_review r ON r.session_id = s.id AND r.organisation_id = s.organisation_id`

/** Joins the review of `session s`, and its price as `p.price`. */
export const withPrice = (sql: SqlClient.SqlClient) => sql`
  ${withReview(sql)}
  LEFT JOIN session_price p ON p.session_id = s.id AND p.organisation_id = s.organisation_id`
