/** Locations as they are kept ready to be sent: JSON in the words of each version, by the version's number. */
import type { Location } from "../../../domain/site/Location.ts"
import { asForEverybody } from "../../../domain/site/Publication.ts"
import type { OcpiVersion } from "../../protocol/Version.ts"
import type { WireEncoder } from "../Strict.ts"
import { locationV211 } from "./v211.ts"
import { locationV22 } from "./v22.ts"
import { locationV221 } from "./v221.ts"

/** Locations of one version, and by which name their texts are kept. */
export interface WireLocation extends WireEncoder<Location> {
  readonly format: OcpiVersion
  /** A location as it is shown in this version; undefined where it is not. */
  readonly shown: (location: Location) => Location | undefined
}

const asItIs = (location: Location): Location => location

export const wireLocations: Readonly<Record<OcpiVersion, WireLocation>> = {
  "2.1.1": { format: "2.1.1", shown: asForEverybody, ...locationV211 },
  "2.2": { format: "2.2", shown: asItIs, ...locationV22 },
  "2.2.1": { format: "2.2.1", shown: asItIs, ...locationV221 }
}

const textOf = (version: OcpiVersion, location: Location): string | undefined => {
  const { encode, shown } = wireLocations[version]
  const one = shown(location)
  return one === undefined ? undefined : JSON.stringify(encode(one))
}

export const locationTexts = (location: Location): Readonly<Record<OcpiVersion, string | undefined>> => ({
  "2.1.1": textOf("2.1.1", location),
  "2.2": textOf("2.2", location),
  "2.2.1": textOf("2.2.1", location)
})
