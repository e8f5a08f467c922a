/** The data that locations are made of, read in one statement for many sites, and stored locations. Part of `Locations`. */
import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { assumedEquipment } from "../../domain/site/Connector.ts"
import { Company, EvseDetails, SiteDetails } from "../../domain/site/Details.ts"
import { capabilities, type Location } from "../../domain/site/Location.ts"
import type { LocationSources } from "../../domain/site/LocationSources.ts"
import type { AssignedTariff } from "../../domain/tariff/Choice.ts"
import { uuidArray } from "../kernel/Arrays.ts"
import { ConnectorStatus, DescribedEvse, Equipment, equipmentJson, evsesJson } from "../charging/ChargerRows.ts"
import { optional, rowsOf } from "../kernel/Rows.ts"
import { assignmentOf } from "../tariffs/TariffRows.ts"
import { registrations } from "../../domain/values/Registration.ts"
import { evseStatuses } from "../../domain/site/EvseStatus.ts"
import { assignmentScopes } from "../../domain/tariff/Tariff.ts"

const text = optional(Schema.String)
const number = optional(Schema.Finite)

/** The address of a site, for all rows with one. */
export const addressFields = {
  name: Schema.String,
  timeZone: Schema.String,
  streetAddress: text,
  streetNumber: text,
  houseLetter: text,
  postalNumber: text,
  city: text,
  area: text,
  country: text,
  latitude: number,
  longitude: number
}

const Periods = Schema.optional(Schema.Array(Schema.Struct({ periodBegin: Schema.String, periodEnd: Schema.String })))

const OpeningHours = Schema.Struct({
  twentyfourseven: Schema.Boolean,
  regularHours: Schema.optional(
    Schema.Array(Schema.Struct({ weekday: Schema.Int, periodBegin: Schema.String, periodEnd: Schema.String }))
  ),
  exceptionalOpenings: Periods,
  exceptionalClosings: Periods
})

const Business = Schema.Struct({ name: Schema.String, website: Schema.optional(Schema.String) })

const { operator: _, ...locationDetails } = SiteDetails.fields

const absent = <S extends Schema.Constraint>(schema: S) => Schema.optional(schema)

export const Capabilities = Schema.Array(Schema.Literals(capabilities))

/** A location in its stored form; undefined fields are absent. */
export const LocationBody = Schema.Struct({
  id: Schema.String,
  organisationId: Schema.String,
  party: Schema.Struct({ countryCode: Schema.String, partyId: Schema.String }),
  operator: Company,
  name: Schema.String,
  address: Schema.String,
  postalCode: absent(Schema.String),
  city: Schema.String,
  state: absent(Schema.String),
  country: Schema.String,
  latitude: Schema.Finite,
  longitude: Schema.Finite,
  timeZone: Schema.String,
  openingHours: absent(OpeningHours),
  evses: Schema.Array(
    Schema.Struct({
      uid: Schema.String,
      evseId: absent(Schema.String),
      status: Schema.Literals(evseStatuses),
      capabilities: Capabilities,
      connectors: Schema.Array(
        Schema.Struct({
          id: Schema.String,
          ...Equipment.fields,
          assumed: Schema.Boolean,
          tariffId: absent(Schema.String),
          laterTariffIds: Schema.Array(Schema.String),
          lastUpdated: Schema.Finite
        })
      ),
      details: absent(EvseDetails),
      lastUpdated: Schema.Finite
    })
  ),
  details: absent(Schema.Struct(locationDetails)),
  unpublishedAt: absent(Schema.Finite),
  lastUpdated: Schema.Finite
})

/** Fields that are left out are undefined. */
export const locationOfBody = (kept: typeof LocationBody.Type): Location => ({
  ...kept,
  postalCode: kept.postalCode,
  state: kept.state,
  openingHours: kept.openingHours,
  evses: kept.evses.map((evse) => ({
    ...evse,
    evseId: evse.evseId,
    connectors: evse.connectors.map((connector) => ({ ...connector, tariffId: connector.tariffId }))
  }))
})

