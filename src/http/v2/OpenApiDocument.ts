/**
 * The OpenAPI 3.1 document of REST v2, made from `Api` and the descriptions in `openapi/`. Its paths are relative to the base that
 * product.md calls api_v2_base_url.
 */
import { Context, Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { describe } from "../openapi/Describe.ts"
import type { Document } from "../openapi/Document.ts"
import { Api } from "./Api.ts"
import { withAnswers } from "./openapi/OpenApiAnswers.ts"
import { withOpenAnswers, withQueryValues } from "../openapi/RequestsAndAnswers.ts"
import { descriptions } from "./openapi/Descriptions.ts"

const base = "/cpo"

/** The document, and which rows of the description tables it used. */
export const describedApi = (
  publicUrl: string
): { readonly document: Document; readonly used: ReadonlySet<string> } => {
  const made = OpenApi.fromApi(Api.annotate(OpenApi.Servers, [{ url: `${publicUrl}${base}` }]))
  const valued = Object.entries(withQueryValues(Api, made.paths as unknown as Readonly<Record<string, unknown>>))
  const relative = valued.map(([path, item]) => [path.startsWith(base) ? path.slice(base.length) : path, item] as const)
  const answered = withAnswers(Object.fromEntries(relative))
  const document = structuredClone({ ...made, paths: answered }) as unknown as Document
  const used = describe(document, descriptions)
  return { document: withOpenAnswers(document), used }
}

/** The document as JSON. */
export const openApiDocument = (publicUrl: string): Document => describedApi(publicUrl).document

export const descriptionJson = (publicUrl: string): string => JSON.stringify(openApiDocument(publicUrl))

/** Makes the text of the document for a public URL. It takes most of a second, so the service does it in another thread. */
export const DescriptionText = Context.Reference<(publicUrl: string) => Effect.Effect<string>>(
  "voltlane/http/v2/DescriptionText",
  { defaultValue: () => (publicUrl) => Effect.sync(() => descriptionJson(publicUrl)) }
)
