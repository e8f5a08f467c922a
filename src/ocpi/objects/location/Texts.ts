/** Locations as they are kept ready to be sent: JSON in the words of each version, by the version's number. */
import type { Location } from "../../../domain/location/Location.ts"
import type { OcpiVersion } from "../../Version.ts"
import type { WireEncoder } from "../Strict.ts"
import { locationV211 } from "./v211.ts"
import { locationV22 } from "./v22.ts"
import { locationV221 } from "./v221.ts"

/** Locations of one version, and by which name their texts are kept. */
export interface WireLocation extends WireEncoder<Location> {
  readonly format: OcpiVersion
}

export const wireLocations: Readonly<Record<OcpiVersion, WireLocation>> = {
  "2.1.1": { format: "2.1.1", ...locationV211 },
  "2.2": { format: "2.2", ...locationV22 },
  "2.2.1": { format: "2.2.1", ...locationV221 }
}

export const locationTexts = (location: Location): Readonly<Record<OcpiVersion, string>> => ({
  "2.1.1": JSON.stringify(locationV211.encode(location)),
  "2.2": JSON.stringify(locationV22.encode(location)),
  "2.2.1": JSON.stringify(locationV221.encode(location))
})
