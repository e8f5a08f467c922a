/** The OpenAPI 3.1 document of REST v2, made from `Api`. Its paths are relative to the base that product.md calls api_v2_base_url. */
import { OpenApi } from "effect/http-api"
import { Api } from "./Api.ts"
import { shaped } from "./OpenApiShapes.ts"
import { withAnswers } from "./OpenApiAnswers.ts"

const base = "/cpo"

/** `Api` with what only a running service knows: where it is. */
export const documented = (publicUrl: string) =>
  Api.annotate(OpenApi.Servers, [{ url: `${publicUrl}${base}` }]).annotate(OpenApi.Transform, (spec) => {
    const document = shaped(Api, spec as OpenApi.OpenAPISpec)
    return {
      ...document,
      paths: Object.fromEntries(
        Object.entries(withAnswers(document.paths)).map(([path, item]) => [
          path.startsWith(base) ? path.slice(base.length) : path,
          item
        ])
      )
    }
  })

/** The document as JSON. */
export const openApiDocument = (publicUrl: string): OpenApi.OpenAPISpec => OpenApi.fromApi(documented(publicUrl))
