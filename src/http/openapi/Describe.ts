/**
 * Adds descriptions to a document's properties, parameters and operations, and examples made from them. They come from tables of the
 * described API. A description in the API's own definition takes precedence.
 */
import { changeAll, operationsOf, type Change, type Document, type Operation } from "./Document.ts"
import { makeExamples } from "./Examples.ts"
import { shape } from "./Shape.ts"
import { lookupOf, type Lookup, type Descriptions } from "./Descriptions.ts"

const describeProperties = (document: Document, lookup: Lookup): void => {
  const describe: Change = (schema, place) => {
    const { properties } = schema
    if (properties === undefined) return schema
    return {
      ...schema,
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => {
          const row = property.description === undefined ? lookup.at(`${place}.${name}`) : undefined
          return [name, row === undefined ? property : { ...property, description: row[0] }]
        })
      )
    }
  }
  changeAll(document, describe)
}

const describeParameters = ({ operationId, parameters }: Operation, lookup: Lookup): void => {
  for (const parameter of parameters) {
    const { description = lookup.at(`${operationId}.${parameter.in}.${parameter.name}`)?.[0], ...schema } =
      parameter.schema
    parameter.schema = schema
    if (description !== undefined) parameter.description = description
  }
}

const describeAnswers = ({ responses }: Operation, { statuses }: Descriptions): void => {
  for (const [status, answer] of Object.entries(responses)) {
    const descriptions = statuses[status]
    if (descriptions !== undefined) answer.description = descriptions
    for (const header of Object.values(answer.headers ?? {})) {
      const { description, ...schema } = header.schema
      if (description !== undefined) Object.assign(header, { description, schema })
    }
  }
}

/** Applies the final form, the descriptions and the examples to a document. Returns which rows of the tables were used. */
export const describe = (document: Document, descriptions: Descriptions): ReadonlySet<string> => {
  const lookup = lookupOf(descriptions.properties)
  shape(document, descriptions)
  describeProperties(document, lookup)
  for (const tag of document.tags ?? []) {
    const description = descriptions.tags[tag.name]
    if (description !== undefined) tag.description = description
  }
  for (const operation of operationsOf(document)) {
    const description = descriptions.operations[operation.operationId]
    if (description !== undefined) operation.description = description
    describeParameters(operation, lookup)
    describeAnswers(operation, descriptions)
  }
  makeExamples(document, descriptions, lookup)
  return lookup.used
}
