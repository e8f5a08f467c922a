/**
 * Locations in OCPI 2.2.1 §8.3. It loses addresses beyond 45 characters and states beyond 20, newer connector types, and the last minute of
 * days that end at 24:00.
 */
import type { Location, LocationConnector, LocationEvse } from "../../../domain/site/Location.ts"
import type { WireEncoder } from "../Strict.ts"
import { locationEncoders } from "./since22.ts"
import { enums221 } from "./Enums.ts"

const encoders = locationEncoders(enums221)

export const locationV221: WireEncoder<Location> = encoders.location
export const evseV221: WireEncoder<LocationEvse> = encoders.evse
export const connectorV221: WireEncoder<LocationConnector> = encoders.connector
