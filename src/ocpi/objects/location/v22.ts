/**
 * Locations in OCPI 2.2 §8.3. It loses addresses beyond 45 characters and states beyond 20, newer connector types, the capability that a
 * start must name a connector, two phases (one is sent), and the last minute of days that end at 24:00.
 */
import type { Location, LocationConnector, LocationEvse } from "../../../domain/site/Location.ts"
import type { WireEncoder } from "../Strict.ts"
import { locationEncoders } from "./since22.ts"
import { enums22 } from "./Enums.ts"

const encoders = locationEncoders(enums22)

export const locationV22: WireEncoder<Location> = encoders.location
export const evseV22: WireEncoder<LocationEvse> = encoders.evse
export const connectorV22: WireEncoder<LocationConnector> = encoders.connector
