/** Where `session s` is, with the names that partners know for its site and EVSE: for code that prices sessions or shows them. */
import type { SqlClient, Statement } from "effect/sql"

/** Joins to `session s`: its connector's equipment as `e`, its charger as `c`, its site as `i`, the site's party as `q`, and its EVSE as `u`. */
export const withPlace = (sql: SqlClient.SqlClient) => sql`
  LEFT JOIN charger_equipment e ON e.charger_id = s.charger_id AND e.evse_id = s.evse_id AND e.connector_id = s.connector_id
  LEFT JOIN charger c ON c.charger_id = s.charger_id AND c.organisation_id = s.organisation_id
  LEFT JOIN site i ON i.id = s.site_id AND i.organisation_id = s.organisation_id
  LEFT JOIN party q ON q.organisation_id = s.organisation_id AND (q.id = i.party_id OR (i.party_id IS NULL AND q.is_default))
  LEFT JOIN evse u ON u.organisation_id = s.organisation_id AND u.charger_id = s.charger_id AND u.evse_id = s.evse_id
    AND u.site_id = s.site_id`

/** What partners see of the location, with only the EVSE and connector of `session s`; null if they do not see the location. */
const shown = (sql: SqlClient.SqlClient) => sql`
  (SELECT jsonb_strip_nulls(jsonb_build_object('operator', l.body -> 'operator', 'timeZone', l.body -> 'timeZone',
      'openingHours', l.body -> 'openingHours', 'details', l.body -> 'details', 'capabilities', v.evse -> 'capabilities',
      'evse', v.evse -> 'details', 'termsAndConditions', o.connector -> 'termsAndConditions'))
    FROM location l
    LEFT JOIN LATERAL (SELECT x.evse FROM jsonb_array_elements(l.body -> 'evses') AS x(evse)
      WHERE x.evse ->> 'uid' = u.uid::text LIMIT 1) v ON true
    LEFT JOIN LATERAL (SELECT x.connector FROM jsonb_array_elements(v.evse -> 'connectors') AS x(connector)
      WHERE x.connector ->> 'id' = s.connector_id::text LIMIT 1) o ON true
    WHERE l.id = s.site_id AND l.organisation_id = s.organisation_id)`

/** A `Place` as JSON; with what partners see of the location if `isShown` is true for `session s`. */
export const placeColumn = (sql: SqlClient.SqlClient, isShown: Statement.Fragment) => sql`
  json_strip_nulls(json_build_object(
    'party', CASE WHEN q.id IS NOT NULL THEN json_build_object('countryCode', q.country_code, 'partyId', q.party_id) END,
    'evseUid', u.uid, 'publicEvseId', u.public_id,
    'siteName', i.name, 'streetAddress', i.street_address, 'streetNumber', i.street_number, 'houseLetter', i.house_letter,
    'postalNumber', i.postal_number, 'city', i.city, 'area', i.area, 'country', i.country, 'latitude', i.latitude, 'longitude', i.longitude,
    'chargerName', c.name, 'standard', e.standard, 'format', e.format, 'powerType', e.power_type, 'maxVoltage', e.max_voltage,
    'maxAmperage', e.max_amperage, 'maxPowerW', e.max_power_w, 'shown', CASE WHEN ${isShown} THEN ${shown(sql)} END))`
