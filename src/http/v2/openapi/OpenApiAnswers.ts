/**
 * Adds to the OpenAPI document what every operation answers besides its own schemas: refusals by REST v2 itself (405, 412, 413, 415, 500),
 * 304 and `ETag`, `RateLimit`, and a merge patch as the body of PATCH. Each is one rule, so that new routes get them as well.
 */
import { problemType } from "../requests/Problem.ts"

type Json = Record<string, unknown>

interface Operation extends Json {
  readonly parameters?: ReadonlyArray<Json>
  readonly requestBody?: { readonly content: Json }
  readonly responses: Record<string, Json>
}

const problem = (description: string) => ({
  description,
  content: { [problemType]: { schema: { $ref: "#/components/schemas/Problem" } } }
})

const json = "application/json"

const etag = {
  description: "The version of the returned object: for If-None-Match, and for If-Match of a change",
  schema: { type: "string" }
}

const limited = {
  ratelimit: {
    description: "What remains of this key's rate limit, see draft-ietf-httpapi-ratelimit-headers",
    schema: { type: "string" }
  },
  "ratelimit-policy": { description: "The rate limit and its period", schema: { type: "string" } }
}

const header = (name: string, description: string) => ({
  name,
  in: "header",
  required: false,
  description,
  schema: { type: "string" }
})

/** Whether GET at this path answers one object, which has an `ETag`. */
const isTagged = (get: Operation | undefined): boolean =>
  get !== undefined &&
  json in ((get.responses["200"]?.["content"] as Json | undefined) ?? {}) &&
  !(get.parameters ?? []).some(({ in: place, name }) => place === "query" && name === "cursor")

const withHeaders = (response: Json | undefined, headers: Json): Json => ({
  ...response,
  headers: { ...(response?.["headers"] as Json | undefined), ...headers }
})

const ofRead = (operation: Operation): Operation => ({
  ...operation,
  parameters: [
    ...(operation.parameters ?? []),
    header("if-none-match", "An ETag: if the object has not changed since, the answer is 304")
  ],
  responses: {
    ...operation.responses,
    "200": withHeaders(operation.responses["200"], { etag }),
    "304": { description: "Not changed since", headers: { etag } }
  }
})

const ofChange = (operation: Operation): Operation => ({
  ...operation,
  parameters: [
    ...(operation.parameters ?? []),
    header("if-match", "The ETag of the object to change: if it has changed since, nothing is done")
  ],
  responses: {
    ...operation.responses,
    "412": problem("The object was changed after the ETag of If-Match was issued, or has no ETag")
  }
})

const isJsonBody = (operation: Operation): boolean => json in (operation.requestBody?.content ?? {})

const ofBody = (operation: Operation, method: string): Operation => {
  const { requestBody } = operation
  if (requestBody === undefined) return operation
  const content =
    method === "patch" && isJsonBody(operation)
      ? { ...requestBody.content, "application/merge-patch+json": requestBody.content[json] }
      : requestBody.content
  return {
    ...operation,
    requestBody: { ...requestBody, content },
    responses: {
      ...operation.responses,
      "408": problem("The body was not received in time"),
      "413": problem("The body is too large"),
      "415": problem("The body has the wrong media type")
    }
  }
}

const ofAll = (operation: Operation): Operation => ({
  ...operation,
  responses: {
    ...Object.fromEntries(
      Object.entries(operation.responses).map(([status, response]) => [status, withHeaders(response, limited)])
    ),
    "405": {
      ...problem("The path does not support this method; Allow lists the methods that it supports"),
      headers: { allow: { schema: { type: "string" } } }
    },
    "500": problem("The service failed")
  }
})

const changes = new Set(["put", "patch", "delete"])

/** The paths of a document with all of these added. */
export const withAnswers = (paths: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(paths).map(([path, item]) => {
      const operations = Object.entries(item as Record<string, Operation>)
      const get = operations.find(([method]) => method === "get")?.[1]
      return [
        path,
        Object.fromEntries(
          operations.map(([method, operation]) => {
            const read = method === "get" && isTagged(operation) ? ofRead(operation) : operation
            const changed = changes.has(method) && get !== undefined ? ofChange(read) : read
            return [method, ofBody(ofAll(changed), method)]
          })
        )
      ]
    })
  )