const SourcesRow = Schema.Struct({
  siteId: Schema.String,
  organisationId: Schema.String,
  site: optional(
    Schema.Struct({
      id: Schema.String,
      ...addressFields,
      openingHours: optional(OpeningHours),
      details: optional(SiteDetails)
    })
  ),
  party: Schema.Struct({ countryCode: Schema.String, partyId: Schema.String, businessDetails: Business }),
  chargers: optional(
    Schema.Array(
      Schema.Struct({
        chargerId: Schema.String,
        registration: Schema.Literals(registrations),
        connected: Schema.Boolean,
        profiles: text,
        connectors: optional(
          Schema.Array(
            Schema.Struct({
              evseId: Schema.Int,
              connectorId: Schema.Int,
              status: ConnectorStatus,
              equipment: optional(Equipment)
            })
          )
        ),
        evses: optional(Schema.Array(DescribedEvse))
      })
    )
  ),
  evses: optional(
    Schema.Array(
      Schema.Struct({
        uid: Schema.String,
        publicId: Schema.String,
        chargerId: Schema.String,
        evseId: Schema.Int,
        removed: Schema.Boolean,
        usedAgain: Schema.Boolean
      })
    )
  ),
  tariffs: optional(
    Schema.Array(
      Schema.Struct({
        tariffId: Schema.String,
        scope: Schema.Literals(assignmentScopes),
        target: Schema.String,
        evseId: Schema.Int,
        connectorId: Schema.Int,
        startsAt: number,
        endsAt: number
      })
    )
  ),
  before: optional(LocationBody),
  ripe: Schema.Boolean
})

export const sourcesRows = rowsOf(SourcesRow)

type Row = typeof SourcesRow.Type

/** The feature profiles, which OCPP 1.6 separates by commas. */
const profilesOf = (value: string | undefined): ReadonlyArray<string> =>
  (value ?? "")
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")

const chargerOf = ({ connectors = [], profiles, ...charger }: NonNullable<Row["chargers"]>[number]) => ({
  ...charger,
  featureProfiles: profilesOf(profiles),
  wholeStatus: connectors.find(({ evseId }) => evseId === 0)?.status,
  connectors: connectors
    .filter(({ evseId }) => evseId > 0)
    .map(({ equipment, ...connector }) => ({
      ...connector,
      equipment: equipment ?? assumedEquipment,
      assumed: equipment === undefined
    }))
})

const tariffOf = (row: NonNullable<Row["tariffs"]>[number]): AssignedTariff => ({
  tariffId: row.tariffId,
  assignment: assignmentOf(row),
  startsAt: row.startsAt,
  endsAt: row.endsAt
})

const siteOf = ({ details, ...site }: NonNullable<Row["site"]>, organisationId: string): LocationSources["site"] => ({
  ...site,
  ...details,
  organisationId
})

export const sourcesOf = ({
  chargers = [],
  evses = [],
  organisationId,
  party,
  site,
  tariffs = []
}: Row): LocationSources => ({
  site: site === undefined ? undefined : siteOf(site, organisationId),
  party,
  chargers: chargers.map(chargerOf),
  evses,
  tariffs: tariffs.map(tariffOf)
})

export interface WantedSite {
  readonly organisationId: string
  readonly siteId: string
}

/**
 * The data for the locations of sites, including deleted ones, for all organisations at once. `ripe` is true for a site that has changed
 * only by time since it was read: it became due, or the lease of a node with one of its chargers ran out.
 */
