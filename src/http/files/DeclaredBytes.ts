/** The size of a request's body as declared, before the body arrives. */
import type { HttpServerRequest } from "effect/http"

/** The header Content-Length, which the HTTP server enforces; undefined for a chunked body. */
export const declaredBytes = ({ headers }: HttpServerRequest.HttpServerRequest): number | undefined => {
  const text = headers["content-length"]
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
