/**
 * Where on a charger: OCPP 1.6 numbers its connectors from 1 and means the whole charger by 0 (§3.6); the domain has evses with
 * connectors. Both ways are here and nowhere else.
 */
import type { Place } from "../../domain/site/Connector.ts"

/** Highest connectorId that is taken: the domain's numbers are 32-bit integers. */
export const highestConnectorId = 0x7fffffff

export const wholeCharger: Place = { evseId: 0, connectorId: 0 }

/** connectorId 0 is the whole charger; n is the one connector of evse n. */
export const placeOf = (connectorId: number): Place =>
  connectorId === 0 ? wholeCharger : { evseId: connectorId, connectorId: 1 }

/** The other way. An evse of a 1.6 charger has one connector, so its number says all. */
export const connectorIdOf = (place: Place): number => place.evseId

/** The same for a place that need not be named. */
export const optionalConnectorIdOf = (place: Place | undefined): number | undefined =>
  place === undefined ? undefined : connectorIdOf(place)
