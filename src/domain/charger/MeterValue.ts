/**
 * What a meter reported: samples as the charger sent them, and their interpretation. The raw strings are stored with every interpretation, since a
 * bill may have to be explained years later. All conversion of samples into numbers is in this file.
 */
import type { RegisterRules } from "./Quirks.ts"

/** One sampled value with OCPP's defaults filled in (OCPP 1.6 §7.43). Unknown enum values are kept as strings. */
export interface Sample {
  /** As sent. A JSON number is accepted and converted to text; signed data stays byte for byte. */
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
  /** The charger's time in ms epoch; undefined if it is missing or cannot be parsed. */
  readonly at: number | undefined
  /** The timestamp as it was sent. */
  readonly rawAt: string | undefined
  readonly samples: ReadonlyArray<Sample>
}

/** A reading with its interpretation. */
export interface MeteredReading extends Reading {
  /** The energy register at its time, in whole Wh; undefined if there is none or it cannot be determined. */
  readonly registerWh: number | undefined
}

export const energyRegister = "Energy.Active.Import.Register"

const wordOf = (text: string): string => text.trim().toLowerCase()

const registerWord = wordOf(energyRegister)

/** True for a sample whose value is a signed record, not a number. OCMF is recognised by its prefix if the charger omits the format. */
export const isSigned = ({ format, value }: Sample): boolean =>
  wordOf(format) === "signeddata" || value.startsWith("OCMF|")

/** The maximum length of a number: more digits than any meter has. Longer values are not parsed. */
const figureMaxLength = 40

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,2})?$/

/** Parses a sample's value as a decimal number, as OCPP defines it; undefined for hex, commas, units and other text. */
export const figureOf = (value: string): number | undefined => {
  const text = value.trim()
  return text.length <= figureMaxLength && decimal.test(text) ? Number(text) : undefined
}

/** The factor of a unit; undefined for a unit that the measurand does not have. */
type Factor = (unit: string) => number | undefined

const inKiloWattHours: Factor = () => 1000

/** Looks up a unit's factor; `""` means a missing unit. */
const units = (factors: Readonly<Record<string, number>>): Factor => {
  const known = new Map(Object.entries(factors))
  return (unit) => known.get(unit) ?? known.get(wordOf(unit))
}

/** Factors to Wh. A missing unit means Wh (OCPP 1.6 §7.43). */
const energyUnits = units({ Wh: 1, wh: 1, kwh: 1000, "": 1 })

/**
 * Where a value was measured, nearest to the vehicle first. Values from two places are from two meters. The inlet also measures what other connectors
 * and the charger itself consume.
 */
const places = ["outlet", "cable", "ev", "body", "inlet"]

/** The moment to which a register belongs: the transaction's end, the reading's own time, or the transaction's beginning. */
type Moment = "End" | "Now" | "Begin"

interface GivenReading {
  /** Unrounded; undefined if the value or its unit cannot be parsed. */
  readonly amount: number | undefined
  /** Undefined for the total of all phases. */
  readonly phase: string | undefined
  readonly place: number
  readonly moment: Moment
  /** True if it was sent in the smallest unit. */
  readonly fine: boolean
}

const momentOf = (context: string): Moment => {
  if (context === "Sample.Periodic") return "Now"
  const word = wordOf(context)
  if (word === "transaction.begin") return "Begin"
  return word === "transaction.end" ? "End" : "Now"
}

const reportedBy = (sample: Sample, factorOf: Factor): GivenReading => {
  const figure = figureOf(sample.value)
  const factor = factorOf(sample.unit)
  const amount = figure === undefined || factor === undefined ? undefined : figure * factor
  const place = places.indexOf(wordOf(sample.location))
  return {
    amount: amount !== undefined && Math.abs(amount) <= Number.MAX_SAFE_INTEGER ? amount : undefined,
    phase: sample.phase,
    place: place < 0 ? places.length : place,
    moment: momentOf(sample.context),
    fine: factor === 1
  }
}

/** The common value of several totals of the same quantity. Those in the smallest unit take precedence; undefined if they disagree. */
const agreed = (totals: ReadonlyArray<GivenReading>): number | undefined => {
  const fine = totals.filter((one) => one.fine)
  const [first, ...others] = (fine.length > 0 ? fine : totals).map(({ amount }) => amount)
  return others.every((amount) => amount === first) ? first : undefined
}

/** `L1` for `L1` and `L1-N`; undefined for the neutral conductor and for pairs of phases, which have no energy of their own. */
const phaseOf = (phase: string): string | undefined => /^(L[123])(?:-N)?$/.exec(phase.trim().toUpperCase())?.[1]

