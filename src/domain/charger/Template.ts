/**
 * The configuration that an organisation expects of its chargers: what of it a charger has otherwise, and what can be done about that.
 * Keys compare without regard to case (OCPP 1.6 §5.3: CiString); values as their type would, which OCPP 1.6 does not tell.
 */
import { Schema } from "effect"
import type { ConfigurationKey } from "../command/ChargerCommand.ts"

/** Most keys of a template: OCPP 1.6 has about fifty, vendors add as many. */
export const templateKeysMax = 200

/** OCPP 1.6 §6.17: a key is a CiString50, a value a CiString500. */
export const keyMaxLength = 50
export const valueMaxLength = 500

export const TemplateKey = Schema.Struct({ key: Schema.String, value: Schema.String })
export type TemplateKey = typeof TemplateKey.Type

/** Keys that change how a charger proves itself: each charger has its own, and they change with care for what a mistake costs. */
const refusedKeys: ReadonlySet<string> = new Set(["authorizationkey", "securityprofile"])

export const nameOf = (key: string): string => key.trim().toLowerCase()

/** True for a key that no template may hold. */
export const isRefused = (key: string): boolean => refusedKeys.has(nameOf(key))

const normal = (value: string): string => {
  const parts = value.split(",").map((part) => part.trim())
  return parts.map((part) => (/^(true|false)$/i.test(part) ? part.toLowerCase() : part)).join(",")
}

/** True where two values mean the same: booleans in any case, numbers however they are written, lists with or without blanks. */
export const sameValue = (one: string, other: string): boolean => {
  const [a, b] = [normal(one), normal(other)]
  return a === b || (/^-?\d+(\.\d+)?$/.test(a) && /^-?\d+(\.\d+)?$/.test(b) && Number(a) === Number(b))
}

export interface ComparedKey {
  readonly key: string
  /** Undefined where the charger reported none, or has no such key. */
  readonly value: string | undefined
  readonly readonly: boolean
  /** What the template says; undefined where it says nothing. */
  readonly expected: string | undefined
  /** The charger has it otherwise, or not at all. */
  readonly drift: boolean
  /** The template has it and the charger does not. */
  readonly missing: boolean
}

/** The reported keys in their order, then those of the template that are missing. */
export const compare = (
  template: ReadonlyArray<TemplateKey>,
  reported: ReadonlyArray<ConfigurationKey>
): ReadonlyArray<ComparedKey> => {
  const wanted = new Map(template.map((one) => [nameOf(one.key), one]))
  const compared = reported.map(({ key, readonly, value }) => {
    const expected = wanted.get(nameOf(key))?.value
    wanted.delete(nameOf(key))
    const drift = expected !== undefined && !(value !== undefined && sameValue(value, expected))
    return { key, value, readonly, expected, drift, missing: false }
  })
  const missing = [...wanted.values()].map(({ key, value }) => ({
    key,
    value: undefined,
    readonly: false,
    expected: value,
    drift: true,
    missing: true
  }))
  return [...compared, ...missing]
}

/** What would have to be changed at the charger: keys that it has otherwise and does not call read-only. */
export const toChange = (
  template: ReadonlyArray<TemplateKey>,
  reported: ReadonlyArray<ConfigurationKey>
): ReadonlyArray<TemplateKey> =>
  compare(template, reported).flatMap(({ drift, expected, key, missing, readonly }) =>
    drift && !missing && !readonly && expected !== undefined ? [{ key, value: expected }] : []
  )
