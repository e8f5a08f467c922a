/**
 * What a meter told: samples as the charger sent them, and what we make of them. The raw strings are kept beside every interpretation,
 * since money may have to be explained years later.
 */

/** One sampled value with OCPP's defaults filled in (OCPP 1.6 §7.43). Unknown enum values are kept as strings. */
export interface Sample {
  /** As sent; a number is taken and written as text, signed data stays byte for byte. */
  readonly value: string
  readonly measurand: string
  readonly context: string
  readonly format: string
  readonly location: string
  readonly unit: string
  readonly phase?: string | undefined
}

/** All samples of one instant. */
export interface Reading {
  /** The charger's time in ms epoch; undefined when it sent none that can be understood. */
  readonly at: number | undefined
  /** The timestamp as it was sent. */
  readonly rawAt: string | undefined
  readonly samples: ReadonlyArray<Sample>
}

export const energyRegister = "Energy.Active.Import.Register"

/** Wh of a sample of energy, by its unit; undefined when it is no finite number. Rounded to whole Wh. */
export const wattHours = (sample: Sample): number | undefined => {
  if (sample.format === "SignedData" || sample.value.trim() === "") return undefined
  const n = Number(sample.value)
  if (!Number.isFinite(n)) return undefined
  const wh = sample.unit.toLowerCase() === "kwh" ? n * 1000 : n
  return Math.abs(wh) <= Number.MAX_SAFE_INTEGER ? Math.round(wh) : undefined
}

/**
 * The energy register of a reading in Wh: the import register without a phase, else the sum of its phases (OCPP 1.6 §7.43: sum phases
 * only if there is no phase-less total). Undefined when the reading carries none.
 */
export const registerWh = (reading: Reading): number | undefined => {
  let phases: number | undefined
  for (const sample of reading.samples) {
    if (sample.measurand !== energyRegister) continue
    const wh = wattHours(sample)
    if (wh === undefined) continue
    if (sample.phase === undefined) return wh
    phases = (phases ?? 0) + wh
  }
  return phases
}
