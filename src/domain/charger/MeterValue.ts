/**
 * What a meter reported: samples as the charger sent them, and what we make of them. The raw strings are kept beside every interpretation,
 * since money may have to be explained years later. Figures are made of samples here and nowhere else.
 */
import type { RegisterRules } from "./Quirks.ts"

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

/** A reading with what was made of it. */
export interface MeteredReading extends Reading {
  /** The energy register of its moment, whole Wh; undefined where it has none that can be known. */
  readonly registerWh: number | undefined
}

export const energyRegister = "Energy.Active.Import.Register"

const wordOf = (text: string): string => text.trim().toLowerCase()

const registerWord = wordOf(energyRegister)

/** Samples whose value is a signed record and no figure; OCMF gives itself away where the format was forgotten. */
export const isSigned = ({ format, value }: Sample): boolean =>
  wordOf(format) === "signeddata" || value.startsWith("OCMF|")

/** Longest figure: more digits than any meter has. What is longer is text, and is not searched for numbers. */
const figureMaxLength = 40

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,2})?$/

/** The number that a sample's value is: decimal digits and a point, as OCPP has them. Hex, commas and units make it none. */
export const figureOf = (value: string): number | undefined => {
  const text = value.trim()
  return text.length <= figureMaxLength && decimal.test(text) ? Number(text) : undefined
}

/** What one unit is worth; undefined for one that the measurand does not have. */
type Factor = (unit: string) => number | undefined

const inKiloWattHours: Factor = () => 1000

/** By a unit's word, `""` for nothing said. */
const units = (factors: Readonly<Record<string, number>>): Factor => {
  const known = new Map(Object.entries(factors))
  return (unit) => known.get(unit) ?? known.get(wordOf(unit))
}

/** In Wh; nothing said means Wh (OCPP 1.6 §7.43). */
const energyUnits = units({ Wh: 1, wh: 1, kwh: 1000, "": 1 })

/**
 * Where it was measured, the nearest to the vehicle first: readings of two places are two meters. The inlet has what other connectors and
 * the charger itself take.
 */
const places = ["outlet", "cable", "ev", "body", "inlet"]

/** Whose register it is: that of the transaction's end, of the reading's own moment, of the transaction's beginning. */
type Moment = "End" | "Now" | "Begin"

interface GivenReading {
  /** Unrounded; undefined where the value or its unit cannot be read. */
  readonly amount: number | undefined
  /** Undefined for the total. */
  readonly phase: string | undefined
  readonly place: number
  readonly moment: Moment
  /** In the smallest unit. */
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

/** One figure of those that stand for the same thing: the finer ones where units differ, and none where they disagree. */
const agreed = (totals: ReadonlyArray<GivenReading>): number | undefined => {
  const fine = totals.filter((one) => one.fine)
  const [first, ...others] = (fine.length > 0 ? fine : totals).map(({ amount }) => amount)
  return others.every((amount) => amount === first) ? first : undefined
}

/** L1 of `L1` and of `L1-N`; undefined for the neutral, and for voltages between two phases, which no energy belongs to. */
const phaseOf = (phase: string): string | undefined => /^(L[123])(?:-N)?$/.exec(phase.trim().toUpperCase())?.[1]

/** The sum of the phases that are there, each once. One of them that cannot be read leaves nothing to add up. */
const sumOfPhases = (reported: ReadonlyArray<GivenReading>): number | undefined => {
  const phases = new Map<string, number>()
  for (const { amount, phase = "" } of reported) {
    const name = phaseOf(phase)
    if (name === undefined) continue
    if (amount === undefined || (phases.has(name) && phases.get(name) !== amount)) return undefined
    phases.set(name, amount)
  }
  return phases.size === 0 ? undefined : [...phases.values()].reduce((all, amount) => all + amount, 0)
}

/** The total, else the sum of its phases (OCPP 1.6 §7.43: phases are added up only where there is no total). */
const total = (reported: ReadonlyArray<GivenReading>): number | undefined => {
  const totals = reported.filter(({ amount, phase }) => phase === undefined && amount !== undefined)
  return totals.length > 0 ? agreed(totals) : sumOfPhases(reported)
}

/** Those of the place nearest to the vehicle. */
const atOnePlace = (reported: ReadonlyArray<GivenReading>): ReadonlyArray<GivenReading> => {
  if (reported.length < 2) return reported
  const nearest = reported.reduce((least, { place }) => Math.min(least, place), places.length)
  return reported.filter(({ place }) => place === nearest)
}

/** The energy registers that one reading reports, whole Wh. */
export interface Registers {
  /** Of the reading's own moment. */
  readonly now: number | undefined
  /** Where it was reported as the transaction's beginning (`Transaction.Begin`), which may have been long before. */
  readonly begin: number | undefined
  /** Where it was reported as the transaction's end. */
  readonly end: number | undefined
}

/** Whole Wh, as far as a number holds them. */
const whole = (wh: number | undefined): number | undefined =>
  wh === undefined || Math.abs(wh) > Number.MAX_SAFE_INTEGER ? undefined : Math.round(wh)

const none: Registers = { now: undefined, begin: undefined, end: undefined }

/**
 * The import registers of a reading. Two places are never mixed: the nearest one counts that has a sample of the register at all. Energy per
 * interval is no register and is never added up, since it cannot be seen whether one is missing or was reported twice.
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

/** What is measured beside energy, and what is made of it: W, A and per cent. */
const others = {
  "Power.Active.Import": units({ w: 1, kw: 1000, "": 1 }),
  "Current.Import": units({ a: 1, "": 1 }),
  SoC: units({ percent: 1, "%": 1, "": 1 })
}

/** The figure of a measurand at one moment, by the same rules as a register; undefined where there is none, or one below zero. */
export const measuredOf = (samples: ReadonlyArray<Sample>, measurand: keyof typeof others): number | undefined => {
  const reported = samples
    .filter((sample) => sample.measurand === measurand && !isSigned(sample))
    .map((sample) => reportedBy(sample, others[measurand]))
  const amount = total(atOnePlace(reported))
  return amount === undefined || amount < 0 ? undefined : amount
}

/**
 * A register that has passed its highest figure since the session began, counted on as if it had not. Only for makes of which it is known
 * where they roll over, and only where it fell by more than half of that: a smaller fall is none that a roll-over makes. And 0 is what meters say
 * that cannot be read.
 */
export const countedOn = (wh: number, meterStartWh: number, { registerRollsOverAtWh: top }: RegisterRules): number =>
  top !== undefined && wh > 0 && meterStartWh < top && meterStartWh - wh > top / 2 ? wh + top : wh
