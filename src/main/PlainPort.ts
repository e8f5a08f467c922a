/**
 * What differs between plain http and TLS when the service has both. Over TLS browsers learn to use nothing else (HSTS, RFC 6797). Over plain http the
 * pages of the console lead to their https address, so that no password and no cookie crosses the network unencrypted. Chargers, keys and partners may
 * use both.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { isIP } from "node:net"

export interface PlainPortOptions {
  /** The https base of the console's pages. */
  readonly publicUrl: string
  /** True if the request came over TLS, or through a trusted proxy that says so. */
  readonly isSecure: (request: IncomingMessage) => boolean
  /** True for the path of a page or file of the console. */
  readonly isConsole: (path: string) => boolean
}

/** Half a year: short enough that a service which gives up TLS is reachable again, and long enough for people who rarely look at the console. */
const hsts = `max-age=${180 * 24 * 3600}`

/** Browsers ignore HSTS for addresses. On localhost it would apply to all programs that are developed there. */
const isNamed = (host: string | undefined): boolean => {
  const name = (host ?? "").replace(/:\d+$/, "").replace(/^\[|\]$/g, "")
  return name !== "" && isIP(name) === 0 && !/(?:^|\.)localhost$/i.test(name)
}

/** Sets the headers of an answer over TLS, or answers a request for a page over plain http. True if it has answered. */
export const plainPort =
  ({ isConsole, isSecure, publicUrl }: PlainPortOptions) =>
  (request: IncomingMessage, response: ServerResponse, path: string): boolean => {
    if (isSecure(request)) {
      if (isNamed(request.headers.host)) response.setHeader("strict-transport-security", hsts)
      return false
    }
    if (!isConsole(path) || (request.method !== "GET" && request.method !== "HEAD")) return false
    response.writeHead(308, {
      location: `${publicUrl}${request.url ?? "/"}`,
      "cache-control": "no-store",
      "content-length": "0"
    })
    response.end()
    return true
  }
