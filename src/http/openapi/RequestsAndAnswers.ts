/**
 * Adds to the OpenAPI document what the schemas do not say. Requests contain only the named fields, and answers may gain fields
 * (docs/decisions/0008). Numbers and booleans in a query are shown as such, not as strings.
 */
import { Schema, SchemaAST } from "effect"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import type { Document } from "./Document.ts"

type Json = unknown
type Named = Readonly<Record<string, Json>>

const isNamed = (value: Json): value is Named => typeof value === "object" && value !== null && !Array.isArray(value)

/** Applies `change` to each object in the value, the innermost first. */
const mapped = (value: Json, change: (one: Named) => Json): Json => {
  if (Array.isArray(value)) return value.map((one: Json) => mapped(one, change))
  if (!isNamed(value)) return value
  return change(Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapped(one, change)])))
}

const prefix = "#/components/schemas/"

/** The name of the component that a schema refers to. */
const referred = (schema: Named): string | undefined => {
  const ref = schema["$ref"]
  return typeof ref === "string" && ref.startsWith(prefix) ? ref.slice(prefix.length) : undefined
}

/** The names of all components that can be reached from a part of the document. */
const reachable = (from: Json, schemas: Named): ReadonlySet<string> => {
  const found = new Set<string>()
  const look = (part: Json): void => {
    mapped(part, (one) => {
      const name = referred(one)
      if (name !== undefined && !found.has(name)) {
        found.add(name)
        look(schemas[name])
      }
      return one
    })
  }
  look(from)
  return found
}

/** Removes `additionalProperties: false`: an answer may have fields that are not named. */
const opened = (schema: Json): Json =>
  mapped(schema, (one) => {
    if (one["additionalProperties"] !== false) return one
    const { additionalProperties: _, ...open } = one
    return open
  })

const renamed = (part: Json, names: ReadonlyMap<string, string>): Json =>
  mapped(part, (one) => {
    const name = names.get(referred(one) ?? "")
    return name === undefined ? one : { ...one, $ref: `${prefix}${name}` }
  })

interface Operation {
  readonly operationId: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly requestBody?: Json
  readonly responses: Json
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: Named
}

const eachOperation = (paths: Named, change: (operation: Operation) => Json): Named =>
  Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      // In Effect's document a path has nothing but operations.
      Object.fromEntries(Object.entries(item as Named).map(([method, one]) => [method, change(one as Operation)]))
    ])
  )

const operationsOf = (paths: Named): ReadonlyArray<Operation> => {
  const found: Array<Operation> = []
  eachOperation(paths, (operation) => found.push(operation))
  return found
}

/** Those components that are closed, or that refer to a closed one among `names`. They are needed in an open and in a closed form. */
const closedAmong = (names: ReadonlySet<string>, schemas: Named): ReadonlySet<string> => {
  const isClosed = (schema: Json): boolean => JSON.stringify(opened(schema)) !== JSON.stringify(schema)
  return new Set(
    [...names].filter((name) =>
      [name, ...reachable(schemas[name], schemas)].some((one) => names.has(one) && isClosed(schemas[one]))
    )
  )
}

const splitSchemas = (paths: Named, schemas: Named): { readonly paths: Named; readonly schemas: Named } => {
  const operations = operationsOf(paths)
  const asked = reachable(
    operations.map(({ requestBody }) => requestBody),
    schemas
  )
  const answered = reachable(
    operations.map(({ responses }) => responses),
    schemas
  )
  const both = new Map(
    [...closedAmong(new Set([...asked].filter((name) => answered.has(name))), schemas)].map((name) => [
      name,
      `${name}Input`
    ])
  )
  for (const name of both.values()) {
    if (schemas[name] !== undefined) throw new Error(`The OpenAPI document has a schema ${name} already`)
  }
  const components = Object.entries(schemas).flatMap(([name, schema]): ReadonlyArray<readonly [string, Json]> => {
    const input = both.get(name)
    return [
      [name, answered.has(name) ? opened(schema) : renamed(schema, both)],
      ...(input === undefined ? [] : [[input, renamed(schema, both)] as const])
    ]
  })
  return {
    paths: eachOperation(paths, ({ requestBody, responses, ...operation }) => ({
      ...operation,
      ...(requestBody === undefined ? {} : { requestBody: renamed(requestBody, both) }),
      responses: opened(responses)
    })),
    schemas: Object.fromEntries(components.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }
}

const isNumberOrFlag = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Number" || ast._tag === "Boolean" || (ast._tag === "Literal" && typeof ast.literal !== "string")

/** The decoded schemas of those query parameters that are numbers or booleans, by operation and name. */
const valuesOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) => {
  const found = new Map<string, Json>()
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      const query = endpoint.query === undefined ? undefined : SchemaAST.toType(endpoint.query.ast)
      if (query?._tag !== "Objects") return
      for (const { name, type } of query.propertySignatures) {
        if (!isNumberOrFlag(type)) continue
        const { schema } = Schema.toJsonSchemaDocument(Schema.make(type))
        found.set(`${group.identifier}.${endpoint.identifier} ${String(name)}`, schema)
      }
    }
  })
  return found
}

/**
 * The same paths, with query parameters shown as numbers or booleans where they are such. A time is a number inside the service, but text
 * in a query.
 */
export const withQueryValues = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  paths: Named
): Named => {
  const values = valuesOf(api)
  return eachOperation(paths, ({ parameters, ...operation }) => ({
    ...operation,
    parameters: parameters.map((parameter) => {
      const { schema } = parameter
      const value = parameter.in === "query" ? values.get(`${operation.operationId} ${parameter.name}`) : undefined
      if (value === undefined || schema["format"] === "date-time") return parameter
      const { description } = schema
      return { ...parameter, schema: { ...(description === undefined ? {} : { description }), ...(value as Named) } }
    })
  }))
}

/**
 * The same document, whose answers may gain fields. A closed component that both requests and answers use is duplicated; the requests' copy
 * is named `…Input`.
 */
export const withOpenAnswers = (document: Document): Document => {
  const { components } = document
  const { paths, schemas } = splitSchemas(document.paths as unknown as Named, components.schemas as unknown as Named)
  return { ...document, paths, components: { ...components, schemas } } as unknown as Document
}
