/** What tests of OpenAPI documents share: a walk over all schemas, and two public validators. */
import { createConfig, lintFromString } from "@redocly/openapi-core"
import { Validator } from "@seriousme/openapi-schema-validator"
import { type Document, operationsOf, type Schema } from "../../src/http/openapi/Document.ts"

/** Every schema with its path of properties, starting at the name of a component or an operation. */
export const schemasOf = (document: Document): ReadonlyArray<readonly [place: string, schema: Schema]> => {
  const found: Array<readonly [string, Schema]> = []
  const look = (schema: Schema, place: string): void => {
    found.push([place, schema])
    for (const [name, property] of Object.entries(schema.properties ?? {})) look(property, `${place}.${name}`)
    const { additionalProperties, allOf = [], anyOf = [], items, oneOf = [] } = schema
    if (items !== undefined) look(items, place)
    if (typeof additionalProperties === "object") look(additionalProperties, place)
    for (const member of [...allOf, ...anyOf, ...oneOf]) look(member, place)
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) look(schema, name)
  for (const { operationId, parameters, requestBody, responses } of operationsOf(document)) {
    for (const { name, schema } of parameters) look(schema, `${operationId}?${name}`)
    const contents = [requestBody?.content, ...Object.values(responses).map(({ content }) => content)]
    for (const { schema } of contents.flatMap((content) => Object.values(content ?? {}))) look(schema, operationId)
  }
  return found
}

/** The findings of Redocly's linter: its strict rules, and every example against its schema. */
const linted = async (document: object): Promise<ReadonlyArray<string>> => {
  const config = await createConfig({
    extends: ["recommended-strict"],
    rules: {
      "info-license": "off",
      "no-invalid-media-type-examples": "error",
      "no-invalid-parameter-examples": "error",
      "no-server-example.com": "off"
    }
  })
  const problems = await lintFromString({ source: JSON.stringify(document), config })
  return problems.map(({ location, message, ruleId }) => `${ruleId} ${location[0]?.pointer ?? ""}: ${message}`)
}

/** The findings of two public validators about a document. */
export const findings = async (document: object): Promise<ReadonlyArray<string>> => {
  const { errors, valid } = await new Validator().validate({ ...structuredClone(document) })
  return [...(valid ? [] : [JSON.stringify(errors)]), ...(await linted(document))]
}
