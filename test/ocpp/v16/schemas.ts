/**
 * The official JSON schemas of OCPP 1.6 as the package `ocpp-rpc` carries them, with its own validator: a third-party opinion on what is
 * valid. Its one known deviation from the official set (no Hertz among the units) is avoided.
 */
import { createRequire } from "node:module"
import { createValidator } from "ocpp-rpc"

interface JsonSchema {
  readonly $id?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly enum?: ReadonlyArray<string>
  readonly $ref?: string
  readonly definitions?: Readonly<Record<string, JsonSchema>>
}

const schemas = createRequire(import.meta.url)("ocpp-rpc/lib/schemas/ocpp1_6.json") as Array<JsonSchema>
const validator = createValidator("ocpp1.6", schemas)

/** Every action of 1.6, from the schemas. */
export const allActions: ReadonlyArray<string> = schemas.flatMap(
  ({ $id }) => /^urn:(.+)\.req$/.exec($id ?? "")?.[1] ?? []
)

/** Every status that an action's answer may have; none for answers without one. */
export const statusesOf = (action: string): ReadonlyArray<string> => {
  const conf = schemas.find(({ $id }) => $id === `urn:${action}.conf`)!
  const status = conf.properties?.["status"]
  const name = status?.$ref?.split("/").at(-1)
  return (name === undefined ? status : conf.definitions?.[name])?.enum ?? []
}

/** Why the payload does not conform to the schema; undefined if it does. `kind` is the CALL (`req`) or its CALLRESULT (`conf`). */
export const schemaProblem = (action: string, kind: "req" | "conf", payload: unknown): string | undefined => {
  try {
    // The validator sees what the charger would: JSON has no undefined.
    validator.validate(`urn:${action}.${kind}`, JSON.parse(JSON.stringify(payload)))
    return undefined
  } catch (cause) {
    return String(cause)
  }
}

const requestOf = (action: string): JsonSchema => schemas.find(({ $id }) => $id === `urn:${action}.req`)!

const definitionOf = (root: JsonSchema, ref: string): JsonSchema => root.definitions![ref.split("/").at(-1)!]!

type Replacements = (known: ReadonlyArray<string>) => ReadonlyArray<string>

const variantsBy = (
  root: JsonSchema,
  schema: JsonSchema,
  value: unknown,
  replacements: Replacements
): ReadonlyArray<unknown> => {
  if (schema.$ref !== undefined) return variantsBy(root, definitionOf(root, schema.$ref), value, replacements)
  if (schema.enum !== undefined) return replacements(schema.enum)
  if (Array.isArray(value)) {
    return value.flatMap((item, i) =>
      variantsBy(root, schema.items ?? {}, item, replacements).map((variant) => value.with(i, variant))
    )
  }
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    variantsBy(root, schema.properties?.[name] ?? {}, member, replacements).map((variant) => ({
      ...value,
      [name]: variant
    }))
  )
}

/** The payload once for each value of each of its enumerated fields. */
export const withEveryEnumValue = (action: string, payload: unknown): ReadonlyArray<unknown> =>
  variantsBy(requestOf(action), requestOf(action), payload, (known) => known)

/** The payload once for each of its enumerated fields, with an unknown value in it. */
export const withUnknownEnumValue = (action: string, payload: unknown): ReadonlyArray<unknown> =>
  variantsBy(requestOf(action), requestOf(action), payload, () => ["Strange"])

const pruneBy = (schema: JsonSchema, value: unknown): unknown => {
  if (Array.isArray(value))
    return schema.items === undefined ? value : value.map((item) => pruneBy(schema.items!, item))
  if (typeof value !== "object" || value === null || schema.properties === undefined) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => Object.hasOwn(schema.properties!, name))
      .map(([name, member]) => [name, pruneBy(schema.properties![name]!, member)])
  )
}

/** The payload without the fields that are not in the schema. */
export const pruned = (action: string, payload: unknown): unknown =>
  pruneBy(
    schemas.find(({ $id }) => $id === `urn:${action}.req`)!,
    payload
  )

const orderedBy = (root: JsonSchema, schema: JsonSchema, value: unknown): unknown => {
  if (schema.$ref !== undefined) return orderedBy(root, definitionOf(root, schema.$ref), value)
  if (Array.isArray(value)) return value.map((item) => orderedBy(root, schema.items ?? {}, item))
  if (typeof value !== "object" || value === null) return value
  const members = value as Readonly<Record<string, unknown>>
  const named = Object.entries(schema.properties ?? {}).filter(([name]) => Object.hasOwn(members, name))
  return Object.fromEntries(named.map(([name, member]) => [name, orderedBy(root, member, members[name])]))
}

/** The payload with its fields, also nested ones, in the order of the request's schema. */
export const inSpecifiedOrder = (action: string, payload: unknown): unknown =>
  orderedBy(requestOf(action), requestOf(action), payload)
