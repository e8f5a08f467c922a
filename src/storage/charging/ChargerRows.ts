/**
 * A charger with all that is known about it, read in one statement: what the operator registered, its connectors with their equipment, its
 * configuration, when it was last heard from and whether a connection is open. The same statement reads one charger or a page of them.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Charger } from "../../domain/charger/Charger.ts"
import { connectorStatuses } from "../../domain/site/Connector.ts"
import { NotFound } from "../../domain/Errors.ts"
import type { ChargerFilter } from "../../domain/charger/Chargers.ts"
import { EvseDetails } from "../../domain/site/Details.ts"
import type { ChargerRecord } from "../../domain/event/RecordFact.ts"
import { isChargerId } from "../../domain/values/ChargerId.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { Millis, optional, rowOf } from "../kernel/Rows.ts"
import type { Scoped } from "../kernel/Scoped.ts"
import { unstorableText } from "../kernel/Storable.ts"
import { mentions } from "../kernel/TextSearch.ts"
import type { Secrets } from "../../domain/values/Secrets.ts"
import { openedConfiguration, StoredConfiguration } from "./SealedConfiguration.ts"
import { registrations } from "../../domain/values/Registration.ts"

const text = optional(Schema.String)

export const Equipment = Schema.Struct({
  standard: Schema.String,
  format: Schema.Literals(["SOCKET", "CABLE"]),
  powerType: Schema.String,
  maxVoltage: Schema.Int,
  maxAmperage: Schema.Int,
  maxPowerW: Schema.Int,
  /** Absent if none is set. */
  termsAndConditions: Schema.optionalKey(Schema.String)
})

/** The equipment in a row of `charger_equipment`, as JSON. */
export const equipmentJson = (sql: SqlClient.SqlClient, alias: string) => sql`
  jsonb_strip_nulls(jsonb_build_object('standard', ${sql(alias)}.standard, 'format', ${sql(alias)}.format,
    'powerType', ${sql(alias)}.power_type, 'maxVoltage', ${sql(alias)}.max_voltage, 'maxAmperage', ${sql(alias)}.max_amperage,
    'maxPowerW', ${sql(alias)}.max_power_w, 'termsAndConditions', ${sql(alias)}.terms_and_conditions))`

/** The details that are set for an EVSE, with its number. */
export const DescribedEvse = Schema.Struct({ evseId: Schema.Int, ...EvseDetails.fields })

/** The EVSE details of `charger c`, as JSON; null if none are set. */
export const evsesJson = (sql: SqlClient.SqlClient) => sql`
  (SELECT jsonb_agg(v.details || jsonb_build_object('evseId', v.evse_id) ORDER BY v.evse_id)
    FROM charger_evse v WHERE v.charger_id = c.charger_id)`

export const ConnectorStatus = Schema.Literals(connectorStatuses)

/** Built as JSON in SQL, so that a charger's connectors come in its own row. */
const ConnectorJson = Schema.Struct({
  evseId: Schema.Int,
  connectorId: Schema.Int,
  status: ConnectorStatus,
  errorCode: text,
  info: text,
  vendorId: text,
  vendorErrorCode: text,
  /** ms epoch. */
  statusAt: Schema.Finite,
  equipment: optional(Equipment)
})

const SecurityProfile = Schema.Literals([0, 1, 2, 3])
const Registration = Schema.Literals(registrations)

export const ChargerRow = Schema.Struct({
  chargerId: Schema.String,
  organisationId: Schema.String,
  siteId: Schema.String,
  name: Schema.String,
  securityProfile: SecurityProfile,
  registration: Registration,
  ocppVersion: text,
  manufacturer: Schema.String,
  model: Schema.String,
  serialNumber: Schema.String,
  registeredSerialNumber: text,
  firmwareVersion: Schema.String,
  bootedAt: optional(Millis),
  configuration: optional(StoredConfiguration),
  connectors: optional(Schema.Array(ConnectorJson)),
  evses: optional(Schema.Array(DescribedEvse)),
  lastSeen: optional(Millis),
  lastMessage: Schema.String,
  epoch: optional(Schema.Finite),
  connected: Schema.Boolean,
  offlineSince: optional(Millis),
  pushed: Schema.Boolean,
  createdAt: Millis,
  updatedAt: Millis
})

