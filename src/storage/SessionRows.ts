/** Rows of sessions, decoded into the domain's; shared by those who list sessions and those who price them. */
import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { ChargingSession } from "../domain/session/ChargingSession.ts"
import { Millis, optional, Whole } from "./rows.ts"

export const SessionRow = Schema.Struct({
  id: Schema.String,
  organisationId: Schema.String,
  chargerId: Schema.String,
  siteId: Schema.String,
  evseId: Schema.Int,
  connectorId: Schema.Int,
  transactionId: Schema.String,
  ocppVersion: Schema.String,
  tokenUid: Schema.String,
  status: Schema.Literals(["PENDING", "ACTIVE", "COMPLETED", "INVALID", "RESERVATION"]),
  authorizationStatus: Schema.Literals(["Accepted", "Blocked", "Expired", "Invalid", "ConcurrentTx"]),
  authorizationSource: Schema.Literals(["LocalToken", "UnknownTokenRule", "Reservation", "RoamingToken", "None"]),
  authorizedAt: Millis,
  parentUid: optional(Schema.String),
  startedAt: Millis,
  endedAt: optional(Millis),
  meterStartWh: Whole,
  meterStopWh: optional(Whole),
  energyWh: Whole,
  stopReason: optional(Schema.String),
  heldReason: optional(Schema.String),
  createdAt: Millis,
  updatedAt: Millis
})

/** A period of a price, as it is stored. */
export const PeriodRow = Schema.Struct({
  startedAt: Schema.Finite,
  endedAt: Schema.Finite,
  energyWh: Schema.Int,
  charging: Schema.Boolean,
  elements: Schema.Record(Schema.String, Schema.Int)
})

const Price = Schema.Struct({
  currency: Schema.String,
  exclVat: Schema.Finite,
  inclVat: Schema.Finite,
  periods: Schema.Array(PeriodRow)
})

/** With the price that was last made of it. */
export const PricedRow = Schema.Struct({ ...SessionRow.fields, price: Schema.NullOr(Price) })

/** The domain's session of a row. */
export const sessionOf = (row: typeof PricedRow.Type): ChargingSession => {
  const { authorizationSource, authorizationStatus, authorizedAt, parentUid, price, ...rest } = row
  return {
    ...rest,
    price: price ?? undefined,
    authorization: {
      status: authorizationStatus,
      source: authorizationSource,
      decidedAt: authorizedAt,
      // Until when the answer may be cached by the charger is not kept with the session.
      expiresAt: undefined,
      parentUid
    }
  }
}

/** Of `session s`. */
export const sessionColumns = (sql: SqlClient.SqlClient) => sql`
  s.id, s.organisation_id AS "organisationId", s.charger_id AS "chargerId", s.site_id AS "siteId", s.evse_id AS "evseId",
  s.connector_id AS "connectorId", s.transaction_id AS "transactionId", s.ocpp_version AS "ocppVersion",
  s.token_uid AS "tokenUid", s.status, s.authorization_status AS "authorizationStatus",
  s.authorization_source AS "authorizationSource", s.authorized_at AS "authorizedAt", s.parent_uid AS "parentUid",
  s.started_at AS "startedAt", s.ended_at AS "endedAt", s.meter_start_wh AS "meterStartWh", s.meter_stop_wh AS "meterStopWh",
  s.energy_wh AS "energyWh", s.stop_reason AS "stopReason", s.held_reason AS "heldReason", s.created_at AS "createdAt",
  s.updated_at AS "updatedAt"`

/** Beside `session s`: its price as `p.price`. */
export const withPrice = (sql: SqlClient.SqlClient) => sql`
  LEFT JOIN session_price p ON p.session_id = s.id AND p.organisation_id = s.organisation_id`
