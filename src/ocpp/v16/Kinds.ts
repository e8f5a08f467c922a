/**
 * The kinds of values in OCPP 1.6 messages, each with what the specification allows and what is accepted as well:
 * numbers written as strings and strings as numbers, unknown enumeration values, and texts that are too long. No text
 * of a charger leaves this file longer than its kind allows: it is cut and marked, never refused for its length.
 */
import { Schema } from "effect"
import { cutText } from "../../domain/values/Cut.ts"
import { asObject, type Field, type Fields, type Message, type Read, type Report } from "./Lenient.ts"
import { highestConnectorId } from "./place.ts"
import { isTime, timeDeviation } from "./Time.ts"

const required = <A>(schema: Schema.Constraint, take: Field<A>["take"]): Field<A> => ({
  schema,
  isOptional: false,
  take
})

const takeText = (value: unknown, path: string, report: Report): string | undefined => {
  if (typeof value === "string") return value
  if (typeof value !== "number" && typeof value !== "boolean") return report.lost(path, "wrong type")
  report.bent(path, "other type")
  return String(value)
}

/**
 * A string of at most `maxLength` UTF-16 units. A longer one is cut to that, or to `kept` if what chargers write there
 * is worth keeping beyond the specification's limit.
 */
export const text = (maxLength: number, kept = maxLength): Field<string> =>
  required(Schema.String.check(Schema.isMaxLength(maxLength)), (value, path, report) => {
    const taken = takeText(value, path, report)
    if (taken === undefined || taken.length <= maxLength) return taken
    report.bent(path, "too long")
    return cutText(taken, kept)
  })

/**
 * Maximum length of a sampled value in UTF-16 units. OCPP 1.6 sets none; signed records of some meters, wrapped in hex,
 * take 40,000.
 */
const valueMost = 65_536

/** What is kept of a longer value, to show how it began: it is no longer a number or a signature. */
const valueKept = 500

/** A sampled value. It is kept whole or not at all, since half of a signed record is worthless. */
export const sampleText: Field<string> = required(
  Schema.String.check(Schema.isMaxLength(valueMost)),
  (value, path, report) => {
    const taken = takeText(value, path, report)
    if (taken === undefined || taken.length <= valueMost) return taken
    report.bent(path, "too long")
    return cutText(taken, valueKept)
  }
)

/** Longest unknown value that is kept: all values of the specification are shorter. */
const wordMost = 50

/** An enumeration value. An unknown value is kept; an empty one counts as missing. */
export const word = (words: ReadonlyArray<string>): Field<string> => {
  const known = new Set(words)
  return required(Schema.Literals(words), (value, path, report) => {
    const taken = takeText(value, path, report)
    if (taken === undefined) return undefined
    if (taken.trim() === "") return report.lost(path, "empty")
    if (known.has(taken)) return taken
    report.bent(path, "unknown value")
    return cutText(taken, wordMost)
  })
}

const decimal = /^\s*[+-]?\d{1,20}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,2})?\s*$/

const takeNumber = (value: unknown, path: string, report: Report): number | undefined => {
  if (typeof value === "string") {
    if (!decimal.test(value)) return report.lost(path, value.trim() === "" ? "empty" : "wrong type")
    report.bent(path, "other type")
    return Number(value)
  }
  if (typeof value !== "number") return report.lost(path, "wrong type")
  return Number.isFinite(value) ? value : report.lost(path, "out of range")
}

/** A number with or without decimals. */
export const number: Field<number> = required(Schema.Finite, takeNumber)

const takeInteger = (value: unknown, path: string, report: Report): number | undefined => {
  const taken = takeNumber(value, path, report)
  if (taken === undefined || Number.isSafeInteger(taken)) return taken
  return report.lost(path, Number.isInteger(taken) ? "out of range" : "not whole")
}

export const integer: Field<number> = required(Schema.Int, takeInteger)

/** 0 for the whole charger, otherwise a connector (OCPP 1.6 §3.6). */
export const connectorNumber: Field<number> = required(
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: highestConnectorId })),
  (value, path, report) => {
    const taken = takeInteger(value, path, report)
    if (taken === undefined || (taken >= 0 && taken <= highestConnectorId)) return taken
    return report.lost(path, "out of range")
  }
)