/** The last message of `charger_seen s`: its first `chars` characters, or all of it. */
const lastMessage = (sql: SqlClient.SqlClient, chars: number | undefined) =>
  chars === undefined ? sql`coalesce(s.last_message, '')` : sql`coalesce(left(s.last_message, ${chars}::int), '')`

/** Whether a connection `n` is open and held by a node `l` whose lease has not expired. */
export const isConnected = (sql: SqlClient.SqlClient) => sql`(n.closed_at IS NULL AND l.lease_until > now()) IS TRUE`

/** The conditions of a filter on `selectChargers`; undefined if nothing can match. */
export const chargerConditions = (sql: SqlClient.SqlClient, filter: ChargerFilter) => {
  const { connected, firmwareVersion, model, siteId, status, text: searched } = filter
  // Text that is not a UUID cannot be a site's id, so nothing matches.
  if (siteId !== undefined && !isUuid(siteId)) return undefined
  if ([firmwareVersion, model, searched].some((one) => one !== undefined && unstorableText(one))) return undefined
  const columns = [sql`c.charger_id`, sql`c.name`, sql`c.serial_number`, sql`c.manufacturer`, sql`c.model`]
  return sql.and([
    sql`true`,
    ...(siteId === undefined ? [] : [sql`c.site_id = ${siteId}`]),
    ...(firmwareVersion === undefined ? [] : [sql`c.firmware_version = ${firmwareVersion}`]),
    ...(model === undefined ? [] : [sql`c.model = ${model}`]),
    ...(searched === undefined ? [] : [mentions(sql, columns, searched)]),
    ...(connected === undefined ? [] : [connected ? isConnected(sql) : sql`NOT ${isConnected(sql)}`]),
    ...(status === undefined
      ? []
      : [sql`EXISTS (SELECT 1 FROM connector w WHERE w.charger_id = c.charger_id AND w.status = ${status})`])
  ])
}

/**
 * `SELECT … FROM charger c …` up to its WHERE. It includes connectors and configuration, so that a page needs no query per charger. The
 * last message is cut to `messageChars` characters.
 */
export const selectChargers = (sql: SqlClient.SqlClient, messageChars?: number) => sql`
  SELECT c.charger_id AS "chargerId", c.organisation_id AS "organisationId", c.site_id AS "siteId", c.name,
    c.security_profile AS "securityProfile", c.registration, c.ocpp_version AS "ocppVersion", c.manufacturer, c.model,
    c.serial_number AS "serialNumber", c.registered_serial AS "registeredSerialNumber", c.firmware_version AS "firmwareVersion", c.booted_at AS "bootedAt",
    c.created_at AS "createdAt", c.updated_at AS "updatedAt", g.keys AS configuration, k.connectors, ${evsesJson(sql)} AS evses,
    s.last_seen AS "lastSeen", ${lastMessage(sql, messageChars)} AS "lastMessage",
    n.epoch::float8 AS epoch, ${isConnected(sql)} AS connected,
    -- A node that is gone could not close what it held: its lease is the last that is known.
    CASE WHEN n.closed_at IS NOT NULL THEN n.closed_at WHEN l.lease_until <= now() THEN l.lease_until END AS "offlineSince",
    EXISTS (SELECT 1 FROM webhook w JOIN subscription b ON b.id = w.id AND b.active
      WHERE w.organisation_id = c.organisation_id AND (w.site_ids IS NULL OR c.site_id = ANY (w.site_ids))) AS pushed
  FROM charger c
  LEFT JOIN charger_configuration g ON g.charger_id = c.charger_id
  LEFT JOIN charger_seen s ON s.charger_id = c.charger_id
  LEFT JOIN connection n ON n.charger_id = c.charger_id
  LEFT JOIN node l ON l.node_id = n.node_id
  LEFT JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_object(
      'evseId', k.evse_id, 'connectorId', k.connector_id, 'status', k.status, 'errorCode', k.error_code, 'info', k.info,
      'vendorId', k.vendor_id, 'vendorErrorCode', k.vendor_error_code, 'statusAt', trunc(extract(epoch FROM k.status_at) * 1000),
      'equipment', CASE WHEN e.charger_id IS NOT NULL THEN ${equipmentJson(sql, "e")} END
    ) ORDER BY k.evse_id, k.connector_id) AS connectors
    FROM connector k
    LEFT JOIN charger_equipment e
      ON e.charger_id = k.charger_id AND e.evse_id = k.evse_id AND e.connector_id = k.connector_id
    WHERE k.charger_id = c.charger_id
  ) k ON true`

