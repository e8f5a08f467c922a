/** The descriptions of REST v2 are complete, and the service accepts the example bodies. */
import { Schema } from "effect"
import { HttpApi } from "effect/http-api"
import { expect, it } from "vitest"
import { isNull, operationsOf } from "../../../src/http/openapi/Document.ts"
import { Api } from "../../../src/http/v2/Api.ts"
import { describedApi } from "../../../src/http/v2/OpenApiDocument.ts"
import { descriptions } from "../../../src/http/v2/openapi/Descriptions.ts"
import { findings, schemasOf } from "../../support/openApi.ts"

const { document, used } = describedApi("https://cpo.example")
const schemas = schemasOf(document)
const operations = operationsOf(document)

/** A description that says no more than the name. */
const isFiller = (name: string, description: string): boolean =>
  description.length < 8 || new RegExp(`^(the |a |an )?${name}\\.?$`, "i").test(description)

it("describes every operation beyond its summary, and every group", () => {
  const silent = operations.filter(
    ({ description = "", summary }) => description.length < 20 || description === summary
  )
  expect(silent.map(({ operationId }) => operationId)).toEqual([])
  expect((document.tags ?? []).filter(({ description }) => description === undefined)).toEqual([])
  const known = operations.map(({ operationId }) => operationId)
  expect(Object.keys(descriptions.operations).filter((id) => !known.includes(id))).toEqual([])
})

it("describes every property and every parameter", () => {
  const properties = schemas.flatMap(([place, { properties = {} }]) =>
    Object.entries(properties).map(([name, { description = "" }]) => [`${place}.${name}`, name, description] as const)
  )
  const parameters = operations.flatMap(({ operationId, parameters }) =>
    parameters.map(({ description = "", name }) => [`${operationId}?${name}`, name, description] as const)
  )
  const bad = [...properties, ...parameters].filter(([, name, description]) => isFiller(name, description))
  expect(bad.map(([place]) => place)).toEqual([])
  expect(properties.length > 1000).toBe(true)
})

it("has no unused descriptions", () => {
  const ofV1 = (row: string) => row.startsWith("ChargerStatus.")
  expect(Object.keys(descriptions.properties).filter((row) => !used.has(row) && !ofV1(row))).toEqual([])
})

it("shows an example of every body, answer and parameter", () => {
  const without = operations.flatMap(({ operationId, parameters, requestBody, responses }) => [
    ...parameters.filter(({ example }) => example === undefined).map(({ name }) => `${operationId}?${name}`),
    ...[["body", requestBody] as const, ...Object.entries(responses)]
      .filter(([, shown]) =>
        Object.values(shown?.content ?? {}).some((media) => media.example === undefined && media.examples === undefined)
      )
      .map(([status]) => `${operationId} ${status}`)
  ])
  expect(without).toEqual([])
})

it("passes two public validators without findings, including the examples against their schemas", async () => {
  expect(await findings(document)).toEqual([])
})

it("would report an example that does not fit its schema", async () => {
  const { "/v2/statistics": item = {} } = structuredClone(document.paths)
  Object.assign(item["get"]?.responses["200"]?.content?.["application/json"] ?? {}, { example: { chargers: "many" } })
  const { Problem = {}, Statistics = {} } = document.components.schemas
  const { examples = {} } = document.components
  const components = { ...document.components, schemas: { Problem, Statistics }, examples }
  const found = await findings({ ...document, paths: { "/v2/statistics": item }, components })
  expect(found).toContainEqual(expect.stringContaining("`chargers` property type must be integer"))
})

it("accepts every example body", () => {
  const refused: Array<string> = []
  let taken = 0
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      const shown = descriptions.bodies[`${group.identifier}.${endpoint.identifier}`] ?? {}
      const payload = endpoint.payload.get("application/json")?.schemas[0]
      for (const [name, body] of Object.entries(shown)) {
        if (payload === undefined || typeof body === "string") continue
        const read = Schema.decodeUnknownExit(payload as Schema.Codec<unknown>)
        const exit = read(body, { errors: "all", onExcessProperty: "error" })
        if (exit._tag === "Failure")
          refused.push(`${group.identifier}.${endpoint.identifier} ${name}: ${String(exit.cause)}`)
        taken += 1
      }
    }
  })
  expect(refused).toEqual([])
  expect(taken >= 50).toBe(true)
  const written = operations.filter(({ requestBody }) => requestBody !== undefined)
  expect(written.filter(({ operationId }) => descriptions.bodies[operationId] === undefined)).toEqual([])
})

it("allows additional fields in answers, so that today's clients can read tomorrow's answers", () => {
  const answered = new Set<string>()
  const closed: Array<string> = []
  const look = (value: unknown, place: string): void => {
    if (typeof value !== "object" || value === null) return
    const { $ref, additionalProperties } = value as { $ref?: string; additionalProperties?: unknown }
    if (additionalProperties === false) closed.push(place)
    const name = $ref?.split("/").at(-1)
    if (name !== undefined && !answered.has(name)) {
      answered.add(name)
      look(document.components.schemas[name], name)
    }
    for (const inner of Object.values(value)) look(inner, place)
  }
  for (const { operationId, responses } of operations) {
    for (const { content = {} } of Object.values(responses)) {
      for (const { schema } of Object.values(content)) look(schema, operationId)
    }
  }
  expect(closed).toEqual([])
  expect(answered.has("Session") && answered.has("Problem")).toBe(true)
  expect(document.components.schemas["NewTariff"]?.additionalProperties).toBe(false)
})

it("declares null in types, names every enumeration, and distinguishes unions by their type", () => {
  const places = (fits: (schema: (typeof schemas)[number][1]) => boolean) =>
    schemas.filter(([, schema]) => fits(schema)).map(([place]) => place)
  const unions = places(
    ({ anyOf = [] }) => anyOf.some(isNull) && anyOf.some((one) => !isNull(one) && one.$ref === undefined)
  )
  expect(unions).toEqual([])
  expect(places(({ allOf }) => allOf !== undefined)).toEqual([])
  const isFlag = (values: ReadonlyArray<unknown>) => values.every((value) => value === "true" || value === "false")
  const choices = schemas.filter(
    ([place, { enum: values = [] }]) => values.length > 1 && /[.?]/.test(place) && !isFlag(values)
  )
  expect(choices.map(([place]) => place)).toEqual([])
  const { Event, NewCommand } = document.components.schemas
  for (const union of [Event, NewCommand]) {
    expect(union?.discriminator?.propertyName).toBe("type")
    expect(Object.keys(union?.discriminator?.mapping ?? {}).length).toBe(union?.oneOf?.length)
  }
  expect(document.components.schemas["Session"]?.properties?.["endedAt"]?.type).toEqual(["string", "null"])
})

it("declares numbers and booleans in queries as such", () => {
  const types = operations.flatMap(({ operationId, parameters }) =>
    parameters
      .filter((one) => one.in === "query")
      .map(({ name, schema }) => [`${operationId}?${name}`, name, schema] as const)
  )
  const numbers = ["limit", "wait", "duration", "connectorId", "evseId"]
  const flags = ["held", "needsCorrection", "failed", "default", "connected"]
  const wrong = types.filter(([, name, { enum: values = [], type }]) =>
    numbers.includes(name) ? type !== "integer" : flags.includes(name) ? type !== "boolean" : values.includes("true")
  )
  expect(wrong.map(([place]) => place)).toEqual([])
})
