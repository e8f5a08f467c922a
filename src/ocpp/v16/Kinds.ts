/**
 * The kinds of values that OCPP 1.6 messages are made of, each with what the specification allows and what is taken instead: numbers
 * written as strings and strings as numbers, words that no list knows, and whatever is too long. No text that a charger writes leaves this file
 * longer than its kind allows: it is cut and marked, and never refused for it.
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
 * A string of at most `maxLength` UTF-16 units. A longer one is cut to that, or to `kept` where what chargers write there is worth more than the
 * specification has room for.
 */
export const text = (maxLength: number, kept = maxLength): Field<string> =>
  required(Schema.String.check(Schema.isMaxLength(maxLength)), (value, path, report) => {
    const taken = takeText(value, path, report)
    if (taken === undefined || taken.length <= maxLength) return taken
    report.bent(path, "too long")
    return cutText(taken, kept)
  })

/** UTF-16 units of a sampled value. OCPP 1.6 sets no length; signed records of some meters, wrapped in hex, take 40,000. */
const valueMost = 65_536

/** What is kept of a longer one: it is no figure and no signature any more, and shows only what it began with. */
const valueKept = 500

/** A sampled value, which is kept as it is or not at all: half of a signed record is worth nothing. */
export const sampleText: Field<string> = required(
  Schema.String.check(Schema.isMaxLength(valueMost)),
  (value, path, report) => {
    const taken = takeText(value, path, report)
    if (taken === undefined || taken.length <= valueMost) return taken
    report.bent(path, "too long")
    return cutText(taken, valueKept)
  }
)

/** Longest word that is kept: no list has one as long. */
const wordMost = 50

/** One word of a list. An unknown one is kept, an empty one is none. */
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

/** 0 for the whole charger, else a connector (OCPP 1.6 §3.6). */
export const connectorNumber: Field<number> = required(
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: highestConnectorId })),
  (value, path, report) => {
    const taken = takeInteger(value, path, report)
    if (taken === undefined || (taken >= 0 && taken <= highestConnectorId)) return taken
    return report.lost(path, "out of range")
  }
)

/** A meter register in Wh (OCPP 1.6 §6.45, §6.49). Decimals are rounded: some meters give them, and none is off by half a Wh. */
export const wholeWattHours: Field<number> = required(Schema.Int, (value, path, report) => {
  const taken = takeNumber(value, path, report)
  if (taken === undefined || Number.isSafeInteger(taken)) return taken
  if (Math.abs(taken) > Number.MAX_SAFE_INTEGER) return report.lost(path, "out of range")
  report.bent(path, "not whole")
  return Math.round(taken)
})

/** Longest text that is kept where a number or a time should stand: longer than any of them. */
const loneMost = 64

/** A transaction id as it was sent: a number of any size, or the text that stood in its place. */
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

/** A string, or any other JSON as its text: DataTransfer's data is an object with some vendors. */
export const textOrJson: Field<string> = required(Schema.String, (value, path, report) => {
  if (typeof value === "string") return value
  report.bent(path, "other type")
  return JSON.stringify(value)
})

/** The value as a list; one alone counts as a list of itself. */
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

/** A list of objects. What is none in it is left out. */
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

/** A list that the specification wants at least one element in; an empty one is taken. */
export const fullList = <const F extends Fields>(of: Message<F>): Field<ReadonlyArray<Read<F>>> => {
  const any = list(of)
  return required(Schema.Array(of.schema).check(Schema.isMinLength(1)), (value, path, report) => {
    const taken = any.take(value, path, report)
    if (taken?.length === 0) report.bent(path, "empty")
    return taken
  })
}