/** Converts a row to the domain's charger: EVSE 0 is the whole charger and not a connector. Secrets in its configuration stay masked. */
export const chargerOf = ({ configuration, connectors = [], ...row }: typeof ChargerRow.Type): Charger => ({
  ...row,
  configuration: (configuration ?? []).map(({ key, readonly, value }) => ({
    key,
    value: value ?? undefined,
    readonly
  })),
  connectors: connectors.filter(({ evseId }) => evseId > 0),
  wholeStatus: connectors.find(({ evseId }) => evseId === 0)?.status
})

/** What the operator set for a charger, including equipment of connectors that the charger has not reported. */
const RecordRow = Schema.Struct({
  chargerId: Schema.String,
  siteId: Schema.String,
  name: Schema.String,
  securityProfile: SecurityProfile,
  registration: Registration,
  hasPassword: Schema.Boolean,
  registeredSerialNumber: text,
  equipment: optional(
    Schema.Array(Schema.Struct({ evseId: Schema.Int, connectorId: Schema.Int, ...Equipment.fields }))
  ),
  evses: optional(Schema.Array(DescribedEvse))
})

const selectRecord = (sql: SqlClient.SqlClient) => sql`
  SELECT c.charger_id AS "chargerId", c.site_id AS "siteId", c.name, c.security_profile AS "securityProfile", c.registration,
    c.password_verifier IS NOT NULL AS "hasPassword", c.registered_serial AS "registeredSerialNumber", (
      SELECT jsonb_agg(jsonb_build_object('evseId', e.evse_id, 'connectorId', e.connector_id) || ${equipmentJson(sql, "e")}
        ORDER BY e.evse_id, e.connector_id)
      FROM charger_equipment e WHERE e.charger_id = c.charger_id
    ) AS equipment, ${evsesJson(sql)} AS evses
  FROM charger c`

const recordOf = ({ equipment, evses, registeredSerialNumber, ...row }: typeof RecordRow.Type) =>
  ({
    ...row,
    equipment: equipment ?? [],
    ...(registeredSerialNumber === undefined ? {} : { registeredSerialNumber }),
    ...(evses === undefined ? {} : { evses })
  }) satisfies ChargerRecord

const chargerRow = rowOf(ChargerRow)
const recordRow = rowOf(RecordRow)

const notFound = (id: string): NotFound => new NotFound({ kind: "charger", id })

const findRow = (sql: SqlClient.SqlClient, own: Scoped, chargerId: string) =>
  Effect.gen(function* () {
    const row = isChargerId(chargerId)
      ? yield* chargerRow(own`${selectChargers(sql)} WHERE ${own.rowsOf("c")} AND c.charger_id = ${chargerId}`)
      : undefined
    return row ?? (yield* notFound(chargerId))
  })

/** An organisation's charger by its id. */
export const findCharger = (sql: SqlClient.SqlClient, own: Scoped, chargerId: string) =>
  Effect.map(findRow(sql, own, chargerId), chargerOf)

/** The same with the secrets of its configuration. */
export const findWhole = (
  { secrets, sql }: { readonly sql: SqlClient.SqlClient; readonly secrets: Secrets["Service"] },
  own: Scoped,
  chargerId: string
) =>
  Effect.map(findRow(sql, own, chargerId), (row) => ({
    ...chargerOf(row),
    configuration: openedConfiguration(secrets, row.configuration ?? [])
  }))

/** The operator's part of a charger, for facts and for checking a change. */
export const findRecord = (sql: SqlClient.SqlClient, own: Scoped, chargerId: string) =>
  Effect.gen(function* () {
    const row = isChargerId(chargerId)
      ? yield* recordRow(own`${selectRecord(sql)} WHERE ${own.rowsOf("c")} AND c.charger_id = ${chargerId}`)
      : undefined
    return row === undefined ? yield* notFound(chargerId) : recordOf(row)
  })
