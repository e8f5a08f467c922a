/**
 * The enumerations of each version for connectors and EVSEs; each version extends the previous one (OCPI 2.2.1 §8.4). A list here contains
 * those of the domain's values that the version has. If the version has all of them, the domain's list is used.
 */
import { facilities } from "../../../domain/site/Details.ts"
import type { Capability } from "../../../domain/site/Location.ts"
import type { Vocabulary } from "./Parts.ts"

const standards211 = [
  "CHADEMO",
  ...["A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L"].map((type) => `DOMESTIC_${type}`),
  "IEC_60309_2_single_16",
  "IEC_60309_2_three_16",
  "IEC_60309_2_three_32",
  "IEC_60309_2_three_64",
  "IEC_62196_T1",
  "IEC_62196_T1_COMBO",
  "IEC_62196_T2",
  "IEC_62196_T2_COMBO",
  "IEC_62196_T3A",
  "IEC_62196_T3C",
  "TESLA_R",
  "TESLA_S"
]
const standards22 = [...standards211, "PANTOGRAPH_BOTTOM_UP", "PANTOGRAPH_TOP_DOWN"]
const standards221 = [
  ...standards22,
  "CHAOJI",
  ...["M", "N", "O"].map((type) => `DOMESTIC_${type}`),
  "GBT_AC",
  "GBT_DC",
  ...["5_20", "6_30", "6_50", "10_30", "10_50", "14_30", "14_50"].map((type) => `NEMA_${type}`)
]

const facilities211: ReadonlyArray<(typeof facilities)[number]> = [
  "AIRPORT",
  "BUS_STOP",
  "CAFE",
  "CARPOOL_PARKING",
  "FUEL_STATION",
  "HOTEL",
  "MALL",
  "MUSEUM",
  "NATURE",
  "RECREATION_AREA",
  "RESTAURANT",
  "SPORT",
  "SUPERMARKET",
  "TAXI_STAND",
  "TRAIN_STATION",
  "WIFI"
]
const facilities22: ReadonlySet<string> = new Set(facilities)

const powerTypes211 = ["AC_1_PHASE", "AC_3_PHASE", "DC"]

const capabilities211: ReadonlyArray<Capability> = [
  "CHARGING_PROFILE_CAPABLE",
  "REMOTE_START_STOP_CAPABLE",
  "RESERVABLE",
  "RFID_READER",
  "UNLOCK_CAPABLE"
]

export const enums211: Vocabulary = {
  standards: new Set(standards211),
  powerTypes: new Set(powerTypes211),
  capabilities: new Set(capabilities211),
  facilities: new Set(facilities211),
  impact: "source"
}

/** Of the capabilities added in 2.2 we support only this one. */
const capabilities22 = [...capabilities211, "CHARGING_PREFERENCES_CAPABLE"]

export const enums22: Vocabulary = {
  ...enums211,
  standards: new Set(standards22),
  capabilities: new Set(capabilities22),
  facilities: facilities22,
  impact: "category"
}

export const enums221: Vocabulary = {
  standards: new Set(standards221),
  powerTypes: new Set([...powerTypes211, "AC_2_PHASE", "AC_2_PHASE_SPLIT"]),
  capabilities: new Set([...capabilities22, "START_SESSION_CONNECTOR_REQUIRED"]),
  facilities: facilities22,
  impact: "category"
}
