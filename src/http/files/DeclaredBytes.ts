/** What a request says of the size of its body before the body comes. */
import type { HttpServerRequest } from "effect/http"

/** The header Content-Length, which the HTTP server holds the body to; undefined for a body in chunks. */
export const declaredBytes = ({ headers }: HttpServerRequest.HttpServerRequest): number | undefined => {
  const text = headers["content-length"]
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
