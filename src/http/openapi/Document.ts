/**
 * An OpenAPI 3.1 document for the final processing steps: the parts that they read and change, and a traversal of every schema. Effect
 * generates the document from an API's definition. This file is independent of REST v1 and v2.
 */

/** A JSON Schema, limited to what Effect generates. */
export interface Schema {
  $ref?: string
  type?: string | Array<string>
  format?: string
  description?: string
  enum?: Array<unknown>
  minimum?: number
  maximum?: number
  properties?: Record<string, Schema>
  required?: Array<string>
  items?: Schema
  additionalProperties?: boolean | Schema
  anyOf?: Array<Schema>
  oneOf?: Array<Schema>
  allOf?: Array<Schema>
  discriminator?: { readonly propertyName: string; readonly mapping: Record<string, string> }
}

interface Media {
  schema: Schema
  example?: unknown
  examples?: Record<string, unknown>
}

export interface Parameter {
  readonly name: string
  readonly in: string
  schema: Schema
  description?: string
  example?: unknown
}

export interface Answer {
  description: string
  headers?: Record<string, { schema: Schema; description?: string }>
  content?: Record<string, Media>
}

export interface Operation {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly summary?: string
  description?: string
  parameters: Array<Parameter>
  requestBody?: { content: Record<string, Media>; required?: boolean }
  responses: Record<string, Answer>
}

export interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; examples?: Record<string, unknown> }
  tags?: Array<{ name: string; description?: string }>
}

const refStart = "#/components/schemas/"

export const refTo = (name: string): string => `${refStart}${name}`

/** The name of the component that a schema refers to. */
export const referred = (schema: Schema): string | undefined =>
  schema.$ref?.startsWith(refStart) === true ? schema.$ref.slice(refStart.length) : undefined

export const isNull = (schema: Schema): boolean => schema.type === "null"

export const operationsOf = (document: Document): ReadonlyArray<Operation> =>
  Object.values(document.paths).flatMap((item) => Object.values(item))

/** Applies `change` to the direct children of a schema. A place is the path of properties from the name of a component or an operation. */
const within = (schema: Schema, place: string, change: (schema: Schema, place: string) => Schema): Schema => {
  const all = (schemas: Array<Schema>) => schemas.map((one) => change(one, place))
  const { additionalProperties, allOf, anyOf, items, oneOf, properties } = schema
  return {
    ...schema,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [name, change(property, `${place}.${name}`)])
          )
        }),
    ...(items === undefined ? {} : { items: change(items, place) }),
    ...(typeof additionalProperties === "object" ? { additionalProperties: change(additionalProperties, place) } : {}),
    ...(anyOf === undefined ? {} : { anyOf: all(anyOf) }),
    ...(oneOf === undefined ? {} : { oneOf: all(oneOf) }),
    ...(allOf === undefined ? {} : { allOf: all(allOf) })
  }
}

export type Change = (schema: Schema, place: string) => Schema

/** Applies `change` to `schema` and everything in it, the innermost first. References are not followed. */
export const changed = (schema: Schema, place: string, change: Change): Schema =>
  change(
    within(schema, place, (inner, at) => changed(inner, at, change)),
    place
  )

/** Changes every schema of the document in place. */
export const changeAll = (document: Document, change: Change): void => {
  const { schemas } = document.components
  for (const [name, schema] of Object.entries(schemas)) schemas[name] = changed(schema, name, change)
  for (const operation of operationsOf(document)) {
    const { operationId, parameters, requestBody, responses } = operation
    for (const parameter of parameters) {
      parameter.schema = changed(parameter.schema, `${operationId}.${parameter.name}`, change)
    }
    const answers = Object.values(responses)
    for (const media of [requestBody?.content, ...answers.map(({ content }) => content)].flatMap((content) =>
      Object.values(content ?? {})
    )) {
      media.schema = changed(media.schema, operationId, change)
    }
    for (const header of answers.flatMap(({ headers }) => Object.values(headers ?? {}))) {
      header.schema = changed(header.schema, operationId, change)
    }
  }
}
