/**
 * Routing headers (OCPI 2.2.1 §4.2.2): which party of a partner's asks which party of ours. They say for whom a request is and give no rights: what a
 * partner may see hangs on its token alone.
 */
import { isHub, type Partner } from "../../domain/roaming/Partner.ts"
import { type PartyId, sameParty } from "../../domain/values/PartyId.ts"
import type { ModuleId } from "../protocol/EndpointTable.ts"
import { type Reason, Refused } from "../protocol/Status.ts"

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

/** Whether a partner asks a module in its own names alone: its credentials tell which those are, and so are taken in any. */
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

/** What a request says; half a party and one that is no party say nothing. */
export const routingOf = (headers: Headers): Routing => ({ from: party(headers, "from"), to: party(headers, "to") })

const isAmong = (party: PartyId, all: ReadonlyArray<PartyId>): boolean => all.some((one) => sameParty(one, party))

/**
 * A request as it is meant. Clients in the field, the reference client of the standard's own organisation among them, name their own party as the one that
 * is asked. A partner that is no hub has no one else to pass on to, so its request is meant for no party of ours in particular.
 */
export const asMeant = (routing: Routing, ours: ReadonlyArray<PartyId>, partner: Partner): Routing => {
  const { to } = routing
  const isItself = to !== undefined && isAmong(to, partner.connection?.parties ?? []) && !isAmong(to, ours)
  return isItself && !isHub(partner) ? { ...routing, to: undefined } : routing
}

/**
 * Why a request in the name of a party that its sender does not have is refused; undefined where it may go on. A hub speaks for those behind it, and one that is
 * not registered yet has no parties.
 */
export const misnamed = ({ from }: Routing, partner: Partner): Refused | undefined => {
  const own = partner.connection?.parties
  if (from === undefined || own === undefined || isAmong(from, own) || isHub(partner)) return undefined
  const detail = `OCPI-from-* names ${from.countryCode} ${from.partyId}, which is none of the parties in your credentials.`
  return new Refused({ reason: { _tag: "ForeignParty", detail } })
}

/** Why a request for a party that is none of ours is refused; undefined where it may go on. */
export const misrouted = ({ to }: Routing, ours: ReadonlyArray<PartyId>): Refused | undefined => {
  if (to === undefined || isAmong(to, ours)) return undefined
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
