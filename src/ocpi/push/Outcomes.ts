/**
 * What a partner's answer to a push means: whether it has it, cannot take it now, or does not want it. An answer of a broken server, of a token that
 * it does not know, or none at all is about the partner; a refusal (HTTP 4xx, or status 2xxx) is about the object.
 */
import type { Outcome } from "../../domain/subscription/Subscription.ts"
import type { PartnerFailed } from "../client/OcpiClient.ts"

/** HTTP errors that are about the caller or the moment, not about what was sent. */
const notTheObject: ReadonlySet<number> = new Set([401, 403, 407, 408, 425, 429])

const isClientError = (status: number | undefined): boolean => status !== undefined && status >= 2000 && status < 3000

export const isRefusal = ({ http, status }: Pick<PartnerFailed, "http" | "status">): boolean => {
  if (http === undefined || notTheObject.has(http)) return false
  if (http >= 400 && http < 500) return true
  return http >= 200 && http < 300 && isClientError(status)
}

/** It does not know what was to be changed: the whole is sent then (OCPI 2.2.1 §8.2.2.3). In the field, 2001 and 2002 mean the same. */
export const isUnknownThere = (failed: Pick<PartnerFailed, "http" | "status">): boolean =>
  failed.http === 404 || failed.http === 405 || (isRefusal(failed) && isClientError(failed.status))

export const outcomeOf = (failed: Pick<PartnerFailed, "http" | "status" | "retryAfterMillis" | "message">): Outcome =>
  isRefusal(failed)
    ? { _tag: "Refused", message: failed.message }
    : { _tag: "Failed", message: failed.message, retryAfterMillis: failed.retryAfterMillis }
