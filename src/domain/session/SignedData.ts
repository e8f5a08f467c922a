/**
 * Signed meter values of a session in the form in which its record contains them, so that drivers can check their bill with software of their own
 * (OCPI 2.2.1 `mod_cdrs` SignedData). The signed text is never changed, because that would invalidate the signature.
 */
import { Option, Schema } from "effect"
import { isCut } from "../values/Cut.ts"
import { isSigned, type Sample } from "../charger/MeterValue.ts"

/** OCPI's three values for the nature of a signed value. */
export const natures = ["Start", "End", "Intermediate"] as const
export type Nature = (typeof natures)[number]

export interface SignedValue {
  readonly nature: Nature
  /** The signed content in readable form; only if it can be derived from the signed text. */
  readonly plainData?: string
  /** As the charger sent it, byte for byte, without the JSON object in which OCA's whitepaper wraps it. */
  readonly signedData: string
}

export interface SignedData {
  /** OCPI's name of the encoding; missing if it is unknown, or not the same for all values. */
  readonly encodingMethod?: string
  /** The meter's public key, from the records or from the charger's configuration. */
  readonly publicKey?: string
  readonly signedValues: ReadonlyArray<SignedValue>
}

/** The most values of each end in a record. One is enough; some meters sign several registers. */
const endsMost = 4

/** The most values between start and end in a record. The law requires none, and a charger may sign one a minute. */
const intermediateMost = 8

/**
 * The most UTF-16 units of one value. OCMF and similar formats take up to 5000, which is all that OCPI has room for; some chargers wrap theirs in
 * base64 or hex.
 */
const valueMost = 20_000

/** The most UTF-16 units of all values of a record, readable parts included: records are listed by the hundred. */
const allMost = 40_000

/** OCPI's maximum length of an encoding's name. */
const methodMost = 36

/** The most UTF-16 units of a public key: OCPP 2.x has room for 2500. */
const keyMost = 5000

/** A signed value as OCPP 2.x wraps it; OCPP 1.6 has the same JSON in the text of a sample (OCA's whitepaper on signed meter values, §3.2.1). */
const Wrapped = Schema.fromJsonString(
  Schema.Struct({
    signedMeterData: Schema.String,
    encodingMethod: Schema.optionalKey(Schema.String),
    publicKey: Schema.optionalKey(Schema.String)
  })
)
const unwrap = Schema.decodeUnknownOption(Wrapped)

/** A signed text, with its encoding and public key if they were given. */
type Signed = typeof Wrapped.Type

const signedIn = ({ value }: Sample): Signed =>
  Option.getOrElse(value.trimStart().startsWith("{") ? unwrap(value) : Option.none(), () => ({
    signedMeterData: value
  }))

/** `OCMF|<payload>|<signature>` (Open Charge Metering Format 1.0 §3), and how its first characters look in hex and in base64. */
const inHex = /^4F434D467C/i
const inBase64 = "T0NNRn"

const hex = Schema.decodeUnknownOption(Schema.StringFromHex)
const base64 = Schema.decodeUnknownOption(Schema.StringFromBase64)

/** The text of an OCMF record; undefined for anything else. */
const ocmfOf = (signed: string): string | undefined => {
  if (signed.startsWith("OCMF|")) return signed
  if (inHex.test(signed)) return Option.getOrUndefined(hex(signed.toLowerCase()))
  return signed.startsWith(inBase64) ? Option.getOrUndefined(base64(signed)) : undefined
}

const methodOf = ({ encodingMethod = "", signedMeterData }: Signed): string | undefined => {
  const reported = encodingMethod.trim()
  if (reported !== "") return reported.length <= methodMost ? reported : undefined
  if (ocmfOf(signedMeterData)?.startsWith("OCMF|") === true) return "OCMF"
  return /^AP;[01];\d;/.test(signedMeterData) ? "Alfen Eichrecht" : undefined
}

/** The part of an OCMF payload that is read: its readings, each with its mark in the transaction (§4.2: `TX`). */
const Payload = Schema.fromJsonString(
  Schema.Struct({ RD: Schema.optionalKey(Schema.Array(Schema.Struct({ TX: Schema.optionalKey(Schema.String) }))) })
)
const decodePayload = Schema.decodeUnknownOption(Payload)

