/** REST v1 describes all of itself too, by the same means. */
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

it("finds nothing to say against itself in two public validators", async () => {
  expect(await findings(document)).toEqual([])
})

it("leaves answers open, so that a client of today reads the answers of tomorrow", () => {
  const closed = schemasOf(document).filter(([, { additionalProperties }]) => additionalProperties === false)
  expect(closed.map(([place]) => place)).toEqual([])
})
