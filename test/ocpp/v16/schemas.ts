/**
 * The official JSON schemas of OCPP 1.6 as the package `ocpp-rpc` carries them, with its own validator: somebody else's word on what is
 * valid. Its one known slip against the official set (no Hertz among the units) is kept away from it.
 */
import { createRequire } from "node:module"
import { createValidator } from "ocpp-rpc"

interface JsonSchema {
  readonly $id?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
}

const schemas = createRequire(import.meta.url)("ocpp-rpc/lib/schemas/ocpp1_6.json") as Array<JsonSchema>
const validator = createValidator("ocpp1.6", schemas)

/** Every action of 1.6, from the schemas. */
export const allActions: ReadonlyArray<string> = schemas.flatMap(
  ({ $id }) => /^urn:(.+)\.req$/.exec($id ?? "")?.[1] ?? []
)

/** What the schema says against the payload; undefined when nothing. `kind` is the CALL (`req`) or its CALLRESULT (`conf`). */
export const schemaProblem = (action: string, kind: "req" | "conf", payload: unknown): string | undefined => {
  try {
    // The validator sees what the charger would: JSON has no undefined.
    validator.validate(`urn:${action}.${kind}`, JSON.parse(JSON.stringify(payload)))
    return undefined
  } catch (cause) {
    return String(cause)
  }
}

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

/** The payload without the fields that the schema does not know. */
export const pruned = (action: string, payload: unknown): unknown =>
  pruneBy(
    schemas.find(({ $id }) => $id === `urn:${action}.req`)!,
    payload
  )
