/**
 * One exchange with a partner as its log keeps it: who asked whom for what, and what came of it. Tokens of both sides are masked before anything is kept,
 * and so is the address for results, since any caller who knows it can post there. Bodies are cut, since one page of locations is larger than what
 * anybody reads of it.
 */
import { nulSpelt } from "../values/OutsideText.ts"

export interface ExchangeRecord {
  readonly organisationId: string
  readonly partnerId: string
  /** When the request was made, ms epoch. */
  readonly at: number
  /** `in` is a request of the partner's, `out` one of ours. */
  readonly direction: "in" | "out"
  /** OCPI's ModuleID, `versions`, or empty for what is none. */
  readonly module: string
  readonly method: string
  /** Path and query of the URL, and for our requests its host as well. */
  readonly path: string
  /** Undefined where there was no answer. */
  readonly httpStatus: number | undefined
  /** Of the envelope. */
  readonly ocpiStatus: number | undefined
  readonly millis: number
  readonly requestId: string
  readonly correlationId: string
  readonly requestBody: string | undefined
  readonly responseBody: string | undefined
  /** Why there was no answer. */
  readonly error: string | undefined
}

/** Characters of a body that are kept: a token, a session or the first locations of a page. */
export const bodyMax = 8_192

/** Characters of a path that are kept. */
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

/** A body as it is kept. The database takes neither U+0000 nor halves of characters. */
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

/** Path and query as they are kept. */
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

/** Answered with success: HTTP 2xx, and 1xxx where there is a status. */
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
