/**
 * The OCPI interface as an OpenAPI document, generated from the endpoint table: it contains exactly what is served. Partners' bodies are
 * described as they are read. Objects that partners receive are the standard's (OCPI 2.1.1, 2.2, 2.2.1), which the document names without
 * repeating them.
 */
import { windowDefaultLimit, windowMaxLimit } from "../../domain/values/Window.ts"
import { bodyComponents, commandsOf, describedBody } from "./Described.ts"
import { addressOf, type EndpointRow, type ModuleId, rowsOf } from "../protocol/EndpointTable.ts"
import { type VersionFacts, versions } from "../protocol/Version.ts"

type Json = Readonly<Record<string, unknown>>

/** The version of this interface, not of OCPI or of the service. */
const interfaceVersion = "1.0.1"

const objectOf: Readonly<Record<ModuleId, string>> = {
  cdrs: "CDR",
  chargingprofiles: "ChargingProfileResponse",
  commands: "CommandResponse",
  credentials: "Credentials",
  hubclientinfo: "ClientInfo",
  locations: "Location",
  sessions: "Session",
  tariffs: "Tariff",
  tokens: "Token"
}

/** Bodies that are not the module's own object, by endpoint. */
const bodyOf: Readonly<Record<string, string>> = {
  "POST commands/:command": "Command",
  "PUT chargingprofiles/:sessionId": "SetChargingProfile",
  "PUT sessions/:sessionId/charging_preferences": "ChargingPreferences"
}

const text = { type: "string" } as const

const header = (name: string, description: string): Json => ({
  name,
  in: "header",
  required: false,
  description,
  schema: text
})

const query = (name: string, description: string, required = false, schema: Json = text): Json => ({
  name,
  in: "query",
  required,
  description,
  schema
})

const ids = [
  header("X-Request-ID", "Unique for each request; generated if it is missing, and echoed"),
  header("X-Correlation-ID", "The same for all requests that belong together; generated if it is missing, and echoed")
]

const routing = [
  header("OCPI-from-country-code", "Of the requesting party"),
  header("OCPI-from-party-id", "Of the requesting party"),
  header("OCPI-to-country-code", "Of the CPO party that is addressed"),
  header("OCPI-to-party-id", "Of the CPO party that is addressed")
]

const paging = [
  query("date_from", "Last updated at or after this time", false, { type: "string", format: "date-time" }),
  query("date_to", "Last updated before this time", false, { type: "string", format: "date-time" }),
  query("offset", "Number of objects to skip; default 0", false, { type: "integer", minimum: 0 }),
  query(
    "limit",
    `Maximum number of objects in the page, up to ${windowMaxLimit}; default ${windowDefaultLimit}`,
    false,
    {
      type: "integer",
      minimum: 1
    }
  )
]

const pagingHeaders = {
  "X-Total-Count": { description: "Number of objects in all pages", schema: { type: "integer" } },
  "X-Limit": { description: "Maximum number of objects in a page", schema: { type: "integer" } },
  Link: { description: 'The next page, if there is one: `<URL>; rel="next"`', schema: text }
}

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const envelope = (data: Json | undefined): Json => ({
  type: "object",
  required: ["status_code", "timestamp"],
  properties: {
    ...(data === undefined ? {} : { data }),
    status_code: { type: "integer", description: "1000 is success (OCPI 2.2.1 §5)" },
    status_message: text,
    timestamp: { type: "string", format: "date-time" }
  }
})

const answered = (description: string, data: Json | undefined, headers: Json | undefined): Json => ({
  description,
  ...(headers === undefined ? {} : { headers }),
  content: { "application/json": { schema: envelope(data) } }
})

const failures = (statuses: ReadonlyArray<readonly [string, string]>): Json =>
  Object.fromEntries(statuses.map(([status, description]) => [status, answered(description, undefined, undefined)]))

const always: ReadonlyArray<readonly [string, string]> = [
  ["400", "The request cannot be read"],
  ["401", "The token is unknown"],
  ["403", "The partner is suspended, or names a sending party that it does not have"],
  ["429", "Too many requests at once"],
  ["500", "The service failed"]
]

const named = (object: string, { version }: VersionFacts): Json =>
  describedBody(version, object) ?? { type: "object", description: `${object} of OCPI ${version}` }

/** The body of a PATCH contains only what changes, so nothing in it is required. */
const partOf = (object: string, { version }: VersionFacts): Json => ({
  type: "object",
  description: `The changed fields of a ${object} of OCPI ${version}`
})

const inPath = ({ module, path }: EndpointRow, { version }: VersionFacts): ReadonlyArray<Json> =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => ({
    name: snake(name),
    in: "path",
    required: true,
    schema: module === "commands" ? { ...text, enum: commandsOf(version) } : text
  }))

