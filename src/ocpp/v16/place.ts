/**
 * Converts places on a charger: OCPP 1.6 numbers its connectors from 1, and 0 means the whole charger (§3.6); the
 * domain has EVSEs with connectors. Both directions are here and nowhere else.
 */
import type { Place } from "../../domain/site/Connector.ts"

/** Highest connectorId that is accepted: the domain's numbers are 32-bit integers. */
export const highestConnectorId = 0x7fffffff

export const wholeCharger: Place = { evseId: 0, connectorId: 0 }

/** connectorId 0 is the whole charger; n is the only connector of EVSE n. */
export const placeOf = (connectorId: number): Place =>
  connectorId === 0 ? wholeCharger : { evseId: connectorId, connectorId: 1 }

/** The other direction. An EVSE of a 1.6 charger has only one connector, so its number is enough. */
export const connectorIdOf = (place: Place): number => place.evseId

/** The same for an optional place. */
export const optionalConnectorIdOf = (place: Place | undefined): number | undefined =>
  place === undefined ? undefined : connectorIdOf(place)
