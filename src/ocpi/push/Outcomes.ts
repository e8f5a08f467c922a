/**
 * What a partner's answer to a push means: the partner has the object, cannot take it now, or refuses it. A refusal has OCPI's envelope (HTTP 4xx or
 * 2xx with status 2xxx). A status of 4xxx is from a hub that works and cannot reach the one party to which the object is addressed. An error without
 * an envelope may come from a proxy in front of a partner that is down, and an error of the partner's own code (status 3xxx, HTTP 500, 501) may be
 * about one object or about everything. Both are a doubt until a request for the partner's versions shows whether the partner is reachable.
 */
import type { Outcome } from "../../domain/event/Subscription.ts"
import type { PartnerFailed } from "../client/OcpiClient.ts"

type Said = Pick<PartnerFailed, "http" | "status">

/** HTTP errors about the caller or the moment, not about the object. */
const notTheObject: ReadonlySet<number> = new Set([401, 403, 407, 408, 425, 429])

/** HTTP errors of proxies and gateways for a URL that nothing serves. */
const ofThePlace: ReadonlySet<number> = new Set([403, 404, 405, 410, 421])

const isClientError = (status: number | undefined): boolean => status !== undefined && status >= 2000 && status < 3000

/** OCPI's errors of hubs: the receiver is unknown, did not answer in time, or cannot be reached (OCPI 2.2.1 §5). */
const isHubError = (status: number | undefined): boolean => status !== undefined && status >= 4000 && status < 5000

/** OCPI's errors of servers (OCPI 2.2.1 §5): the partner could not process the request. */
const isServerError = (status: number | undefined): boolean => status !== undefined && status >= 3000 && status < 4000

/** HTTP errors of the partner's own code, not of a gateway in front of it or of an overload. */
const ofTheCode: ReadonlySet<number> = new Set([500, 501])

const is4xx = (http: number): boolean => http >= 400 && http < 500

/** Whether the partner itself read and refused the object, which its envelope shows. */
export const isRefusal = ({ http, status }: Said): boolean => {
  if (http === undefined || status === undefined || notTheObject.has(http) || isHubError(status)) return false
  return is4xx(http) || (http >= 200 && http < 300 && isClientError(status))
}

/** What an error is about, if the partner is reachable. A redirect that is not followed is about the URL. */
const doubtOf = ({ http, status }: Said): "object" | "place" | undefined => {
  if (http === undefined || (notTheObject.has(http) && http !== 403)) return undefined
  if (ofTheCode.has(http) || (http >= 300 && http < 400)) return "place"
  if (status !== undefined) return http < 300 && isServerError(status) ? "place" : undefined
  if (!is4xx(http)) return undefined
  return ofThePlace.has(http) ? "place" : "object"
}

/** Whether the partner does not know the object of a PATCH, or does not implement PATCH. It is then sent whole (OCPI 2.2.1 §8.2.2.3). Partners answer 2001 and 2002 for it too. */
export const isUnknownThere = (failed: Said): boolean =>
  failed.http === 404 ||
  failed.http === 405 ||
  failed.http === 501 ||
  (isRefusal(failed) && isClientError(failed.status))

/** Tries after which a 404 without an envelope is believed. A URL that nothing serves is noticed long before. */
const bareTries = 10

/** Whether the partner does not have the object of a DELETE. */
export const isGoneThere = ({ http, status }: Said, { tries }: { readonly tries: number }): boolean =>
  http === 404 && !isHubError(status) && (status !== undefined || tries >= bareTries)

/**
 * Whether a partner that answered a request with an error is reachable: the answer is OCPI's, or is about the token. Anything else that answers at
 * its URL while it is down, such as an error page or an ingress without a backend, does neither.
 */
export const isReachable = ({ http, status }: Said): boolean =>
  http !== undefined && http < 500 && http !== 429 && (status !== undefined || http === 401)

export const outcomeOf = (failed: Pick<PartnerFailed, "http" | "status" | "retryAfterMillis" | "message">): Outcome => {
  const { message, retryAfterMillis, status } = failed
  // A hub that asks for a wait means all objects, so then this one does not wait alone.
  if (isHubError(status)) {
    return { _tag: "Failed", message, retryAfterMillis, ...(retryAfterMillis === undefined ? { isAlone: true } : {}) }
  }
  if (isRefusal(failed)) return { _tag: "Refused", message }
  // The wait is that of the module (`ModulePauses`). Other modules are used, and ask for a wait themselves if the limit is for all.
  if (failed.http === 429) return { _tag: "Failed", message, isAlone: true }
  const doubt = doubtOf(failed)
  return { _tag: "Failed", message, retryAfterMillis, ...(doubt === undefined ? {} : { doubt }) }
}