const isList = ({ method, path, role }: EndpointRow): boolean => method === "GET" && path === "" && role === "SENDER"

const parametersOf = (row: EndpointRow, facts: VersionFacts): ReadonlyArray<Json> => {
  const isRouted = facts.hasRouting && row.module !== "credentials" && row.module !== "hubclientinfo"
  return [
    ...inPath(row, facts),
    ...(isList(row) && row.module !== "credentials" ? paging : []),
    ...(row.module === "tokens" ? [query("type", "The token's type; default RFID")] : []),
    ...(row.module === "chargingprofiles" && row.method !== "PUT"
      ? [query("response_url", "The URL that the result is posted to", true)]
      : []),
    ...(row.module === "chargingprofiles" && row.method === "GET"
      ? [query("duration", "In seconds", true, { type: "integer" })]
      : []),
    ...ids,
    ...(isRouted ? routing : [])
  ]
}

const operationOf = (row: EndpointRow, facts: VersionFacts): Json => {
  const { method, module, path } = row
  const object = named(objectOf[module], facts)
  const body = bodyOf[`${method} ${module}${path}`] ?? objectOf[module]
  const hasBody = method === "POST" || method === "PUT" || method === "PATCH"
  const last = path.split("/").at(-1)?.replace(":", "") ?? ""
  const list = isList(row) ? { type: "array", items: object } : object
  const silent = (method === "PUT" || method === "PATCH") && (module === "tokens" || module === "hubclientinfo")
  const registration: ReadonlyArray<readonly [string, string]> =
    module === "credentials" && method !== "GET"
      ? [["405", "The partner is already registered, or not registered yet"]]
      : []
  const missing: ReadonlyArray<readonly [string, string]> = path === "" ? [] : [["404", "There is no such object"]]
  return {
    operationId: [facts.version, module, method.toLowerCase(), snake(last)].filter((part) => part !== "").join("."),
    tags: [`${module} ${facts.version}`],
    summary: `${method} ${module} in OCPI ${facts.version}`,
    parameters: parametersOf(row, facts),
    ...(hasBody
      ? {
          requestBody: {
            required: true,
            content: { "application/json": { schema: method === "PATCH" ? partOf(body, facts) : named(body, facts) } }
          }
        }
      : {}),
    responses: {
      "200": answered(
        "The outcome is in the envelope's status_code",
        silent ? undefined : list,
        isList(row) ? pagingHeaders : undefined
      ),
      ...(method === "PUT" ? { "201": answered("Created", undefined, undefined) } : {}),
      ...failures([...registration, ...missing, ...always])
    }
  }
}

const versionList = { type: "array", items: { type: "object", properties: { version: text, url: text } } }

const versionDetails = ({ hasRoles }: VersionFacts): Json => ({
  type: "object",
  properties: {
    version: text,
    endpoints: {
      type: "array",
      items: { type: "object", properties: { identifier: text, ...(hasRoles ? { role: text } : {}), url: text } }
    }
  }
})

const read = (operationId: string, summary: string, data: Json): Json => ({
  get: {
    operationId,
    tags: ["versions"],
    summary,
    parameters: ids,
    responses: { "200": answered("The requested objects", data, undefined), ...failures(always) }
  }
})

const description = `The endpoints for roaming partners, in OCPI 2.1.1, 2.2 and 2.2.1. The operator invites a partner with a token and the versions URL; the partner
reads the versions and the details of one, then posts its credentials. Every answer has the standard's envelope, with any HTTP status.`

/** The document. `base` is our OCPI address without a trailing slash. Only served rows are included. */
export const openApi = (base: string, isServed: (row: EndpointRow) => boolean): Json => {
  const paths: Record<string, Record<string, unknown>> = {
    "/versions": read("versions", "The supported versions", versionList)
  }
  for (const facts of versions) {
    const summary = `The modules of OCPI ${facts.version} and their URLs`
    paths[`/${facts.version}/details`] = read(`${facts.version}.details`, summary, versionDetails(facts))
    for (const row of rowsOf(facts.version).filter(isServed)) {
      const path = `${addressOf(facts, row.module)}${row.path.replaceAll(/:(\w+)/g, (_, name: string) => `{${snake(name)}}`)}`
      paths[path] = { ...paths[path], [row.method.toLowerCase()]: operationOf(row, facts) }
    }
  }
  return {
    openapi: "3.1.0",
    info: { title: "Voltlane OCPI", version: interfaceVersion, description },
    servers: [{ url: base }],
    security: [{ token: [] }],
    paths,
    components: {
      schemas: bodyComponents(),
      securitySchemes: {
        token: {
          type: "apiKey",
          in: "header",
          name: "Authorization",
          description:
            "`Token <credentials token>`; in Base64 from 2.2 on, but both forms are accepted in every version"
        }
      }
    }
  }
}
