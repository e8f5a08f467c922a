/**
 * Where energy was delivered: the one connector that was used (OCPI 2.2.1 §10.4.4 CdrLocation; in 2.1.1 a whole Location without other
 * EVSEs). The charger's own identity is never included. Connector fields that the operator has not set get the values assumed for every
 * connector. Site fields that are not set are `#NA`, and coordinates are zero.
 */
import type { Place, ShownPlace } from "../../../domain/site/CdrLocation.ts"
import { assumedEquipment } from "../../../domain/site/Connector.ts"
import { printTimestamp } from "../../protocol/Timestamp.ts"
import { notApplicable, required } from "./Figures.ts"
import { companyOf, evseDetailParts, siteParts, termsOf } from "../location/Details.ts"
import { hoursOf } from "../location/Parts.ts"
import { typeOf } from "../location/v211.ts"
import { enums211 } from "../location/Enums.ts"
import { field, list } from "../Strict.ts"

/** Connector types of later versions, and the nearest type that 2.2 has. A record cannot leave the connector out. */
const nearestV22: Readonly<Record<string, string>> = {
  CHAOJI: "CHADEMO",
  DOMESTIC_M: "DOMESTIC_G",
  DOMESTIC_N: "DOMESTIC_J",
  DOMESTIC_O: "DOMESTIC_J",
  GBT_AC: "IEC_62196_T2",
  GBT_DC: "CHADEMO",
  NEMA_5_20: "DOMESTIC_B",
  NEMA_6_30: "DOMESTIC_B",
  NEMA_6_50: "DOMESTIC_B",
  NEMA_10_30: "DOMESTIC_B",
  NEMA_10_50: "DOMESTIC_B",
  NEMA_14_30: "DOMESTIC_B",
  NEMA_14_50: "DOMESTIC_B",
  MCS: "IEC_62196_T2_COMBO",
  SAE_J3400: "TESLA_S"
}
const nearestV211: Readonly<Record<string, string>> = {
  ...nearestV22,
  PANTOGRAPH_BOTTOM_UP: "IEC_62196_T2_COMBO",
  PANTOGRAPH_TOP_DOWN: "IEC_62196_T2_COMBO"
}
const nearestV221: Readonly<Record<string, string>> = { MCS: "IEC_62196_T2_COMBO", SAE_J3400: "TESLA_S" }

/** Only 2.2.1 has power types with two phases. */
const oldPower: Readonly<Record<string, string>> = { AC_2_PHASE: "AC_1_PHASE", AC_2_PHASE_SPLIT: "AC_1_PHASE" }

const coordinate = (degrees: number | undefined): string => (degrees ?? 0).toFixed(6)

/** The connector that was used. */
export interface Used {
  readonly siteId: string
  /** 0 for a reservation of any connector that becomes free. */
  readonly evseId: number
  readonly connectorId: number
  readonly place: Place | undefined
  /** The tariff that prices it; undefined if there is none. */
  readonly tariffId?: string | undefined
}

export const evseUidOf = ({ evseId, place }: Used): string =>
  evseId === 0 ? notApplicable : (place?.evseUid ?? notApplicable)

export const connectorIdOf = ({ connectorId, evseId }: Used): string =>
  evseId === 0 ? notApplicable : String(connectorId)

const siteOf = ({ place: p, siteId }: Used) => ({
  id: siteId,
  ...field("name", p?.siteName === undefined ? undefined : required(p.siteName, 255)),
  address: required([p?.streetAddress, `${p?.streetNumber ?? ""}${p?.houseLetter ?? ""}`].join(" ").trim(), 45),
  city: required(p?.city, 45)
})

const coordinatesOf = (place: Place | undefined) => ({
  coordinates: { latitude: coordinate(place?.latitude), longitude: coordinate(place?.longitude) }
})

const connectorOf = (
  { place }: Used,
  standards: Readonly<Record<string, string>>,
  powers: Readonly<Record<string, string>>
) => {
  const { format, maxAmperage, maxVoltage, powerType, standard } = { ...assumedEquipment, ...place }
  return {
    standard: standards[standard] ?? standard,
    format,
    power: powers[powerType] ?? powerType,
    maxVoltage,
    maxAmperage
  }
}

/** The other fields of a Location, if partners were shown it. */
const shownParts = (shown: ShownPlace | undefined) =>
  shown === undefined
    ? {}
    : {
        operator: companyOf(shown.operator),
        time_zone: shown.timeZone,
        ...field("opening_times", hoursOf(shown.openingHours)),
        ...siteParts(shown.details, enums211)
      }

const evseShownParts = (shown: ShownPlace | undefined) => ({
  ...list(
    "capabilities",
    (shown?.capabilities ?? []).filter((one) => enums211.capabilities.has(one))
  ),
  ...evseDetailParts(shown?.evse)
})

/**
 * A whole Location with only the EVSE and connector that were used. `status` is the required status of the EVSE. `at` is the time of this
 * state, ms epoch.
 */
export const locationV211 = (used: Used, status: string, at: number) => {
  const { format, maxAmperage, maxVoltage, power, standard } = connectorOf(used, nearestV211, oldPower)
  const { place, tariffId } = used
  const last_updated = printTimestamp(at)
  return {
    ...siteOf(used),
    type: typeOf(place?.shown?.details),
    postal_code: required(place?.postalNumber, 10),
    country: required(place?.country, 3),
    ...coordinatesOf(place),
    ...shownParts(place?.shown),
    evses: [
      {
        uid: evseUidOf(used),
        ...field("evse_id", used.evseId === 0 ? undefined : place?.publicEvseId),
        status,
        ...evseShownParts(place?.shown),
        connectors: [
          {
            id: connectorIdOf(used),
            standard,
            format,
            power_type: power,
            voltage: maxVoltage,
            amperage: maxAmperage,
            ...field("tariff_id", tariffId),
            ...termsOf(place?.shown?.termsAndConditions),
            last_updated
          }
        ],
        last_updated
      }
    ],
    last_updated
  }
}

const cdrLocation = (
  used: Used,
  standards: Readonly<Record<string, string>>,
  powers: Readonly<Record<string, string>>
) => {
  const { format, power, standard } = connectorOf(used, standards, powers)
  return {
    evse_uid: evseUidOf(used),
    evse_id: used.evseId === 0 ? notApplicable : required(used.place?.publicEvseId, 48),
    connector_id: connectorIdOf(used),
    connector_standard: standard,
    connector_format: format,
    connector_power_type: power
  }
}

export const cdrLocationV22 = (used: Used) => ({
  ...siteOf(used),
  postal_code: required(used.place?.postalNumber, 10),
  country: required(used.place?.country, 3),
  ...coordinatesOf(used.place),
  ...cdrLocation(used, nearestV22, oldPower)
})

export const cdrLocationV221 = (used: Used) => {
  const { area, country, postalNumber } = used.place ?? {}
  return {
    ...siteOf(used),
    ...field("postal_code", postalNumber === undefined ? undefined : required(postalNumber, 10)),
    ...field("state", area === undefined ? undefined : required(area, 20)),
    country: required(country, 3),
    ...coordinatesOf(used.place),
    ...cdrLocation(used, nearestV221, {})
  }
}
