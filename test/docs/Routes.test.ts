/** The requests to REST v2 in the documents exist: path, method, query parameters and fields of the body are those of the OpenAPI document. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { fakeApp, type Json } from "../support/restApp.ts"
import { documents } from "./Documents.ts"

type App = Awaited<ReturnType<typeof fakeApp>>
let app: App
let openApi: Json

beforeAll(async () => {
  app = await fakeApp()
  openApi = (await app.ask("GET", "/cpo/swagger.json")).json
})
afterAll(() => app.close())

interface Request {
  readonly method: string
  readonly path: string
  readonly query: ReadonlyArray<string>
  /** The names in the JSON object of the body. */
  readonly fields: ReadonlyArray<string>
}

const fieldsOf = (body: string | undefined): ReadonlyArray<string> => {
  if (body === undefined) return []
  try {
    // Shell variables and the dots of omitted parts are not JSON.
    return Object.keys(JSON.parse(body.replaceAll(/"?'"?\$\w+'?"?/g, "x").replaceAll("…", "x")))
  } catch {
    return []
  }
}

const request = (method: string, url: string, body?: string): Request => {
  const [path = "", query = ""] = url.split("?")
  return {
    method: method.toLowerCase(),
    path: path.replace(/^\/cpo/, ""),
    query: query === "" ? [] : query.split("&").map((pair) => pair.replace(/=.*$/, "")),
    fields: fieldsOf(body)
  }
}

/** One `curl` in a block for the shell, with what follows until the next. */
const ofCurl = (command: string): ReadonlyArray<Request> => {
  const url = /(?:localhost:8080|\$API)(\/[^\s"']*)/.exec(command.replaceAll("$API/", "$API/cpo/v2/"))?.[1]
  if (url === undefined || !url.startsWith("/cpo/v2/")) return []
  const method = /-X (\w+)/.exec(command)?.[1] ?? (/ -d | --data-binary /.test(command) ? "POST" : "GET")
  return [request(method, url, /-d '([\s\S]*)'/.exec(command)?.[1])]
}

const requestsIn = (text: string): ReadonlyArray<Request> => [
  ...[...text.matchAll(/^```(?:sh)?\n([\s\S]*?)^```$/gm)].flatMap(([, block = ""]) =>
    block.split(/(?=curl )/).flatMap(ofCurl)
  ),
  ...[...text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/cpo\/v2\/[^\s`]*)`/g)].map(([, method = "", url = ""]) =>
    request(method, url)
  )
]

const resolved = (schema: Json): Json =>
  schema?.$ref === undefined
    ? schema
    : schema.$ref
        .replace("#/", "")
        .split("/")
        .reduce((at: Json, name: string) => at[name], openApi)

const properties = (schema: Json): ReadonlyArray<string> => {
  const { allOf = [], anyOf = [], oneOf = [], properties: own = {} } = resolved(schema) ?? {}
  return [...Object.keys(own), ...[...allOf, ...anyOf, ...oneOf].flatMap(properties)]
}

const operationsAt = (path: string): ReadonlyArray<Json> => {
  const given = path.split("/")
  return Object.entries<Json>(openApi.paths)
    .filter(([pattern]) => {
      const parts = pattern.split("/")
      const fits = (part: string, index: number) => part === given[index] || part.startsWith("{")
      return parts.length === given.length && parts.every(fits)
    })
    .map(([, item]) => item)
}

const wrong = ({ fields, method, path, query }: Request): ReadonlyArray<string> => {
  const operation = operationsAt(path).find((item) => item[method] !== undefined)?.[method]
  if (operation === undefined) return [`there is no ${method} ${path}`]
  const known = (operation.parameters ?? []).map(resolved).flatMap((parameter: Json) => parameter.name)
  const body = properties(operation.requestBody?.content?.["application/json"]?.schema ?? {})
  return [
    ...query.filter((name) => !known.includes(name)).map((name) => `${method} ${path} has no parameter ${name}`),
    ...fields.filter((name) => !body.includes(name)).map((name) => `${method} ${path} has no field ${name}`)
  ]
}

describe("requests in the documents", () => {
  it("are found", () => {
    expect(documents.flatMap(({ text }) => requestsIn(text)).length).toBeGreaterThan(100)
    expect(
      documents.flatMap(({ text }) => requestsIn(text)).filter(({ fields }) => fields.length > 0).length
    ).toBeGreaterThan(20)
  })

  it("exist with their parameters and fields", () => {
    expect(
      documents.flatMap(({ path, text }) =>
        requestsIn(text)
          .flatMap(wrong)
          .map((what) => `${path}: ${what}`)
      )
    ).toEqual([])
  })

  it("are checked so that a wrong one is found", () => {
    const all = (text: string) => requestsIn(text).flatMap(wrong)
    expect(all("`GET /cpo/v2/nothing`")).toEqual(["there is no get /v2/nothing"])
    expect(all("`GET /cpo/v2/cdrs?colour=red`")).toEqual(["get /v2/cdrs has no parameter colour"])
    expect(all("```sh\ncurl -s localhost:8080/cpo/v2/tokens -d '{\"colour\":1}'\n```")).toEqual([
      "post /v2/tokens has no field colour"
    ])
  })
})
