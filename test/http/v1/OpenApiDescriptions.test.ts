/** The OpenAPI document of REST v1 is complete too, checked in the same way as that of v2. */
import { expect, it } from "vitest"
import { operationsOf } from "../../../src/http/openapi/Document.ts"
import { openApiDocument } from "../../../src/http/v1/OpenApiDocument.ts"
import { findings, schemasOf } from "../../support/openApi.ts"

const document = openApiDocument("https://cpo.example")

it("describes every operation, property and parameter", () => {
  const operations = operationsOf(document)
  expect(operations.filter(({ description }) => description === undefined)).toEqual([])
  const bare = schemasOf(document).flatMap(([place, { properties = {} }]) =>
    Object.entries(properties)
      .filter(([, { description }]) => description === undefined)
      .map(([name]) => `${place}.${name}`)
  )
  const parameters = operations.flatMap((operation) => operation.parameters)
  expect([...bare, ...parameters.filter(({ description }) => description === undefined)]).toEqual([])
})

it("passes two public validators without findings", async () => {
  expect(await findings(document)).toEqual([])
})

it("allows additional fields in answers, so that today's clients can read tomorrow's answers", () => {
  const closed = schemasOf(document).filter(([, { additionalProperties }]) => additionalProperties === false)
  expect(closed.map(([place]) => place)).toEqual([])
})
