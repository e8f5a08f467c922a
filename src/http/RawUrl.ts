/**
 * What is done to a request's URL before anybody routes by it or writes it down: one form for all that mean the same path (product.md
 * appends `/v2/…` to a base that ends in a slash, chargers do worse), and no secret in a log.
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
 * The URL (path and query, as in an HTTP request line) with repeated slashes in its path as one and without a trailing one; the root stays
 * `/`, and the query is not touched. A path that cannot be percent-decoded is taken literally: then it names nothing, and the router
 * says so in its own words.
 */
export const normalisePath = (url: string): string => {
  const path = pathOf(url)
  const single = path.includes("//") ? path.replace(/\/{2,}/g, "/") : path
  const trimmed = single.length > 1 && single.endsWith("/") ? single.slice(0, -1) : single
  const literal = trimmed.includes("%") && !isDecodable(trimmed) ? trimmed.replaceAll("%", "%25") : trimmed
  return (literal === "" ? "/" : literal) + url.slice(path.length)
}

/** The path alone: what may be shown and logged of a URL whose query can hold keys (REST v1's `code` and `clientId`). */
export const pathOf = (url: string): string => {
  const end = url.search(/[?#]/)
  return end < 0 ? url : url.slice(0, end)
}

/**
 * Query parameters that hold REST v1's keys, and those in which people send other secrets although no route takes them there. Code that
 * writes URLs down (traces: `UrlParams.CurrentRedactedNames`) must leave their values out (T21).
 */
export const secretParameters: ReadonlyArray<string | RegExp> = ["code", "clientId", /key|token|secret|password/i]
