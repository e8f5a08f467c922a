/**
 * What a partner's answer to a push means: whether it has it, cannot take it now, or does not want it. A refusal is said in OCPI's envelope (HTTP 4xx
 * or 2xx with status 2xxx). An error without an envelope may come from a proxy in front of a partner that is away: it is a doubt, until the
 * partner was asked whether it is there.
 */
import type { Outcome } from "../../domain/event/Subscription.ts"
import type { PartnerFailed } from "../client/OcpiClient.ts"

type Said = Pick<PartnerFailed, "http" | "status">

/** HTTP errors that are about the caller or the moment, not about what was sent. */
const notTheObject: ReadonlySet<number> = new Set([401, 403, 407, 408, 425, 429])

/** HTTP errors that proxies and gateways give for an address behind which nothing listens. */
const ofThePlace: ReadonlySet<number> = new Set([403, 404, 405, 410, 421])

const isClientError = (status: number | undefined): boolean => status !== undefined && status >= 2000 && status < 3000

const is4xx = (http: number): boolean => http >= 400 && http < 500

/** Refused by the partner that read it: its own words say so. */
export const isRefusal = ({ http, status }: Said): boolean => {
  if (http === undefined || status === undefined || notTheObject.has(http)) return false
  return is4xx(http) || (http >= 200 && http < 300 && isClientError(status))
}

/** Of an error without words of the partner's: what it is about if the partner is there. */
const doubtOf = ({ http, status }: Said): "object" | "place" | undefined => {
  if (http === undefined || status !== undefined || !is4xx(http)) return undefined
  if (ofThePlace.has(http)) return "place"
  return notTheObject.has(http) ? undefined : "object"
}

/** It does not know what was to be changed: the whole is sent then (OCPI 2.2.1 §8.2.2.3). In the field, 2001 and 2002 mean the same. */
export const isUnknownThere = (failed: Said): boolean =>
  failed.http === 404 || failed.http === 405 || (isRefusal(failed) && isClientError(failed.status))

/** Tries after which a bare 404 is taken at its word: an address behind which nothing listens was found out long before. */
const bareTries = 10

/** It does not have what was to be deleted. */
export const isGoneThere = ({ http, status }: Said, { tries }: { readonly tries: number }): boolean =>
  http === 404 && (status !== undefined || tries >= bareTries)

/**
 * Whether a partner whose answer to a question is no success is there to receive: it speaks OCPI, or looks at tokens. Whatever else answers at its
 * address while it is away (a page, an ingress without a backend) does neither.
 */
export const isReachable = ({ http, status }: Said): boolean =>
  http !== undefined && http < 500 && http !== 429 && (status !== undefined || http === 401)

export const outcomeOf = (failed: Pick<PartnerFailed, "http" | "status" | "retryAfterMillis" | "message">): Outcome => {
  const { message, retryAfterMillis } = failed
  if (isRefusal(failed)) return { _tag: "Refused", message }
  const doubt = doubtOf(failed)
  return { _tag: "Failed", message, retryAfterMillis, ...(doubt === undefined ? {} : { doubt }) }
}
