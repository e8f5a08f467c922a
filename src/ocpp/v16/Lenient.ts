/**
 * How payloads are read: each message is declared once, and from the declaration come a strict schema, which well-behaved chargers pass on
 * the fast path, and a lenient reading for the others, which makes of each value what can be made of it and reports every deviation.
 */
import { Schema } from "effect"
import type { ErrorCode } from "../rpc/ErrorCode.ts"
import type { TimeDeviation } from "./Time.ts"

/** What can be wrong with a value. Closed and free of the charger's own text, so that deviations can be counted by name. */
export type Deviation =
  | TimeDeviation
  | "missing"
  | "null"
  | "empty"
  | "wrong type"
  | "other type"
  | "too long"
  | "unknown value"
  | "not whole"
  | "out of range"

/** What a CALL is answered that lacks a value it cannot be understood without (OCPP-J 1.6 §4.2.3). */
export const lossCode = (deviation: Deviation): ErrorCode => {
  if (deviation === "missing" || deviation === "null") return "OccurenceConstraintViolation"
  return deviation === "wrong type" ? "TypeConstraintViolation" : "PropertyConstraintViolation"
}

/** The deviations found while one payload is read. */
export class Report {
  private readonly notes = new Set<string>()
  private readonly losses = new Map<string, Deviation>()

  /** The value is taken all the same. */
  bent(path: string, deviation: Deviation): void {
    this.notes.add(`${path}: ${deviation}`)
  }

  /** The value is lost; it reads as if it had not been sent. */
  lost(path: string, deviation: Deviation): undefined {
    this.bent(path, deviation)
    this.losses.set(path, deviation)
    return undefined
  }

  lossOf(path: string): Deviation | undefined {
    return this.losses.get(path)
  }

  /** Each deviation once, as `meterValue.sampledValue.unit: unknown value`: names of OCPP's fields and nothing that a charger wrote. */
  get violations(): ReadonlyArray<string> {
    return [...this.notes]
  }
}

/** One kind of value. */
export interface Field<A> {
  /** What the specification allows. Whatever it accepts is an `A`. */
  readonly schema: Schema.Constraint
  readonly isOptional: boolean
  /** What is made of anything else. `value` is neither undefined nor null. */
  readonly take: (value: unknown, path: string, report: Report) => A | undefined
}

export type Fields = Readonly<Record<string, Field<unknown>>>

/** A payload that has been read: every field may be missing, since chargers leave out required ones. */
export type Read<F extends Fields> = {
  readonly [Name in keyof F]?: (F[Name] extends Field<infer A> ? A : never) | undefined
}

export interface Message<F extends Fields> {
  readonly schema: Schema.Constraint
  /** True for a payload that is as the specification wants it; fields that it does not know are let through. */
  readonly conforms: (payload: unknown) => payload is Read<F>
  readonly take: (payload: PayloadObject, path: string, report: Report) => Read<F>
}

/** What a declared message reads as. */
export type ReadOf<M> = M extends Message<infer F> ? Read<F> : never

export type PayloadObject = Readonly<Record<string, unknown>>

/** The value as a JSON object; undefined for anything else. Chargers written in PHP send `[]` for an empty one. */
export const asObject = (value: unknown): PayloadObject | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  if (Array.isArray(value)) return value.length === 0 ? {} : undefined
  return value as PayloadObject
}

export const optional = <A>(field: Field<A>): Field<A> => ({ ...field, isOptional: true })

/** Declares a payload. Fields are required unless wrapped in `optional`. */
export const message = <const F extends Fields>(fields: F): Message<F> => {
  const entries = Object.entries(fields)
  const schema = Schema.Struct(
    Object.fromEntries(
      entries.map(([name, field]) => [name, field.isOptional ? Schema.optionalKey(field.schema) : field.schema])
    )
  )
  // The guard is compiled at its first use and kept.
  const guard = Schema.is(schema)
  return {
    schema,
    conforms: (payload): payload is Read<F> => guard(payload),
    take: (payload, path, report) => {
      const read: Record<string, unknown> = {}
      for (const [name, field] of entries) {
        const value = payload[name]
        const at = path === "" ? name : `${path}.${name}`
        if (value !== undefined && value !== null) read[name] = field.take(value, at, report)
        else if (!field.isOptional) report.lost(at, value === null ? "null" : "missing")
        else if (value === null) report.bent(at, "null")
      }
      // Each field's `take` gives its own type; the record only has lost which is which.
      return read as Read<F>
    }
  }
}
