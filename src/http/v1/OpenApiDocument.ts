/** The OpenAPI 3.1 document of REST v1, made from its definition and the words beside it. */
import { OpenApi } from "effect/http-api"
import { describe } from "../openapi/Describe.ts"
import type { Document } from "../openapi/Document.ts"
import { withOpenAnswers } from "../openapi/RequestsAndAnswers.ts"
import { V1Api } from "./Api.ts"
import { descriptions } from "./Descriptions.ts"

/** The document as JSON. */
export const openApiDocument = (publicUrl: string): Document => {
  const made = OpenApi.fromApi(V1Api.annotate(OpenApi.Servers, [{ url: publicUrl.replace(/\/+$/, "") }]))
  const document = structuredClone(made) as unknown as Document
  describe(document, descriptions)
  return withOpenAnswers(document)
}