/** The sum of the reported phases, each counted once. Undefined if a phase cannot be parsed or has contradictory values. */
const sumOfPhases = (reported: ReadonlyArray<GivenReading>): number | undefined => {
  const isOnlyNeutral = reported.every(({ phase = "" }) => phase.trim().toUpperCase() === "N")
  const phases = new Map<string, number>()
  for (const { amount, phase = "" } of reported) {
    // A register that is reported for N alone is that of the whole connector.
    const name = isOnlyNeutral ? "N" : phaseOf(phase)
    if (name === undefined) continue
    if (amount === undefined || (phases.has(name) && phases.get(name) !== amount)) return undefined
    phases.set(name, amount)
  }
  return phases.size === 0 ? undefined : [...phases.values()].reduce((all, amount) => all + amount, 0)
}

/** The total, or the sum of the phases (OCPP 1.6 §7.43: phases are added up only if there is no total). */
const total = (reported: ReadonlyArray<GivenReading>): number | undefined => {
  const totals = reported.filter(({ amount, phase }) => phase === undefined && amount !== undefined)
  return totals.length > 0 ? agreed(totals) : sumOfPhases(reported)
}

/** The values from the place nearest to the vehicle. */
const atOnePlace = (reported: ReadonlyArray<GivenReading>): ReadonlyArray<GivenReading> => {
  if (reported.length < 2) return reported
  const nearest = reported.reduce((least, { place }) => Math.min(least, place), places.length)
  return reported.filter(({ place }) => place === nearest)
}

/** The energy registers that one reading reports, in whole Wh. */
export interface Registers {
  /** At the reading's own time. */
  readonly now: number | undefined
  /** Reported as the transaction's beginning (`Transaction.Begin`), which may be long before the reading. */
  readonly begin: number | undefined
  /** Reported as the transaction's end (`Transaction.End`). */
  readonly end: number | undefined
}

/** Rounds to whole Wh; undefined above the largest safe integer. */
const whole = (wh: number | undefined): number | undefined =>
  wh === undefined || Math.abs(wh) > Number.MAX_SAFE_INTEGER ? undefined : Math.round(wh)

const none: Registers = { now: undefined, begin: undefined, end: undefined }

/**
 * The import registers of a reading. Two places are never mixed: only the place nearest to the vehicle that has a sample of the register counts.
 * Energy per interval is not a register and is never added up, since missing or repeated intervals cannot be detected.
 */
export const registersOf = (reading: Reading, rules: RegisterRules): Registers => {
  const factorOf = rules.registerUnit === "kWh" ? inKiloWattHours : energyUnits
  let reported: Array<GivenReading> | undefined
  for (const sample of reading.samples) {
    if (sample.measurand !== energyRegister && wordOf(sample.measurand) !== registerWord) continue
    if (!isSigned(sample)) (reported ??= []).push(reportedBy(sample, factorOf))
  }
  if (reported === undefined) return none
  const here = atOnePlace(reported)
  const of = (moment: Moment) => {
    const those = here.filter((one) => one.moment === moment)
    return those.length === 0 ? undefined : { wh: whole(total(those)) }
  }
  const [begin, now, end] = [of("Begin"), of("Now"), of("End")]
  return { begin: begin?.wh, end: end?.wh, now: (end ?? now ?? begin)?.wh }
}

/** The other measurands that are read, with their units: W, A and per cent. */
const others = {
  "Power.Active.Import": units({ w: 1, kw: 1000, "": 1 }),
  "Current.Import": units({ a: 1, "": 1 }),
  SoC: units({ percent: 1, "%": 1, "": 1 })
}

/** The value of a measurand in one reading, by the same rules as a register; undefined if it is missing or negative. */
export const measuredOf = (samples: ReadonlyArray<Sample>, measurand: keyof typeof others): number | undefined => {
  const reported = samples
    .filter((sample) => sample.measurand === measurand && !isSigned(sample))
    .map((sample) => reportedBy(sample, others[measurand]))
  const amount = total(atOnePlace(reported))
  return amount === undefined || amount < 0 ? undefined : amount
}

/**
 * Corrects a register that has rolled over since the session began, as if it had counted on. This applies only to makes whose roll-over value is
 * known, and only if the register fell by more than half of that value: a roll-over does not cause a smaller fall. A register of 0 is not corrected,
 * since meters that cannot be read report 0.
 */
export const countedOn = (wh: number, meterStartWh: number, { registerRollsOverAtWh: top }: RegisterRules): number =>
  top !== undefined && wh > 0 && meterStartWh < top && meterStartWh - wh > top / 2 ? wh + top : wh
