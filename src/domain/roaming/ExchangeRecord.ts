/**
 * One exchange with a partner in the log: the request and its outcome. Tokens of both sides are masked before it is stored, also those that a partner
 * puts into the query of its URLs, and passwords. So are URLs for results, because anyone who knows one could post there. Bodies are cut, because a whole page of locations is not needed.
 */
import { nulSpelt } from "../values/OutsideText.ts"
import { shownAddresses } from "../values/SecretAddresses.ts"

export interface ExchangeRecord {
  readonly organisationId: string
  readonly partnerId: string
  /** When the request was made, ms epoch. */
  readonly at: number
  /** `in`: a request from the partner. `out`: a request from us. */
  readonly direction: "in" | "out"
  /** OCPI's ModuleID, `versions`, or empty for anything else. */
  readonly module: string
  readonly method: string
  /** Path and query of the URL; for our own requests also its host. */
  readonly path: string
  /** Undefined if there was no answer. */
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

/** Matches the token in credentials. Drivers' tokens are objects, not texts, and do not match. The end of the text may have been cut off. */
const secret =
  /("(?:(?:access_|refresh_|api_?)?token|\w{0,32}(?:password|secret|api_?key))"\s*:\s*")(?:[^"\\]|\\[^])*\\?("|$)/gi

/** Match a `response_url` in a body and in a query. */
const responseUrl = /("response_url"\s*:\s*")((?:[^"\\]|\\[^])*)\\?("|$)/gi
const responseQuery = /([?&]response(?:_|%5f)url=)([^&#]*)/gi

/** The scheme and host of a URL that is a secret. All is masked if they are incomplete or a user name precedes the host. */
const hostAlone = (url: string): string => {
  const host = /^https?:\/\/[^/?#@\\\s"]{1,255}(?=[/?#])/i.exec(url.trim())?.[0]
  return host === undefined ? "***" : `${host}/***`
}

/** How many characters after the stored part are examined too. */
const lookahead = 1_024

/** A user name and a password before a host, in a URL without its scheme. */
const userinfo = /^[^/?#]*@/

/** A body in the form that is stored. The database accepts neither U+0000 nor halves of surrogate pairs. */
export const kept = (text: string | undefined, max = bodyMax): string | undefined => {
  if (text === undefined || text === "") return undefined
  // What is cut off may show that the rest is a secret: the host of a URL after its password.
  const near = text.length > max ? text.slice(0, max + lookahead) : text
  const named = /token|response_url|password|secret|key/i.test(near)
    ? near
        .replace(secret, "$1***$2")
        .replace(responseUrl, (_, before: string, url: string, after: string) =>
          [before, hostAlone(url.replaceAll("\\/", "/")), after].join("")
        )
    : near
  const masked = shownAddresses(named)
  return nulSpelt(masked.length > max ? masked.slice(0, max) : masked).toWellFormed()
}

/** Path and query in the form that is stored. */
export const keptPath = (path: string): string => {
  const masked = path
    .slice(0, pathMax + lookahead)
    .replace(userinfo, "***@")
    .replace(
      responseQuery,
      (_, before: string, url: string) => before + hostAlone(new URLSearchParams(`url=${url}`).get("url") ?? "")
    )
  return kept(masked, pathMax) ?? ""
}

/** The end of a `response_url` that is masked: the part after the address of one of the partner's endpoints, otherwise everything after the host. */
export const hiddenOf = (url: string, addresses: ReadonlyArray<string>): string => {
  const known = addresses
    .map((address) => `${address.replace(/\/+$/, "")}/`)
    .filter((address) => !/[?#]/.test(address) && url.startsWith(address))
  const shown = Math.max(0, ...known.map(({ length }) => length))
  if (shown > 0) return url.slice(shown)
  const host = hostAlone(url)
  return host === "***" ? url : url.slice(host.length - "***".length)
}

/** Shorter ends could occur by chance in unrelated text. */
const hiddenMin = 6

/** A partner's response with the hidden end of the called URL masked: many partners repeat the URL. */
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

/** The status code in the text of an envelope. The last one counts, because in ours the data comes first and may contain anything. */
export const ocpiStatusOf = (text: string | undefined): number | undefined => {
  const found = [...(text ?? "").matchAll(/"status_code"\s*:\s*"?(\d{4})\b/g)].at(-1)
  return found === undefined ? undefined : Number(found[1])
}
