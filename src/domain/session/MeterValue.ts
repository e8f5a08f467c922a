/**
 * What a meter told: samples as the charger sent them, and what we make of them. The raw strings are kept beside every interpretation,
 * since money may have to be explained years later. Wh are made of samples here and nowhere else.
 */
import type { RegisterRules } from "../charger/Quirks.ts"

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
  /** The energy register of its moment, whole Wh; undefined where it has none that can be told. */
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

/** Wh of one unit; undefined for a unit that is none of energy. Nothing said means Wh (OCPP 1.6 §7.43). */
const factorOf = (unit: string, { registerUnit }: RegisterRules): number | undefined => {
  if (registerUnit === "kWh") return 1000
  const word = wordOf(unit)
  if (word === "wh" || word === "") return 1
  return word === "kwh" ? 1000 : undefined
}

/**
 * Where it was measured, the nearest to the vehicle first: readings of two places are two meters. The inlet has what other connectors and
 * the charger itself take.
 */
const places = ["outlet", "cable", "ev", "body", "inlet"]

/** Whose register it is: that of the transaction's end, of the reading's own moment, of the transaction's beginning. */
type Moment = "End" | "Now" | "Begin"

interface Told {
  /** Unrounded Wh; undefined where the value or its unit cannot be read. */
  readonly wh: number | undefined
  /** Undefined for the total. */
  readonly phase: string | undefined
  readonly place: number
  readonly moment: Moment
  /** Told in Wh. */
  readonly fine: boolean
}

const momentOf = (context: string): Moment => {
  if (context === "Sample.Periodic") return "Now"
  const word = wordOf(context)
  if (word === "transaction.begin") return "Begin"
  return word === "transaction.end" ? "End" : "Now"
}

const toldBy = (sample: Sample, rules: RegisterRules): Told => {
  const figure = figureOf(sample.value)
  const factor = factorOf(sample.unit, rules)
  const wh = figure === undefined || factor === undefined ? undefined : figure * factor
  const place = places.indexOf(wordOf(sample.location))
  return {
    wh: wh !== undefined && Math.abs(wh) <= Number.MAX_SAFE_INTEGER ? wh : undefined,
    phase: sample.phase,
    place: place < 0 ? places.length : place,
    moment: momentOf(sample.context),
    fine: factor === 1
  }
}

const same = (figures: ReadonlyArray<number>): number | undefined =>
  figures.every((wh) => wh === figures[0]) ? figures[0] : undefined

/** One figure of those that stand for the same thing: the finer ones where units differ, and none where they disagree. */
const agreed = (told: ReadonlyArray<Told>): number | undefined => {
  const readable = told.filter(({ wh }) => wh !== undefined)
  const fine = readable.filter((one) => one.fine)
  return same((fine.length > 0 ? fine : readable).map(({ wh }) => Math.round(wh!)))
}

/** L1 of `L1` and of `L1-N`; undefined for the neutral, and for voltages between two phases, which no energy belongs to. */
const phaseOf = (phase: string): string | undefined => /^(L[123])(?:-N)?$/.exec(phase.trim().toUpperCase())?.[1]

/** The sum of the phases that are there, each once. One of them that cannot be read leaves nothing to add up. */
const sumOfPhases = (told: ReadonlyArray<Told>): number | undefined => {
  const phases = new Map<string, number>()
  for (const { phase = "", wh } of told) {
    const name = phaseOf(phase)
    if (name === undefined) continue
    if (wh === undefined || (phases.has(name) && phases.get(name) !== wh)) return undefined
    phases.set(name, wh)
  }
  if (phases.size === 0) return undefined
  const sum = Math.round([...phases.values()].reduce((all, wh) => all + wh, 0))
  return Math.abs(sum) <= Number.MAX_SAFE_INTEGER ? sum : undefined
}

/** The total, else the sum of its phases (OCPP 1.6 §7.43: phases are added up only where there is no total). */
const total = (told: ReadonlyArray<Told>): number | undefined => {
  const totals = told.filter(({ phase, wh }) => phase === undefined && wh !== undefined)
  return totals.length > 0 ? agreed(totals) : sumOfPhases(told)
}

/** The energy registers that one reading tells, whole Wh. */
export interface Registers {
  /** Of the reading's own moment. */
  readonly now: number | undefined
  /** Where it was told as the transaction's beginning (`Transaction.Begin`), which may have been long before. */
  readonly begin: number | undefined
  /** Where it was told as the transaction's end. */
  readonly end: number | undefined
}

const none: Registers = { now: undefined, begin: undefined, end: undefined }

/**
 * The import registers of a reading. Two places are never mixed: the nearest one counts that has a sample of the register at all. Energy per
 * interval is no register and is never added up, since nobody can see whether one is missing or was told twice.
 */
export const registersOf = (reading: Reading, rules: RegisterRules): Registers => {
  let told: Array<Told> | undefined
  for (const sample of reading.samples) {
    if (sample.measurand !== energyRegister && wordOf(sample.measurand) !== registerWord) continue
    if (!isSigned(sample)) (told ??= []).push(toldBy(sample, rules))
  }
  if (told === undefined) return none
  if (told.length > 1) {
    const nearest = Math.min(...told.map(({ place }) => place))
    told = told.filter(({ place }) => place === nearest)
  }
  const of = (moment: Moment) => {
    const those = told.filter((one) => one.moment === moment)
    return those.length === 0 ? undefined : { wh: total(those) }
  }
  const [begin, now, end] = [of("Begin"), of("Now"), of("End")]
  return { begin: begin?.wh, end: end?.wh, now: (end ?? now ?? begin)?.wh }
}

/**
 * A register that has passed its highest figure since the session began, counted on as if it had not. Only for makes of which it is known
 * where they roll over, and only where it fell by more than half of that: a smaller fall is none that a roll-over makes.
 */
export const countedOn = (wh: number, meterStartWh: number, { registerRollsOverAtWh: top }: RegisterRules): number =>
  top !== undefined && wh >= 0 && meterStartWh < top && meterStartWh - wh > top / 2 ? wh + top : wh
