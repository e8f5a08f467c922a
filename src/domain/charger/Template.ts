/**
 * The configuration that an organisation expects of its chargers: which keys of a charger differ from it, and which of them can be changed. Keys are
 * compared case-insensitively (OCPP 1.6 §5.3: CiString). Values are compared by their likely type, since OCPP 1.6 does not state the type.
 */
import { Schema } from "effect"
import type { ConfigurationKey } from "../command/ChargerCommand.ts"
import { InvalidInput } from "../Errors.ts"
import { isSecretName, maskedValue } from "../values/SecretNames.ts"
import { shownValue } from "../values/SecretText.ts"

/** The maximum number of keys in a template: OCPP 1.6 has about fifty, and vendors add as many. */
export const templateKeysMax = 200

/** OCPP 1.6 §6.17: a key is a CiString50, a value a CiString500. */
export const keyMaxLength = 50
export const valueMaxLength = 500

export const TemplateKey = Schema.Struct({ key: Schema.String, value: Schema.String })
export type TemplateKey = typeof TemplateKey.Type

/** Keys that change a charger's authentication. Each charger has its own values, and a mistake would lock the charger out. */
const refusedKeys: ReadonlySet<string> = new Set(["authorizationkey", "securityprofile"])

export const nameOf = (key: string): string => key.trim().toLowerCase()

/** True for a key that no template may contain. */
export const isRefused = (key: string): boolean => refusedKeys.has(nameOf(key))

const normal = (value: string): string => {
  const parts = value.split(",").map((part) => part.trim())
  return parts.map((part) => (/^(true|false)$/i.test(part) ? part.toLowerCase() : part)).join(",")
}

/** True if two values mean the same: booleans in any case, numbers in any notation, lists with or without blanks. */
export const sameValue = (one: string, other: string): boolean => {
  const [a, b] = [normal(one), normal(other)]
  return a === b || (/^-?\d+(\.\d+)?$/.test(a) && /^-?\d+(\.\d+)?$/.test(b) && Number(a) === Number(b))
}

/** The keys as they may be shown to everyone. Those whose secret differs from `before` say so. */
export const shownTemplate = (
  keys: ReadonlyArray<TemplateKey>,
  before: ReadonlyArray<TemplateKey> = keys
): ReadonlyArray<TemplateKey> => {
  const former = new Map(before.map((one) => [nameOf(one.key), one.value]))
  return keys.map(({ key, value }) => {
    const shown = shownValue(key, value)
    const known = former.get(nameOf(key))
    return { key, value: shown !== value && known !== undefined && known !== value ? `${shown} (changed)` : shown }
  })
}

/**
 * The given keys, with the stored value of each key that is given as it is shown masked: a client that may not see a secret can change the others.
 */
export const keptSecrets = (
  given: ReadonlyArray<TemplateKey>,
  stored: ReadonlyArray<TemplateKey>
): ReadonlyArray<TemplateKey> | InvalidInput => {
  const known = new Map(stored.map((one) => [nameOf(one.key), one.value]))
  const kept = given.map(({ key, value }) => {
    const former = known.get(nameOf(key))
    return { key, value: former !== undefined && shownValue(key, former) === value ? former : value }
  })
  const masked = kept.findIndex(({ key, value }) => value === maskedValue && isSecretName(key))
  return masked < 0
    ? kept
    : new InvalidInput({
        pointer: `/keys/${masked}/value`,
        detail: "Is masked, and no value is stored: give the value"
      })
}

/** A value that says nothing about the charger's secret: nothing, or what chargers answer in its place. */
const isVeiled = (value: string | undefined): boolean =>
  value === undefined ||
  /^(?:[*•●.x#-]*|<?(?:hidden|masked|secret|redacted|protected|password|null|none)>?)$/i.test(value.trim())

export interface ComparedKey {
  readonly key: string
  /** Undefined if the charger reported no value or has no such key. */
  readonly value: string | undefined
  readonly readonly: boolean
  /** The template's value; undefined if the template does not contain the key. */
  readonly expected: string | undefined
  /** True if the charger's value differs from the template's, or the charger does not have the key. False for a secret that it does not tell. */
  readonly drift: boolean
  /** True if the template has the key and the charger does not. */
  readonly missing: boolean
  /** True if the value is secret because of the key's name, so that only some may see it. */
  readonly secret: boolean
  /** True if the template has the secret, and it is unknown whether the charger has the same. */
  readonly unknown: boolean
}

/** The reported keys in their order, followed by the template's keys that the charger does not have. */
export const compare = (
  template: ReadonlyArray<TemplateKey>,
  reported: ReadonlyArray<ConfigurationKey>
): ReadonlyArray<ComparedKey> => {
  const wanted = new Map(template.map((one) => [nameOf(one.key), one]))
  const compared = reported.map(({ key, readonly, value }) => {
    const expected = wanted.get(nameOf(key))?.value
    wanted.delete(nameOf(key))
    const secret = isSecretName(key)
    const unknown = secret && expected !== undefined && isVeiled(value) && value?.trim() !== expected.trim()
    const drift = expected !== undefined && !unknown && !(value !== undefined && sameValue(value, expected))
    return { key, value, readonly, expected, drift, missing: false, secret, unknown }
  })
  const missing = [...wanted.values()].map(({ key, value }) => ({
    key,
    value: undefined,
    readonly: false,
    expected: value,
    drift: true,
    missing: true,
    secret: isSecretName(key),
    unknown: false
  }))
  return [...compared, ...missing]
}

/**
 * What would have to be changed at the charger: its keys with a different value that it does not report as read-only. Secrets that the charger does
 * not tell are among them only if `withUnknown`: sent after each boot, they would make some chargers reconnect their modem each time.
 */
export const toChange = (
  template: ReadonlyArray<TemplateKey>,
  reported: ReadonlyArray<ConfigurationKey>,
  withUnknown = false
): ReadonlyArray<TemplateKey> =>
  compare(template, reported).flatMap(({ drift, expected, key, missing, readonly, unknown }) =>
    (drift || (withUnknown && unknown)) && !missing && !readonly && expected !== undefined
      ? [{ key, value: expected }]
      : []
  )
