/** Locations as they are stored ready to be sent: JSON for each version, by the version's number. */
import type { Location } from "../../../domain/site/Location.ts"
import { asForEverybody } from "../../../domain/site/Publication.ts"
import type { OcpiVersion } from "../../protocol/Version.ts"
import type { WireEncoder } from "../Strict.ts"
import { locationV211 } from "./v211.ts"
import { locationV22 } from "./v22.ts"
import { locationV221 } from "./v221.ts"

/** The encoder of one version, and the key under which its texts are stored. */
export interface WireLocation extends WireEncoder<Location> {
  readonly format: OcpiVersion
  /** The location as this version shows it; undefined if it is not shown. */
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
