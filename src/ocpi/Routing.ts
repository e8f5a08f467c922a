/**
 * Routing headers (OCPI 2.2.1 §4.2.2): which party of a partner's asks which party of ours. They say for whom a request is and give nobody a right: what a
 * partner may see hangs on its token alone.
 */
import { type PartyId, sameParty } from "../domain/party/Party.ts"
import type { ModuleId } from "./EndpointTable.ts"
import { type Reason, Refused } from "./Status.ts"

export interface Routing {
  /** The partner's party that asks. */
  readonly from: PartyId | undefined
  /** The party of ours that is asked. */
  readonly to: PartyId | undefined
}

type Headers = Readonly<Record<string, string | undefined>>

/** Modules that are about the connection itself and know no routing; some send the headers there all the same. */
const unrouted: ReadonlySet<ModuleId> = new Set(["credentials", "hubclientinfo"])

export const isRouted = (module: ModuleId): boolean => !unrouted.has(module)

const code = (text: string | undefined, pattern: RegExp): string | undefined => {
  const word = text?.trim().toUpperCase() ?? ""
  return pattern.test(word) ? word : undefined
}

const party = (headers: Headers, side: "from" | "to"): PartyId | undefined => {
  const countryCode = code(headers[`ocpi-${side}-country-code`], /^[A-Z]{2}$/)
  const partyId = code(headers[`ocpi-${side}-party-id`], /^[A-Z0-9]{3}$/)
  return countryCode === undefined || partyId === undefined ? undefined : { countryCode, partyId }
}

/** What a request says; half a party and one that is no party say nothing. */
export const routingOf = (headers: Headers): Routing => ({ from: party(headers, "from"), to: party(headers, "to") })

/** Why a request for a party that is none of ours is refused; undefined where it may go on. */
export const misrouted = ({ to }: Routing, ours: ReadonlyArray<PartyId>): Refused | undefined => {
  if (to === undefined || ours.some((one) => sameParty(one, to))) return undefined
  const detail = `There is no party ${to.countryCode} ${to.partyId} here.`
  const reason: Reason = { _tag: "NotFound", object: "Other", detail }
  return new Refused({ reason })
}

/**
 * The headers of the answer: the request's, swapped. Who did not say whom it asks is answered by our default party, and who did not say who it is, as the
 * one that it is known as.
 */
export const swapped = (
  { from, to }: Routing,
  ours: ReadonlyArray<PartyId>,
  theirs: ReadonlyArray<PartyId>
): Readonly<Record<string, string>> => {
  const speaker = to ?? ours[0]
  const listener = from ?? (theirs.length === 1 ? theirs[0] : undefined)
  if (listener === undefined || speaker === undefined) return {}
  return {
    "OCPI-from-country-code": speaker.countryCode,
    "OCPI-from-party-id": speaker.partyId,
    "OCPI-to-country-code": listener.countryCode,
    "OCPI-to-party-id": listener.partyId
  }
}