export const sourcesOfSites = (sql: SqlClient.SqlClient, wanted: ReadonlyArray<WantedSite>, now: number) =>
  sourcesRows(sql`
    SELECT w.site_id AS "siteId", w.organisation_id AS "organisationId",
      CASE WHEN s.id IS NOT NULL THEN jsonb_build_object('id', s.id, 'name', s.name, 'timeZone', s.time_zone,
        'streetAddress', s.street_address, 'streetNumber', s.street_number, 'houseLetter', s.house_letter,
        'postalNumber', s.postal_number, 'city', s.city, 'area', s.area, 'country', s.country, 'latitude', s.latitude,
        'longitude', s.longitude, 'openingHours', s.opening_hours, 'details', s.details) END AS site,
      jsonb_build_object('countryCode', p.country_code, 'partyId', p.party_id,
        'businessDetails', coalesce(p.business_details, jsonb_build_object('name', o.name))) AS party,
      k.chargers, e.evses, t.tariffs, l.body AS before,
      (l.due_at <= ${new Date(now)} OR l.looked_at < k.dead_since) IS TRUE AS ripe
    FROM unnest(${uuidArray(wanted.map((one) => one.organisationId))}, ${uuidArray(wanted.map((one) => one.siteId))})
      AS w(organisation_id, site_id)
    JOIN organisation o ON o.id = w.organisation_id
    LEFT JOIN site s ON s.id = w.site_id AND s.organisation_id = w.organisation_id
    JOIN party p ON p.id = coalesce(s.party_id, (SELECT d.id FROM party d WHERE d.organisation_id = w.organisation_id AND d.is_default))
    LEFT JOIN location l ON l.id = w.site_id AND l.organisation_id = w.organisation_id
    LEFT JOIN LATERAL (
      SELECT jsonb_agg(jsonb_build_object('chargerId', c.charger_id, 'registration', c.registration,
        'connected', (n.closed_at IS NULL AND x.lease_until > now()) IS TRUE,
        'profiles', (SELECT key ->> 'value' FROM charger_configuration f, jsonb_array_elements(f.keys) AS key
          WHERE f.charger_id = c.charger_id AND lower(key ->> 'key') = 'supportedfeatureprofiles' LIMIT 1),
        'connectors', (
          SELECT jsonb_agg(jsonb_build_object('evseId', k.evse_id, 'connectorId', k.connector_id, 'status', k.status,
            'equipment', CASE WHEN q.charger_id IS NOT NULL THEN ${equipmentJson(sql, "q")} END) ORDER BY k.evse_id, k.connector_id)
          FROM connector k LEFT JOIN charger_equipment q
            ON q.charger_id = k.charger_id AND q.evse_id = k.evse_id AND q.connector_id = k.connector_id
          WHERE k.charger_id = c.charger_id),
        'evses', ${evsesJson(sql)}) ORDER BY c.charger_id) AS chargers,
        max(x.lease_until) FILTER (WHERE n.closed_at IS NULL AND x.lease_until <= now()) AS dead_since
      FROM charger c LEFT JOIN connection n ON n.charger_id = c.charger_id LEFT JOIN node x ON x.node_id = n.node_id
      WHERE c.site_id = w.site_id
    ) k ON true
    LEFT JOIN LATERAL (
      SELECT jsonb_agg(jsonb_build_object('uid', e.uid, 'publicId', e.public_id, 'chargerId', e.charger_id, 'evseId', e.evse_id,
        'removed', e.removed_at IS NOT NULL, 'usedAgain', EXISTS (SELECT 1 FROM evse o WHERE o.organisation_id = e.organisation_id
          AND o.number = e.number AND o.site_id <> e.site_id AND o.removed_at IS NULL)) ORDER BY e.number, e.uid) AS evses
      FROM evse e WHERE e.site_id = w.site_id
    ) e ON true
    LEFT JOIN LATERAL (
      SELECT jsonb_agg(jsonb_build_object('tariffId', a.tariff_id, 'scope', a.scope, 'target', a.target, 'evseId', a.evse_id,
        'connectorId', a.connector_id, 'startsAt', extract(epoch FROM f.starts_at) * 1000, 'endsAt', extract(epoch FROM f.ends_at) * 1000)
        ORDER BY a.scope, a.target, a.evse_id, a.connector_id) AS tariffs
      FROM tariff_assignment a JOIN tariff f ON f.id = a.tariff_id
      WHERE a.organisation_id = w.organisation_id AND (a.scope = 'organisation' OR (a.scope = 'site' AND a.target = w.site_id::text)
        OR (a.scope IN ('charger', 'connector') AND a.target IN (SELECT c.charger_id FROM charger c WHERE c.site_id = w.site_id)))
    ) t ON true`)
