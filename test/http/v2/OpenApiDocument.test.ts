/** The OpenAPI document of REST v2, as programs and people read it. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { fakeApp, type Json } from "../../support/restApp.ts"

type App = Awaited<ReturnType<typeof fakeApp>>
let app: App
let document: Json

beforeAll(async () => {
  app = await fakeApp()
  document = (await app.ask("GET", "/cpo/swagger.json")).json
})
afterAll(() => app.close())

/** Operations for people without a sign-in. All others require one. */
const open = [
  "sign-ins.create",
  "set-up.create",
  "invitations.accept",
  "passkeys.challenge",
  "passkeys.signIn",
  "single-sign-on.offer",
  "single-sign-on.begin",
  "single-sign-on.complete"
]
const isOpen = ({ operationId }: Json): boolean => open.includes(operationId)

const operations = (): ReadonlyArray<Json> =>
  Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]) => ({ ...operation, path, method }))
  )

it("is OpenAPI 3.1 with product.md's paths relative to its base URL", () => {
  expect(document.openapi).toBe("3.1.0")
  expect(document.servers).toEqual([{ url: "https://cpo.example/cpo" }])
  for (const path of ["/v2/sites", "/v2/chargers", "/v2/chargers/{chargerId}"])
    expect(document.paths[path]).toBeDefined()
  expect(document.components.securitySchemes).toEqual({
    apiKey: { type: "apiKey", name: "x-api-key", in: "header" },
    signIn: { type: "apiKey", name: "__Host-voltlane", in: "cookie" }
  })
})

it("declares 200 for creating sites and chargers, 201 for other creations, 202 for commands, 204 for deletions, never 422", () => {
  const successes = Object.fromEntries(
    operations().map((operation) => [
      `${operation.method} ${operation.path}`,
      Object.keys(operation.responses).filter((status) => Number(status) < 300)
    ])
  )
  for (const [name, statuses] of Object.entries(successes)) {
    const wanted = name.startsWith("delete")
      ? "204"
      : /^post .*\/(?:commands|configuration\/apply)$/.test(name)
        ? "202"
        : name.startsWith("post") &&
            !/\/(?:sites|chargers|preview|week|release|correct|approve|pause|resume|cancel|access\/close)$/.test(name)
          ? "201"
          : "200"
    expect([name, statuses]).toEqual([name, [wanted]])
  }
  expect(operations().some((operation) => "422" in operation.responses)).toBe(false)
})

it("declares a summary, the security and the errors of every operation", () => {
  for (const operation of operations()) {
    expect(operation.summary, operation.operationId).toEqual(expect.any(String))
    const security = isOpen(operation) ? [] : [{ apiKey: [] }, { signIn: [] }]
    expect([operation.operationId, operation.security]).toEqual([operation.operationId, security])
    for (const status of ["400", "401", "403", "503"]) {
      const content = operation.responses[status]?.content
      expect(Object.keys(content ?? {}), `${operation.operationId} ${status}`).toEqual(["application/problem+json"])
    }
  }
  const ofOne = operations().filter((operation) => operation.path.includes("{"))
  expect(ofOne.filter((operation) => operation.responses["404"] === undefined)).toEqual([])
})

