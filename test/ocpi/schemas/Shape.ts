/**
 * A small language for the tables of OCPI's objects, so that they can be written as printed in the standard: each field with its type, maximum
 * length and cardinality. It is strict: an unknown field is a fault. It shares no code with the code that it checks.
 */

/** The faults of a value at a place. Empty if it fits. */
export type Check = (value: unknown, at: string) => ReadonlyArray<string>

/** The standard's signs for required, optional, list, and list of at least one. Optional fields and empty lists may be null or missing. */
export type Cardinality = "1" | "?" | "*" | "+"

export type Fields = Readonly<Record<string, readonly [Check, Cardinality]>>

const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 80) ?? String(value)

const fault = (at: string, value: unknown, must: string): ReadonlyArray<string> => [`${at}: ${shown(value)} ${must}`]

const rule =
  (holds: (value: unknown) => boolean, must: string): Check =>
  (value, at) =>
    holds(value) ? [] : fault(at, value, must)

const lengthOf = (text: string): number => [...text].length

// oxlint-disable-next-line no-control-regex -- the standard's "printable"
const unprintable = /[\u0000-\u001f\u007f-\u009f]/

/** `string(n)`, in code points. 2.1.1 requires ASCII, which street names do not follow. In practice it is UTF-8 there too. */
export const text = (max: number): Check =>
  rule(
    (value) => typeof value === "string" && lengthOf(value) <= max && !unprintable.test(value),
    `must be printable text of at most ${max}`
  )

/** `CiString(n)`: printable ASCII. */
export const ci = (max: number): Check =>
  rule(
    (value) => typeof value === "string" && value !== "" && value.length <= max && /^[\u0020-\u007e]*$/.test(value),
    `must be printable ASCII of 1 to ${max}`
  )

/** An id in `string(n)`, which must not be empty. */
export const id = (max: number): Check =>
  rule(
    (value) => typeof value === "string" && value !== "" && lengthOf(value) <= max && !unprintable.test(value),
    `must be an id of 1 to ${max}`
  )

export const matching = (pattern: RegExp, what: string): Check =>
  rule((value) => typeof value === "string" && pattern.test(value), `must be ${what}`)

export const bool: Check = rule((value) => typeof value === "boolean", "must be a boolean")

export const int: Check = rule((value) => Number.isSafeInteger(value), "must be a whole number")

/** `int(n)`: digits. */
export const digits = (max: number): Check =>
  rule((value) => Number.isSafeInteger(value) && String(value).length <= max, `must be a whole number of ${max} digits`)

/** `number`, with at most four decimals. */
export const decimal: Check = rule(
  (value) => typeof value === "number" && Number.isFinite(value) && Number(value.toFixed(4)) === value,
  "must be a number of at most 4 decimals"
)

/** A limit in a charging profile, with one decimal. */
export const tenths: Check = rule(
  (value) => typeof value === "number" && Number.isFinite(value) && Number(value.toFixed(1)) === value,
  "must be a number of at most 1 decimal"
)

export const oneOf = (...values: ReadonlyArray<string>): Check =>
  rule(
    (value) => typeof value === "string" && values.includes(value),
    `must be one of ${values.slice(0, 8).join(", ")}`
  )

export const url: Check = rule(
  (value) => typeof value === "string" && value.length <= 255 && /^https?:/.test(value) && URL.canParse(value),
  "must be a URL of at most 255"
)

const isTime = (pattern: RegExp) => (value: unknown) =>
  typeof value === "string" && pattern.test(value) && !Number.isNaN(Date.parse(value.replace(/Z?$/, "Z")))

/** 2.1.1: string(25), without fractions. */
export const time211: Check = rule(
  isTime(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z?$/),
  "must be a DateTime of 2.1.1, UTC and without fractions"
)

/** 2.2 and later: fractions are allowed, an offset is not. */
export const time22: Check = rule(
  isTime(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z?$/),
  "must be a DateTime in UTC"
)

export const anything: Check = () => []

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const listOf =
  (check: Check, min = 0): Check =>
  (value, at) => {
    if (!Array.isArray(value)) return fault(at, value, "must be a list")
    if (value.length < min) return fault(at, value, `must have at least ${min}`)
    return value.flatMap((item, i) => check(item, `${at}[${i}]`))
  }

const isMissing = (value: unknown): boolean => value === undefined || value === null

const field = ([check, cardinality]: readonly [Check, Cardinality], value: unknown, at: string) => {
  if (isMissing(value)) return cardinality === "1" || cardinality === "+" ? [`${at}: is missing`] : []
  if (cardinality === "*") return listOf(check)(value, at)
  if (cardinality === "+") return listOf(check, 1)(value, at)
  return check(value, at)
}

/** An object of a table. `also` checks what the text beside the table requires. */
export const object =
  (fields: Fields, also: Check = anything): Check =>
  (value, at) => {
    if (!isRecord(value)) return fault(at, value, "must be an object")
    const unknown = Object.keys(value).flatMap((name) =>
      Object.hasOwn(fields, name) ? [] : [`${at}.${name}: is no field of this version`]
    )
    const wrong = Object.entries(fields).flatMap(([name, what]) => field(what, value[name], `${at}.${name}`))
    return [...unknown, ...wrong, ...also(value, at)]
  }

/** Fields of a PATCH: any of them, each as in the whole object. */
export const partOf =
  (fields: Fields, ...needed: ReadonlyArray<string>): Check =>
  (value, at) => {
    if (!isRecord(value)) return fault(at, value, "must be an object")
    const missing = needed.flatMap((name) => (isMissing(value[name]) ? [`${at}.${name}: is missing`] : []))
    const wrong = Object.entries(value).flatMap(([name, one]) => {
      const what = fields[name]
      return what === undefined ? [`${at}.${name}: is no field of this version`] : field(what, one, `${at}.${name}`)
    })
    return [...missing, ...wrong]
  }

export const get = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined)

/** Everything that partners of one version check, by OCPI's own names. */
export interface Schemas {
  readonly Versions: Check
  readonly VersionDetails: Check
  readonly Credentials: Check
  readonly Location: Check
  readonly EVSE: Check
  readonly Connector: Check
  readonly Tariff: Check
  readonly Session: Check
  readonly CDR: Check
  readonly Token: Check
  readonly LocationReferences: Check
  readonly CommandResponse: Check
  /** The body that is posted to the `response_url` of a command. */
  readonly CommandResult: Check
  readonly patches: {
    readonly Location: Check
    readonly EVSE: Check
    readonly Connector: Check
    readonly Session: Check
  }
  /** From 2.2 on. */
  readonly ChargingProfileResponse?: Check
  readonly ChargingProfileResult?: Check
  readonly ClearProfileResult?: Check
  readonly ActiveChargingProfileResult?: Check
  readonly ActiveChargingProfile?: Check
  readonly ChargingPreferencesResponse?: Check
  readonly ClientInfo?: Check
}

/** The envelope of every answer in every version. `data` is checked by the caller. */
export const envelope = (time: Check): Check =>
  object(
    {
      data: [anything, "?"],
      status_code: [
        rule(
          (value) => Number.isSafeInteger(value) && Number(value) >= 1000 && Number(value) < 5000,
          "must be a status code"
        ),
        "1"
      ],
      status_message: [text(1000), "?"],
      timestamp: [time, "1"]
    },
    (value, at) => {
      const status = Number(get(value, "status_code"))
      return status >= 2000 && !isMissing(get(value, "data")) ? [`${at}.data: is there beside status ${status}`] : []
    }
  )
