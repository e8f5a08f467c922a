/** The OpenAPI 3.1 document of REST v1, made from its definition and its descriptions. */
import { OpenApi } from "effect/http-api"
import { describe } from "../openapi/Describe.ts"
import type { Document } from "../openapi/Document.ts"
import { withOpenAnswers } from "../openapi/RequestsAndAnswers.ts"
import { V1Api } from "./Api.ts"
import { chargerStatusDescriptions } from "../openapi/ChargerStatusDescriptions.ts"
import type { Descriptions } from "../openapi/Descriptions.ts"

const refusal = (code: string, message: string) => ({ error: { code, message } })

export const descriptions: Descriptions = {
  enums: {},
  unions: {},
  returned: {},
  properties: {
    ...chargerStatusDescriptions,
    chargerId: ["The identity that the charger connects with, which is the last part of its OCPP address", "CP-7"],
    groupId: ["The group's `id`, as returned by group/add", 12],
    id: ["The group's id: the groupId of charger/add", 12],
    name: ["The group's name", "Utrecht Centraal P1"],
    error: ["The reason for the refusal"],
    code: ["Stable and machine-readable", "group_not_found"],
    message: ["What is wrong, as human-readable text", "There is no such group."]
  },
  operations: {
    "group.add": "A group is a site of REST v2. Only its name is read; other fields of the body are ignored.",
    "charger.add":
      "The charger can connect from then on. Only its name is read from the body; it reports everything else itself.",
    "charger.get":
      "What the charger reported, and the state of its connection. Text that it has not reported yet is empty.",
    "statistics.get": "Counted at the moment of the request, over all groups."
  },
  tags: {
    group: "Groups of chargers: sites in REST v2",
    charger: "Chargers, under an id that is unique in the whole service",
    statistics: "Totals of the organisation"
  },
  bodies: {
    "group.add": { group: { name: "Utrecht Centraal P1" } },
    "charger.add": { charger: { chargerName: "P1 left" } }
  },
  answers: {},
  refusals: {
    "400": refusal("invalid_body", "name is required."),
    "401": refusal("unauthorized", "code and clientId do not belong together, or are unknown."),
    "403": refusal("https_required", "Use https."),
    "404": refusal("group_not_found", "There is no such group."),
    "409": refusal("conflict", "A charger with this id already exists."),
    "503": refusal("unavailable", "The database cannot be reached. Try again.")
  },
  statuses: {
    "200": "The requested or created object",
    "400": "The request is invalid",
    "401": "The query parameters code and clientId are missing or unknown",
    "403": "The request came over plain http, or the key pair lacks the permission",
    "404": "Nothing has this id, or you have no access to it",
    "409": "The id is already in use",
    "503": "The database cannot be reached or is busy: the header `Retry-After` says when to try again"
  }
}

/** The document as JSON. */
export const openApiDocument = (publicUrl: string): Document => {
  const made = OpenApi.fromApi(V1Api.annotate(OpenApi.Servers, [{ url: publicUrl.replace(/\/+$/, "") }]))
  const document = structuredClone(made) as unknown as Document
  describe(document, descriptions)
  return withOpenAnswers(document)
}
