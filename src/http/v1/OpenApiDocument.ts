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
    chargerId: ["The identity that the charger connects with, as the last part of its OCPP address", "CP-7"],
    groupId: ["The group's `id`, as group/add answered it", 12],
    id: ["The group's id: the groupId of charger/add", 12],
    name: ["What the group is called", "Utrecht Centraal P1"],
    error: ["What was refused, and why"],
    code: ["Stable and machine-readable", "group_not_found"],
    message: ["What is wrong, in words for people", "There is no such group."]
  },
  operations: {
    "group.add": "A group is a site of REST v2. Its name alone is read; other fields of the body are ignored.",
    "charger.add":
      "The charger can connect from then on. Its name alone is read from the body; what it is, it reports itself.",
    "charger.get": "What the charger reported and how its connection is. Text that it has not reported yet is empty.",
    "statistics.get": "Counted at the moment of the request, over all groups."
  },
  tags: {
    group: "Groups of chargers: sites in REST v2",
    charger: "Chargers, under an id that is theirs in the whole service",
    statistics: "Counts of the organisation"
  },
  bodies: {
    "group.add": { group: { name: "Utrecht Centraal P1" } },
    "charger.add": { charger: { chargerName: "P1 left" } }
  },
  answers: {},
  refusals: {
    "400": refusal("invalid_body", "name must be there."),
    "401": refusal("unauthorized", "code and clientId do not belong together, or are not known."),
    "403": refusal("https_required", "Use https."),
    "404": refusal("group_not_found", "There is no such group."),
    "409": refusal("conflict", "A charger with this id exists already."),
    "503": refusal("unavailable", "The database cannot be reached. Try again.")
  },
  statuses: {
    "200": "What was asked for, or what was made",
    "400": "The request does not fit",
    "401": "The query parameters code and clientId are missing or not known",
    "403": "It came over plain http, or the pair may not do it",
    "404": "Nothing here has that id, or it is not yours",
    "409": "There is one with this id already",
    "503": "The database cannot be reached or is busy: the header `Retry-After` says when to come again"
  }
}

/** The document as JSON. */
export const openApiDocument = (publicUrl: string): Document => {
  const made = OpenApi.fromApi(V1Api.annotate(OpenApi.Servers, [{ url: publicUrl.replace(/\/+$/, "") }]))
  const document = structuredClone(made) as unknown as Document
  describe(document, descriptions)
  return withOpenAnswers(document)
}