it("contains every schema that it refers to", () => {
  const referred = new Set(
    [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map((match) => match[1])
  )
  for (const name of referred) expect(document.components.schemas[name ?? ""], name).toBeDefined()
})

it("declares an Idempotency-Key on every POST, and a limit and cursor on every list", () => {
  const parameters = (which: (operation: Json) => boolean): ReadonlyArray<ReadonlyArray<string>> =>
    operations()
      .filter(which)
      .map((operation) => operation.parameters.map((parameter: Json) => parameter.name))
  const ofPosts = parameters((operation) => operation.method === "post" && !isOpen(operation))
  expect(ofPosts.filter((names) => !names.includes("idempotency-key"))).toEqual([])
  const ofLists = parameters((operation) => operation.operationId.endsWith(".list"))
  expect(ofLists.filter((names) => !names.includes("limit") || !names.includes("cursor"))).toEqual([])
  expect([ofPosts.length > 4, ofLists.length > 4]).toEqual([true, true])
})

it("describes the filters of sessions and the fields of a tariff that are ignored", () => {
  const { parameters } = document.paths["/v2/sessions"].get
  for (const name of ["held", "needsCorrection"]) {
    const { description, schema } = parameters.find((parameter: Json) => parameter.name === name)
    expect([description, schema]).toEqual([expect.stringMatching(/^true: /), { type: "boolean" }])
  }
  const { additionalProperties, properties } = document.components.schemas.NewTariff
  expect([additionalProperties, properties.lastUpdated.description]).toEqual([
    false,
    expect.stringContaining("ignored")
  ])
})

/** Every object schema in a part of the document with its place, with references resolved. */
const objectsIn = (part: Json, place: string, seen: ReadonlySet<string> = new Set()): ReadonlyArray<[string, Json]> => {
  if (typeof part !== "object" || part === null) return []
  const ref: unknown = part.$ref
  if (typeof ref === "string") {
    const name = ref.replace("#/components/schemas/", "")
    return seen.has(name) ? [] : objectsIn(document.components.schemas[name], name, new Set([...seen, name]))
  }
  const own: ReadonlyArray<[string, Json]> = part.type === "object" ? [[place, part]] : []
  return [...own, ...Object.entries(part).flatMap(([name, one]) => objectsIn(one, `${place}/${name}`, seen))]
}

it("forbids unknown fields in requests, at any depth, and allows them in answers", () => {
  const requests = operations().flatMap(({ operationId, requestBody }) => objectsIn(requestBody, operationId))
  expect(requests.length).toBeGreaterThan(100)
  expect(requests.filter(([, { additionalProperties }]) => additionalProperties !== false)).toEqual([])
  const answers = operations().flatMap(({ operationId, responses }) => objectsIn(responses, operationId))
  expect(answers.length).toBeGreaterThan(100)
  expect(answers.filter(([, { additionalProperties }]) => additionalProperties === false)).toEqual([])
  // A schema that is used in both requests and answers exists twice.
  const { Image, ImageInput } = document.components.schemas
  expect([Image.additionalProperties, ImageInput]).toEqual([undefined, { ...Image, additionalProperties: false }])
})

it("declares numbers and booleans in queries as such", () => {
  const declared = operations().flatMap(({ operationId, parameters }) =>
    parameters.map((one: Json) => [`${operationId} ${one.name}`, one])
  )
  const schemas = new Map<string, Json>(declared.map(([name, { schema }]) => [name, schema]))
  const whole = (minimum: number, maximum: number) => expect.objectContaining({ type: "integer", minimum, maximum })
  const wanted = {
    "sites.list limit": whole(1, 500),
    "commands.issue wait": whole(0, 60),
    "commands.get wait": whole(0, 60),
    "charging-profiles.composite connectorId": whole(0, 1000),
    "charging-profiles.composite duration": expect.objectContaining({ type: "integer", minimum: 1 }),
    "history.connectors evseId": whole(0, 9999),
    "history.connectors connectorId": whole(0, 9999),
    "tariffs.unassign connectorId": whole(1, 999),
    "tariffs.unassign evseId": whole(1, 999),
    "tariffs.unassign default": { type: "boolean", enum: [true] },
    "sessions.list held": expect.objectContaining({ type: "boolean" }),
    "sessions.list from": expect.objectContaining({ type: "string", format: "date-time" }),
    "partner-records.exchanges failed": expect.objectContaining({ type: "boolean" })
  }
  for (const [name, schema] of Object.entries(wanted)) expect([name, schemas.get(name)]).toEqual([name, schema])
  const limits = [...schemas].filter(([name]) => name.endsWith(" limit"))
  expect(limits.filter(([, { type }]) => type !== "integer")).toEqual([])
  // No number or boolean is declared as a string.
  const asText = [...schemas].filter(([, { enum: values = [], format, type }]) => {
    const isYesOrNo = values.length > 0 && values.every((word: unknown) => word === "true" || word === "false")
    return type === "string" && (isYesOrNo || /^u?int|float|double/.test(format ?? ""))
  })
  expect(asText.map(([name]) => name)).toEqual([])
})

it("requires a body wherever one is read, except for one that may be left out", () => {
  const without = operations().filter(({ requestBody }) => requestBody !== undefined && requestBody.required !== true)
  expect(without.map(({ path }) => path)).toEqual(["/v2/chargers/{chargerId}/configuration/apply"])
})
