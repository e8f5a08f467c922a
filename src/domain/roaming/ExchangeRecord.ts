/**
 * One exchange with a partner in the log: the request and its outcome. Tokens of both sides are masked before it is stored. So is the URL for results,
 * since anyone who knows it could post there. Bodies are cut, since a page of locations is longer than needed.
 */
import { nulSpelt } from "../values/OutsideText.ts"

export interface ExchangeRecord {
  readonly organisationId: string
  readonly partnerId: string
  /** When the request was made, ms epoch. */
  readonly at: number
  /** `in` is a request of the partner's, `out` one of ours. */
  readonly direction: "in" | "out"
  /** OCPI's ModuleID, `versions`, or empty if it is neither. */
  readonly module: string
  readonly method: string
  /** Path and query of the URL, and for our requests its host as well. */
  readonly path: string
  /** Undefined without an answer. */
  readonly httpStatus: number | undefined
  /** The status code in the OCPI envelope. */
  readonly ocpiStatus: number | undefined
  readonly millis: number
  readonly requestId: string
  readonly correlationId: string
  readonly requestBody: string | undefined
  readonly responseBody: string | undefined
  /** Why there was no answer. */
  readonly error: string | undefined
}

/** How many characters of a body are stored: enough for a token, a session or the first locations of a page. */
export const bodyMax = 8_192

/** How many characters of a path are stored. */
export const pathMax = 1_024

/** The token of credentials; objects of drivers' cards are objects, not texts. Its end may have been cut off. */
const secret = /("token"\s*:\s*")(?:[^"\\]|\\[^])*\\?("|$)/gi

/** The same of a `response_url`, and of one in a query. */
const responseUrl = /("response_url"\s*:\s*")((?:[^"\\]|\\[^])*)\\?("|$)/gi
const responseQuery = /([?&]response(?:_|%5f)url=)([^&#]*)/gi

/** Of a URL that is a secret its scheme and host, where they are whole and no user name precedes the host. */
const hostAlone = (url: string): string => {
  const host = /^https?:\/\/[^/?#@\\\s"]{1,255}(?=[/?#])/i.exec(url.trim())?.[0]
  return host === undefined ? "***" : `${host}/***`
}

/** A body in the form that is stored. The database accepts neither U+0000 nor halves of surrogate pairs. */
export const kept = (text: string | undefined, max = bodyMax): string | undefined => {
  if (text === undefined || text === "") return undefined
  const cut = text.length > max ? text.slice(0, max) : text
  const masked = /token|response_url/i.test(cut)
    ? cut
        .replace(secret, "$1***$2")
        .replace(responseUrl, (_, before: string, url: string, after: string) =>
          [before, hostAlone(url.replaceAll("\\/", "/")), after].join("")
        )
    : cut
  return nulSpelt(masked).toWellFormed()
}

/** Path and query in the form that is stored. */
export const keptPath = (path: string): string => {
  const masked = path
    .slice(0, pathMax)
    .replace(
      responseQuery,
      (_, before: string, url: string) => before + hostAlone(new URLSearchParams(`url=${url}`).get("url") ?? "")
    )
  return kept(masked, pathMax) ?? ""
}

/** The end of a `response_url` that is not kept: what lies below an address that its partner's endpoints have anyway, or else all behind the host. */
export const hiddenOf = (url: string, addresses: ReadonlyArray<string>): string => {
  const known = addresses
    .map((address) => `${address.replace(/\/+$/, "")}/`)
    .filter((address) => !/[?#]/.test(address) && url.startsWith(address))
  const shown = Math.max(0, ...known.map(({ length }) => length))
  if (shown > 0) return url.slice(shown)
  const host = hostAlone(url)
  return host === "***" ? url : url.slice(host.length - "***".length)
}

/** Shorter ends are met by chance in words that have nothing to do with them. */
const hiddenMin = 6

/** What a partner said to a call whose URL has such an end: many say back what was called. */
export const withoutHidden = (text: string | undefined, hidden: string): string | undefined =>
  [hidden, hidden.replace(/[?#].*$/s, "")]
    .filter(({ length }) => length >= hiddenMin)
    .reduce((left, end) => left?.replaceAll(end, "***"), text)

/** True for success: HTTP 2xx and, if there is an OCPI status, 1xxx. */
export const isSuccess = ({ httpStatus, ocpiStatus }: Pick<ExchangeRecord, "httpStatus" | "ocpiStatus">): boolean =>
  httpStatus !== undefined &&
  httpStatus >= 200 &&
  httpStatus < 300 &&
  (ocpiStatus === undefined || (ocpiStatus >= 1000 && ocpiStatus < 2000))

/** The status code in the text of an envelope; the last one, since data comes before it in ours and may hold anything. */
export const ocpiStatusOf = (text: string | undefined): number | undefined => {
  const found = [...(text ?? "").matchAll(/"status_code"\s*:\s*"?(\d{4})\b/g)].at(-1)
  return found === undefined ? undefined : Number(found[1])
}
