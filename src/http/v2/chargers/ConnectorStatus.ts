/** OCPI's enumerations for connectors (2.3.0, mod_locations §1.4.11 ConnectorType, §1.4.19 PowerType), and the power that they allow. */

/** `DOMESTIC_A` to `DOMESTIC_O`: the household sockets of IEC 60884. */
const domestic = ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O"].map(
  (type) => `DOMESTIC_${type}`
)

export const connectorStandards: ReadonlyArray<string> = [
  "CHADEMO",
  "CHAOJI",
  ...domestic,
  "GBT_AC",
  "GBT_DC",
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
  "MCS",
  "NEMA_5_20",
  "NEMA_6_30",
  "NEMA_6_50",
  "NEMA_10_30",
  "NEMA_10_50",
  "NEMA_14_30",
  "NEMA_14_50",
  "PANTOGRAPH_BOTTOM_UP",
  "PANTOGRAPH_TOP_DOWN",
  "SAE_J3400",
  "TESLA_R",
  "TESLA_S"
]

export const powerTypes = ["AC_1_PHASE", "AC_2_PHASE", "AC_2_PHASE_SPLIT", "AC_3_PHASE", "DC"] as const

const phases: Readonly<Record<(typeof powerTypes)[number], number>> = {
  AC_1_PHASE: 1,
  AC_2_PHASE: 2,
  AC_2_PHASE_SPLIT: 2,
  AC_3_PHASE: 3,
  DC: 1
}

/** The power in watts for volts and amperes. OCPI's voltage is from line to neutral. */
export const powerOf = (powerType: (typeof powerTypes)[number], volts: number, amperes: number): number =>
  phases[powerType] * volts * amperes
