/**
 * Where energy was delivered, as it was when the CDR was issued (OCPI 2.2.1 `mod_cdrs` CdrLocation). Later changes of sites and chargers do not
 * affect it. Data that was not known then is missing.
 */
import type { Company, EvseDetails } from "./Details.ts"
import type { Capability, LocationDetails } from "./Location.ts"
import type { OpeningHours } from "./OpeningHours.ts"
import type { BusinessDetails } from "../roaming/Party.ts"
import type { PartyId } from "../values/PartyId.ts"

/** The rest of the location as partners saw it, with the EVSE and connector that were used. */
export interface ShownPlace {
  readonly operator: BusinessDetails | Company
  readonly timeZone: string
  readonly openingHours?: OpeningHours | undefined
  readonly details?: LocationDetails | undefined
  readonly capabilities?: ReadonlyArray<Capability> | undefined
  readonly evse?: EvseDetails | undefined
  readonly termsAndConditions?: string | undefined
}

export interface Place {
  /** The organisation's party that owns the site. Missing in places that were stored before there were partners. */
  readonly party?: PartyId
  /** The EVSE by its ids for partners; missing if its connectors were never reported. */
  readonly evseUid?: string
  /** The ISO 15118 id. */
  readonly publicEvseId?: string
  readonly siteName?: string
  readonly streetAddress?: string
  readonly streetNumber?: string
  readonly houseLetter?: string
  readonly postalNumber?: string
  readonly city?: string
  readonly area?: string
  /** ISO 3166-1 alpha-3. */
  readonly country?: string
  readonly latitude?: number
  readonly longitude?: number
  /** Missing if the charger had been removed. */
  readonly chargerName?: string
  /** OCPI's enumerations. All equipment is missing if the operator has set nothing for the connector. */
  readonly standard?: string
  readonly format?: string
  readonly powerType?: string
  readonly maxVoltage?: number
  readonly maxAmperage?: number
  readonly maxPowerW?: number
  /**
   * Only for partners' drivers: OCPI versions before 2.2 include the whole location in sessions and CDRs. Missing if partners were shown none, and in
   * records of the first versions.
   */
  readonly shown?: ShownPlace
}
