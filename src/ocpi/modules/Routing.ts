/**
 * Routing headers (OCPI 2.2.1 §4.2.2): which of the partner's parties sends a request, and which of our parties it is for. They give no
 * rights: what a partner may see depends only on its token.
 */
import { isHub, type Partner } from "../../domain/roaming/Partner.ts"
import { type PartyId, sameParty } from "../../domain/values/PartyId.ts"
import type { ModuleId } from "../protocol/EndpointTable.ts"
import { type Reason, Refused } from "../protocol/Status.ts"

export interface Routing {
  /** The partner's party that sends the request. */
  readonly from: PartyId | undefined
  /** Our party that the request is for. */
  readonly to: PartyId | undefined
}

type Headers = Readonly<Record<string, string | undefined>>

/** Modules about the connection itself, which have no routing. Some partners send the headers there anyway. */
const unrouted: ReadonlySet<ModuleId> = new Set(["credentials", "hubclientinfo"])

export const isRouted = (module: ModuleId): boolean => !unrouted.has(module)

/**
 * Whether a partner must use one of its own parties in requests to this module. Its credentials define those parties, so any name is
 * accepted there.
 */
export const isNamed = (module: ModuleId): boolean => module !== "credentials"

const code = (text: string | undefined, pattern: RegExp): string | undefined => {
  const word = text?.trim().toUpperCase() ?? ""
  return pattern.test(word) ? word : undefined
}

const party = (headers: Headers, side: "from" | "to"): PartyId | undefined => {
  const countryCode = code(headers[`ocpi-${side}-country-code`], /^[A-Z]{2}$/)
  const partyId = code(headers[`ocpi-${side}-party-id`], /^[A-Z0-9]{3}$/)
  return countryCode === undefined || partyId === undefined ? undefined : { countryCode, partyId }
}

/** The routing of a request. An incomplete or invalid party is ignored. */
export const routingOf = (headers: Headers): Routing => ({ from: party(headers, "from"), to: party(headers, "to") })

const isAmong = (party: PartyId, all: ReadonlyArray<PartyId>): boolean => all.some((one) => sameParty(one, party))

/**
 * Corrects the routing of partners that name their own party as the receiver, as clients in the field do, including the reference client of
 * the standard's own organisation. A partner that is not a hub cannot mean another partner, so its request is for none of our parties in
 * particular.
 */
export const asMeant = (routing: Routing, ours: ReadonlyArray<PartyId>, partner: Partner): Routing => {
  const { to } = routing
  const isItself = to !== undefined && isAmong(to, partner.connection?.parties ?? []) && !isAmong(to, ours)
  return isItself && !isHub(partner) ? { ...routing, to: undefined } : routing
}

/**
 * Refuses a request in the name of a party that the sender does not have; undefined if it is allowed. A hub may send for the parties behind
 * it. A partner that is not registered yet has no parties, so it is not checked.
 */
export const misnamed = ({ from }: Routing, partner: Partner): Refused | undefined => {
  const own = partner.connection?.parties
  if (from === undefined || own === undefined || isAmong(from, own) || isHub(partner)) return undefined
  const detail = `OCPI-from-* names ${from.countryCode} ${from.partyId}, which is not one of the parties in your credentials.`
  return new Refused({ reason: { _tag: "ForeignParty", detail } })
}

/** Refuses a request for a party that is not ours; undefined if it is allowed. */
export const misrouted = ({ to }: Routing, ours: ReadonlyArray<PartyId>): Refused | undefined => {
  if (to === undefined || isAmong(to, ours)) return undefined
  const detail = `There is no party ${to.countryCode} ${to.partyId} here.`
  const reason: Reason = { _tag: "NotFound", object: "Other", detail }
  return new Refused({ reason })
}

/**
 * The headers of the answer: the request's, swapped. If the request does not name the receiver, the answer is from our default party. If it
 * does not name the sender, the answer is for the partner's party, or without these headers if the partner has several.
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
