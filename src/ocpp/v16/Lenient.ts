/**
 * How payloads are read. Each message is declared once. From the declaration come a strict schema, which well-behaved
 * chargers pass on the fast path, and a lenient reader for all others, which interprets each value as well as it can
 * and reports every deviation.
 */
import { Schema } from "effect"
import type { ErrorCode } from "../rpc/ErrorCode.ts"
import type { TimeDeviation } from "./Time.ts"

/** What can be wrong with a value. A closed set without the charger's own text, so that deviations can be counted by name. */
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

/** The error code for a CALL that lacks a value without which it cannot be understood (OCPP-J 1.6 §4.2.3). */
export const lossCode = (deviation: Deviation): ErrorCode => {
  if (deviation === "missing" || deviation === "null") return "OccurenceConstraintViolation"
  return deviation === "wrong type" ? "TypeConstraintViolation" : "PropertyConstraintViolation"
}

/** The deviations found while one payload is read. */
export class Report {
  private readonly notes = new Set<string>()
  private readonly losses = new Map<string, Deviation>()

  /** Reports a deviation of a value that is used anyway. */
  bent(path: string, deviation: Deviation): void {
    this.notes.add(`${path}: ${deviation}`)
  }

  /** Reports that a value could not be read; it counts as not sent. */
  lost(path: string, deviation: Deviation): undefined {
    this.bent(path, deviation)
    this.losses.set(path, deviation)
    return undefined
  }

  lossOf(path: string): Deviation | undefined {
    return this.losses.get(path)
  }

  /**
   * Each deviation once, as `meterValue.sampledValue.unit: unknown value`: it contains names of OCPP's fields, and
   * nothing that a charger wrote.
   */
  get violations(): ReadonlyArray<string> {
    return [...this.notes]
  }
}

/** One kind of value. */
export interface Field<A> {
  /** What the specification allows. Whatever it accepts has type `A`. */
  readonly schema: Schema.Constraint
  readonly isOptional: boolean
  /** Interprets any other value. `value` is neither undefined nor null. */
  readonly take: (value: unknown, path: string, report: Report) => A | undefined
}

export type Fields = Readonly<Record<string, Field<unknown>>>

/** A payload that has been read: every field may be missing, since chargers leave out required ones. */
export type Read<F extends Fields> = {
  readonly [Name in keyof F]?: (F[Name] extends Field<infer A> ? A : never) | undefined
}

export interface Message<F extends Fields> {
  readonly schema: Schema.Constraint
  /** True for a payload that conforms to the specification; unknown fields are allowed. */
  readonly conforms: (payload: unknown) => payload is Read<F>
  readonly take: (payload: PayloadObject, path: string, report: Report) => Read<F>
}

/** The type of a declared message when it has been read. */
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
  // The guard is compiled when it is first used, and kept.
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
      // Each field's `take` returns its own type; only the record has lost which belongs to which.
      return read as Read<F>
    }
  }
}
