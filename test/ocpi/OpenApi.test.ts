/** The OpenAPI document of OCPI describes what is served in each version. */
import { expect, it } from "vitest"
import { addressOf, endpointRows, nameOf, rowsOf } from "../../src/ocpi/protocol/EndpointTable.ts"
import { openApi } from "../../src/ocpi/server/OpenApi.ts"
import { versions } from "../../src/ocpi/protocol/Version.ts"
import { findings } from "../support/openApi.ts"

interface Operation {
  readonly operationId: string
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly in: string }>
  readonly responses: Readonly<Record<string, unknown>>
}
interface Document {
  readonly openapi: string
  readonly info: { readonly version: string }
  readonly servers: ReadonlyArray<{ readonly url: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const base = "https://cpo.example/ocpi"
const document = openApi(base, () => true) as unknown as Document
const operations = Object.values(document.paths).flatMap((item) => Object.values(item))

it("has version 1.0.1 and every row of every version exactly once", () => {
  expect([document.openapi, document.info.version]).toEqual(["3.1.0", "1.0.1"])
  expect(document.servers).toEqual([{ url: base }])
  const rows = versions.flatMap(({ version }) => rowsOf(version))
  expect(operations).toHaveLength(rows.length + versions.length + 1)
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  for (const facts of versions) {
    for (const { method, module, path } of rowsOf(facts.version)) {
      const snake = path.replaceAll(
        /:(\w+)/g,
        (_, name: string) => `{${name.replaceAll(/[A-Z]/g, (x) => `_${x.toLowerCase()}`)}}`
      )
      const item = document.paths[`${addressOf(facts, module)}${snake}`]
      expect(item?.[method.toLowerCase()], `${facts.version} ${nameOf({ method, module, path })}`).toBeDefined()
    }
  }
})

it("has no rows that are not served", () => {
  const none = openApi(base, () => false) as unknown as Document
  expect(Object.keys(none.paths)).toEqual(["/versions", ...versions.map(({ version }) => `/${version}/details`)])
  expect(endpointRows.length).toBeGreaterThan(10)
})

it("names the parameters of paths, lists and results, and the headers of each version", () => {
  const names = (path: string, method: string) => document.paths[path]?.[method]?.parameters.map(({ name }) => name)
  expect(names("/2.1.1/cpo/tokens/{country_code}/{party_id}/{token_uid}", "put")).toEqual([
    "country_code",
    "party_id",
    "token_uid",
    "type",
    "X-Request-ID",
    "X-Correlation-ID"
  ])
  expect(names("/2.2.1/locations", "get")).toEqual(
    expect.arrayContaining(["date_from", "date_to", "offset", "limit", "OCPI-to-party-id"])
  )
  expect(names("/2.2/chargingprofiles/{session_id}", "delete")).toContain("response_url")
  for (const { operationId, responses } of operations) {
    expect(Object.keys(responses), operationId).toEqual(expect.arrayContaining(["200", "400", "401", "500"]))
  }
  expect(Object.keys(document.paths["/2.2.1/credentials"]?.["post"]?.responses ?? {})).toContain("405")
})

it("describes the bodies of partners' requests, and names the commands of each version", () => {
  const { components, paths } = openApi(base, () => true) as unknown as {
    readonly components: { readonly schemas: Readonly<Record<string, { readonly required: ReadonlyArray<string> }>> }
    readonly paths: Readonly<
      Record<string, { readonly post: { readonly parameters: ReadonlyArray<unknown>; readonly requestBody: unknown } }>
    >
  }
  const { parameters, requestBody } = paths["/2.1.1/cpo/commands/{command}"]!.post
  const commands = ["START_SESSION", "STOP_SESSION", "RESERVE_NOW", "UNLOCK_CONNECTOR"]
  expect(parameters[0]).toMatchObject({ name: "command", schema: { enum: commands } })
  expect(JSON.stringify(paths["/2.2/commands/{command}"]!.post.parameters[0])).toContain("CANCEL_RESERVATION")
  const schema = { anyOf: commands.map((name) => ({ $ref: `#/components/schemas/${name}_2.1.1` })) }
  expect(requestBody).toMatchObject({ content: { "application/json": { schema } } })
  expect(components.schemas["STOP_SESSION_2.2.1"]?.required).toEqual(["response_url", "session_id"])
  expect(components.schemas["Token_2.2.1"]?.required).toContain("contract_id")
  // All schemas that are referred to exist.
  const said = JSON.stringify({ components, paths })
  const names = [...said.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name = ""]) => name)
  expect(names.filter((name) => components.schemas[name] === undefined)).toEqual([])
  expect(names.length).toBeGreaterThan(14)
})

it("passes two public validators without findings", async () => {
  expect(await findings(openApi(base, () => true))).toEqual([])
})