/** A meter register in Wh (OCPP 1.6 §6.45, §6.49). Decimals, which some meters send, are rounded; the error is at most half a Wh. */
export const wholeWattHours: Field<number> = required(Schema.Int, (value, path, report) => {
  const taken = takeNumber(value, path, report)
  if (taken === undefined || Number.isSafeInteger(taken)) return taken
  if (Math.abs(taken) > Number.MAX_SAFE_INTEGER) return report.lost(path, "out of range")
  report.bent(path, "not whole")
  return Math.round(taken)
})

/** Longest text that is kept in place of a number or a time; all valid ones are shorter. */
const loneMost = 64

/** A transaction id as it was sent: a number of any size, or the text that was sent instead. */
export const transactionNumber: Field<number | string> = required(Schema.Int, (value, path, report) => {
  if (typeof value === "string") {
    report.bent(path, decimal.test(value) ? "other type" : "wrong type")
    return decimal.test(value) ? Number(value) : cutText(value, loneMost)
  }
  if (typeof value !== "number") return report.lost(path, "wrong type")
  if (!Number.isSafeInteger(value)) report.bent(path, Number.isInteger(value) ? "out of range" : "not whole")
  return value
})

export const time: Field<string> = required(Schema.String.check(Schema.makeFilter(isTime)), (value, path, report) => {
  const taken = takeText(value, path, report)
  const deviation = taken === undefined ? undefined : timeDeviation(taken)
  if (taken === undefined || deviation === undefined) return taken
  report.bent(path, deviation)
  return cutText(taken, loneMost)
})

export const flag: Field<boolean> = required(Schema.Boolean, (value, path, report) => {
  const meant = typeof value === "boolean" ? String(value) : takeText(value, path, report)?.trim().toLowerCase()
  if (meant === undefined) return undefined
  if (typeof value === "string") report.bent(path, "other type")
  if (meant === "true" || meant === "1") return true
  return meant === "false" || meant === "0" ? false : report.lost(path, "wrong type")
})

/** A string, or any other JSON as text: some vendors send an object as DataTransfer's data. */
export const textOrJson: Field<string> = required(Schema.String, (value, path, report) => {
  if (typeof value === "string") return value
  report.bent(path, "other type")
  return JSON.stringify(value)
})

/** The value as a list; a single value counts as a list of one. */
const takeArray = (value: unknown, path: string, report: Report): ReadonlyArray<unknown> => {
  if (Array.isArray(value)) return value
  report.bent(path, "other type")
  return [value]
}

export const texts = (maxLength: number): Field<ReadonlyArray<string>> => {
  const { schema, take } = text(maxLength)
  return required(Schema.Array(schema), (value, path, report) =>
    takeArray(value, path, report).flatMap((element) => (element === null ? [] : (take(element, path, report) ?? [])))
  )
}

/** An object within a message. */
export const nested = <const F extends Fields>(of: Message<F>): Field<Read<F>> =>
  required(of.schema, (value, path, report) => {
    const object = asObject(value)
    return object === undefined ? report.lost(path, "wrong type") : of.take(object, path, report)
  })

/** A list of objects. Elements that are not objects are left out. */
export const list = <const F extends Fields>(of: Message<F>): Field<ReadonlyArray<Read<F>>> =>
  required(Schema.Array(of.schema), (value, path, report) => {
    if (typeof value !== "object") return report.lost(path, "wrong type")
    return takeArray(value, path, report).flatMap((element) => {
      const object = asObject(element)
      if (object !== undefined) return [of.take(object, path, report)]
      report.bent(path, "wrong type")
      return []
    })
  })

/** A list for which the specification requires at least one element; an empty one is accepted. */
export const fullList = <const F extends Fields>(of: Message<F>): Field<ReadonlyArray<Read<F>>> => {
  const any = list(of)
  return required(Schema.Array(of.schema).check(Schema.isMinLength(1)), (value, path, report) => {
    const taken = any.take(value, path, report)
    if (taken?.length === 0) report.bent(path, "empty")
    return taken
  })
}