const plainOf = (signed: string): string | undefined => {
  const text = ocmfOf(signed) ?? ""
  const end = text.lastIndexOf("|")
  if (!text.startsWith("OCMF|") || end <= "OCMF|".length) return undefined
  const plain = text.slice("OCMF|".length, end)
  return Option.isSome(decodePayload(plain)) ? plain : undefined
}

/** OCMF marks: the begin of a transaction, and its end for any reason. All others are intermediate. */
const marks: Readonly<Record<string, Nature>> = { B: "Start", E: "End", L: "End", R: "End", A: "End", P: "End" }

/** The mark of the last reading. A reading without a mark has that of the reading before it. */
const markedIn = (plain: string): Nature => {
  const readings = Option.getOrUndefined(decodePayload(plain))?.RD ?? []
  return marks[readings.findLast(({ TX }) => TX !== undefined)?.TX ?? ""] ?? "Intermediate"
}

const natureOf = ({ context }: Sample, plain: string | undefined): Nature => {
  const word = context.trim().toLowerCase()
  if (word === "transaction.begin") return "Start"
  if (word === "transaction.end") return "End"
  return plain === undefined ? "Intermediate" : markedIn(plain)
}

const toValue = (sample: Sample, { signedMeterData }: Signed): SignedValue => {
  const plain = plainOf(signedMeterData)
  return {
    nature: natureOf(sample, plain),
    ...(plain === undefined ? {} : { plainData: plain }),
    signedData: signedMeterData
  }
}

const sizeOf = ({ plainData = "", signedData }: SignedValue): number => signedData.length + plainData.length

/** Each value once, even if it was sent several times; `Start` and `End` take precedence over `Intermediate`. */
const distinct = (values: ReadonlyArray<SignedValue>): ReadonlyArray<SignedValue> => {
  const known = new Map<string, SignedValue>()
  for (const value of values) {
    const before = known.get(value.signedData)
    if (before === undefined || before.nature === "Intermediate") known.set(value.signedData, value)
  }
  return [...known.values()]
}

/** As many values as a record has room for; the ends take precedence over those between them. */
const withinLimits = (values: ReadonlyArray<SignedValue>): ReadonlyArray<SignedValue> => {
  const of = (nature: Nature) => values.filter((value) => value.nature === nature)
  const wanted = [
    ...of("Start").slice(0, endsMost),
    ...of("End").slice(-endsMost),
    ...of("Intermediate").slice(0, intermediateMost)
  ]
  let room = allMost
  const kept = new Set(wanted.filter((value) => sizeOf(value) <= room && (room -= sizeOf(value)) >= 0))
  return values.filter((value) => kept.has(value))
}

/** The value that all have in common; undefined if they differ. */
const alike = (said: ReadonlyArray<string | undefined>): string | undefined =>
  said.every((one) => one === said[0]) ? said[0] : undefined

/**
 * The signed values among a session's samples, which must be in order of time; undefined if there are none. `configuredKey` is the meter's public key
 * from the charger's configuration, for records that contain none.
 */
export const signedDataOf = (samples: ReadonlyArray<Sample>, configuredKey?: string): SignedData | undefined => {
  const records = samples
    .filter((sample) => isSigned(sample) && sample.value.length <= valueMost && !isCut(sample.value))
    .map((sample) => ({ sample, signed: signedIn(sample) }))
    .filter(({ signed }) => signed.signedMeterData !== "")
  const signedValues = withinLimits(distinct(records.map(({ sample, signed }) => toValue(sample, signed))))
  if (signedValues.length === 0) return undefined
  const kept = new Set(signedValues.map(({ signedData }) => signedData))
  const theirs = records.flatMap(({ signed }) => (kept.has(signed.signedMeterData) ? [signed] : []))
  const encodingMethod = alike(theirs.map(methodOf))
  const reported = theirs.map(({ publicKey = "" }) => publicKey.trim()).filter((key) => key !== "")
  const publicKey = reported.length === 0 ? configuredKey?.trim() : alike(reported)
  return {
    ...(encodingMethod === undefined ? {} : { encodingMethod }),
    ...(publicKey === undefined || publicKey === "" || publicKey.length > keyMost || isCut(publicKey)
      ? {}
      : { publicKey }),
    signedValues
  }
}

/** How many readings at each end of a session are searched for signed values; each may contain several. */
export const signedReadingsAtEachEnd = endsMost + intermediateMost
