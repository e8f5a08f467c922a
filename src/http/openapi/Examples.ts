/**
 * Examples of an OpenAPI document. Request bodies are written by hand. Answers are built from the examples of their properties, so that a
 * new property appears in the example of every answer that has it.
 */
import { isNull, operationsOf, referred, type Document, type Operation, type Schema } from "./Document.ts"
import type { Lookup, Descriptions } from "./Descriptions.ts"

/** Deepest nesting of an example; no answer refers to itself today. */
const depthMax = 12

const firstType = ({ type }: Schema): string | undefined =>
  typeof type === "string" ? type : type?.find((one) => one !== "null")

interface Examples {
  /** The example in the tables for a property or a parameter, otherwise one built from its schema. */
  readonly property: (schema: Schema, place: string, depth?: number) => unknown
  /** An example value of the schema at `place`; undefined if none can be built. */
  readonly of: (schema: Schema, place: string, depth?: number) => unknown
}

const examplesOf = ({ components }: Document, { answers }: Descriptions, lookup: Lookup): Examples => {
  const property = (schema: Schema, place: string, depth = 0): unknown => {
    const given = lookup.at(place)
    return given !== undefined && given.length === 2 && isWord(schema, given[1]) ? given[1] : of(schema, place, depth)
  }
  /** False for an example that is not among the schema's allowed values: then the name means something else here. */
  const isWord = (schema: Schema, value: unknown): boolean => {
    const name = referred(schema)
    const chosen = name === undefined ? schema.enum : components.schemas[name]?.enum
    return chosen === undefined || chosen.includes(value)
  }
  const component = (name: string, depth: number): unknown => {
    if (Object.hasOwn(answers, name)) return answers[name]
    const schema = components.schemas[name]
    return schema === undefined ? undefined : of(schema, name, depth)
  }
  const ofType = (schema: Schema, place: string, depth: number): unknown => {
    switch (firstType(schema)) {
      case "object":
        return Object.fromEntries(
          Object.entries(schema.properties ?? {}).map(([name, inner]) => [
            name,
            property(inner, `${place}.${name}`, depth)
          ])
        )
      case "array":
        return schema.items === undefined ? [] : [of(schema.items, place, depth)]
      case "boolean":
        return false
      case "string":
        return schema.format === "date-time" ? "2026-11-20T08:30:00.000Z" : undefined
      default:
        return undefined
    }
  }
  const of = (schema: Schema, place: string, depth = 0): unknown => {
    if (depth > depthMax) return undefined
    const name = referred(schema)
    if (name !== undefined) return component(name, depth + 1)
    const [first] = schema.enum ?? []
    if (first !== undefined) return first
    const member = (schema.oneOf ?? schema.anyOf)?.find((one) => !isNull(one))
    return member === undefined ? ofType(schema, place, depth + 1) : of(member, place, depth + 1)
  }
  return { of, property }
}

const ofRequest = ({ operationId, requestBody }: Operation, { bodies }: Descriptions): void => {
  const given = bodies[operationId]
  if (given === undefined) return
  for (const media of Object.values(requestBody?.content ?? {})) {
    media.examples = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, { value }]))
  }
}

const ofAnswers = (operation: Operation, examples: Examples, descriptions: Descriptions): void => {
  for (const [status, { content }] of Object.entries(operation.responses)) {
    for (const media of Object.values(content ?? {})) {
      if (Object.hasOwn(descriptions.refusals, status)) {
        media.examples = { refused: { $ref: `#/components/examples/Refused${status}` } }
        continue
      }
      const example = Object.hasOwn(descriptions.answers, operation.operationId)
        ? descriptions.answers[operation.operationId]
        : examples.of(media.schema, operation.operationId)
      if (example !== undefined) media.example = example
    }
  }
}

/** Adds an example to every body, answer and parameter for which one is known. */
export const makeExamples = (document: Document, descriptions: Descriptions, lookup: Lookup): void => {
  const examples = examplesOf(document, descriptions, lookup)
  const statuses = new Set(operationsOf(document).flatMap(({ responses }) => Object.keys(responses)))
  for (const operation of operationsOf(document)) {
    for (const parameter of operation.parameters) {
      const example = examples.property(parameter.schema, `${operation.operationId}.${parameter.in}.${parameter.name}`)
      if (example !== undefined)
        parameter.example = firstType(parameter.schema) === "string" ? String(example) : example
    }
    ofRequest(operation, descriptions)
    ofAnswers(operation, examples, descriptions)
  }
  document.components.examples = Object.fromEntries(
    Object.entries(descriptions.refusals)
      .filter(([status]) => statuses.has(status))
      .map(([status, value]) => [`Refused${status}`, { value }])
  )
}
