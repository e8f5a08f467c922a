/**
 * Meter values of OCPP 1.6 (§4.7, §7.33, §7.43): the enumerations, the fields of a reading, and the defaults of what a
 * sample leaves out. Values are kept as they were sent, up to a length that no meter reaches.
 */
import { energyRegister, type Reading, type Sample } from "../../domain/charger/MeterValue.ts"
import { fullList, list, sampleText, time, word } from "./Kinds.ts"
import { message, optional, type ReadOf } from "./Lenient.ts"
import { readTime } from "./Time.ts"

/** §7.35 ReadingContext. */
const contexts = [
  "Interruption.Begin",
  "Interruption.End",
  "Other",
  "Sample.Clock",
  "Sample.Periodic",
  "Transaction.Begin",
  "Transaction.End",
  "Trigger"
]

/** §7.31 Measurand. */
const measurands = [
  "Current.Export",
  "Current.Import",
  "Current.Offered",
  "Energy.Active.Export.Register",
  "Energy.Active.Import.Register",
  "Energy.Reactive.Export.Register",
  "Energy.Reactive.Import.Register",
  "Energy.Active.Export.Interval",
  "Energy.Active.Import.Interval",
  "Energy.Reactive.Export.Interval",
  "Energy.Reactive.Import.Interval",
  "Frequency",
  "Power.Active.Export",
  "Power.Active.Import",
  "Power.Factor",
  "Power.Offered",
  "Power.Reactive.Export",
  "Power.Reactive.Import",
  "RPM",
  "SoC",
  "Temperature",
  "Voltage"
]

const phases = ["L1", "L2", "L3", "N", "L1-N", "L2-N", "L3-N", "L1-L2", "L2-L3", "L3-L1"]
const locations = ["Body", "Cable", "EV", "Inlet", "Outlet"]

/** §7.45 UnitOfMeasure. The first edition misspelt Celsius and had no unit for Frequency; the errata added both. */
const units = [
  "Wh",
  "kWh",
  "varh",
  "kvarh",
  "W",
  "kW",
  "VA",
  "kVA",
  "var",
  "kvar",
  "A",
  "V",
  "Celsius",
  "Celcius",
  "Fahrenheit",
  "K",
  "Percent",
  "Hertz"
]

const sampledValue = message({
  value: sampleText,
  context: optional(word(contexts)),
  format: optional(word(["Raw", "SignedData"])),
  measurand: optional(word(measurands)),
  phase: optional(word(phases)),
  location: optional(word(locations)),
  unit: optional(word(units))
})

const meterValue = message({ timestamp: time, sampledValue: fullList(sampledValue) })

/** MeterValues requires at least one reading, StopTransaction's `transactionData` none. */
export const meterValues = fullList(meterValue)
export const transactionData = list(meterValue)

/** §7.43: the default unit is Wh for energies; other quantities have no default. */
const defaultUnit = (measurand: string): string => (measurand.startsWith("Energy.") ? "Wh" : "")

const readSample = (sent: ReadOf<typeof sampledValue>): Sample | undefined => {
  if (sent.value === undefined) return undefined
  const measurand = sent.measurand ?? energyRegister
  return {
    value: sent.value,
    measurand,
    context: sent.context ?? "Sample.Periodic",
    format: sent.format ?? "Raw",
    location: sent.location ?? "Outlet",
    unit: sent.unit ?? defaultUnit(measurand),
    phase: sent.phase
  }
}

/** The readings, with defaults filled in. Samples without a value and readings without samples are left out. */
export const readReadings = (sent: ReadonlyArray<ReadOf<typeof meterValue>>): ReadonlyArray<Reading> => {
  const readings: Array<Reading> = []
  for (const { sampledValue: values, timestamp } of sent) {
    const samples: Array<Sample> = []
    for (const value of values ?? []) {
      const sample = readSample(value)
      if (sample !== undefined) samples.push(sample)
    }
    if (samples.length === 0) continue
    const { at, raw } = readTime(timestamp)
    readings.push({ at, rawAt: raw, samples })
  }
  return readings
}
