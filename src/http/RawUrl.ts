/**
 * Prepares a request's URL before it is routed or logged. All spellings of a path get one form, because product.md appends `/v2/…` to a
 * base that ends in a slash and chargers send worse. Secrets are kept out of logs.
 */

const isDecodable = (path: string): boolean => {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/**
 * The URL (path and query, as in an HTTP request line) with repeated slashes in its path collapsed and without a trailing slash. The root
 * stays `/`, and the query is not changed. A path that cannot be percent-decoded is treated as literal text. It then matches nothing, and
 * the router answers as for any unknown path.
 */
export const normalisePath = (url: string): string => {
  const path = pathOf(url)
  const single = path.includes("//") ? path.replace(/\/{2,}/g, "/") : path
  const trimmed = single.length > 1 && single.endsWith("/") ? single.slice(0, -1) : single
  const literal = trimmed.includes("%") && !isDecodable(trimmed) ? trimmed.replaceAll("%", "%25") : trimmed
  return (literal === "" ? "/" : literal) + url.slice(path.length)
}

/** The path alone, which may be shown and logged. The query may contain keys (REST v1's `code` and `clientId`). */
export const pathOf = (url: string): string => {
  const end = url.search(/[?#]/)
  return end < 0 ? url : url.slice(0, end)
}

/**
 * Query parameters with secrets: REST v1's keys, and names under which people send other secrets although no route reads them there. Code
 * that records URLs (traces: `UrlParams.CurrentRedactedNames`) must redact their values (T21).
 */
export const secretParameters: ReadonlyArray<string | RegExp> = ["code", "clientId", /key|token|secret|password/i]
