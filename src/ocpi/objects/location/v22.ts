/**
 * Locations in OCPI 2.2 §8.3. Lost there: what lies beyond 45 characters of an address and 20 of a state, connectors of kinds that came later, that an evse
 * with several connectors must get which, two phases (one is said), and the last minute of days that end at 24:00.
 */
import type { Location, LocationConnector, LocationEvse } from "../../../domain/site/Location.ts"
import type { WireEncoder } from "../Strict.ts"
import { locationEncoders } from "./since22.ts"
import { enums22 } from "./Enums.ts"

const encoders = locationEncoders(enums22)

export const locationV22: WireEncoder<Location> = encoders.location
export const evseV22: WireEncoder<LocationEvse> = encoders.evse
export const connectorV22: WireEncoder<LocationConnector> = encoders.connector
