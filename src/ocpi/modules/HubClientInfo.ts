/**
 * Hub client info (OCPI 2.2.1 §14), as its receiver: a hub reports which parties are behind it and whether they can be reached. It is
 * stored, and shown in REST v2. A partner that is not a hub may report only its own parties.
 */
import { Effect } from "effect"
import { isHub } from "../../domain/roaming/Partner.ts"
import { type PartyId, sameParty } from "../../domain/values/PartyId.ts"
import { HubClients } from "../../domain/roaming/HubClients.ts"
import type { Exchange, Handler } from "./Exchange.ts"
import { clientInfoV22 } from "../objects/clientinfo/v22.ts"
import { faultOf, invalid, refuse } from "../protocol/Status.ts"

const partyIn = ({ params }: Exchange): PartyId => ({
  countryCode: (params["countryCode"] ?? "").toUpperCase(),
  partyId: (params["partyId"] ?? "").toUpperCase()
})

const mayReport = ({ bearer: { partner } }: Exchange, party: PartyId): boolean =>
  isHub(partner) || (partner.connection?.parties ?? []).some((own) => sameParty(own, party))

const notTheirs = () =>
  refuse({
    _tag: "NotFound",
    object: "Other",
    detail: "The party in the URL is not one of those in your credentials."
  })

export const hubClientInfoHandlers = Effect.map(HubClients, (clients) => {
  const get: Handler = (exchange) => {
    const { id, organisationId } = exchange.bearer.partner
    return Effect.map(clients.get(organisationId, id, partyIn(exchange)), (info) => ({
      data: clientInfoV22.encode(info)
    }))
  }

  const put: Handler = (exchange) =>
    Effect.gen(function* () {
      if (!mayReport(exchange, partyIn(exchange))) return yield* notTheirs()
      const body = yield* exchange.body
      const info = yield* Effect.mapError(clientInfoV22.decode(body), (error) =>
        invalid(`The body is not a ClientInfo object: ${faultOf(error)}`)
      )
      if (!sameParty(info, partyIn(exchange)))
        return yield* invalid("The party in the URL differs from the one in the body.")
      const { id, organisationId } = exchange.bearer.partner
      return { data: undefined, created: yield* clients.put(organisationId, id, info) }
    })

  return new Map<string, Handler>([
    ["GET hubclientinfo/:countryCode/:partyId", get],
    ["PUT hubclientinfo/:countryCode/:partyId", put]
  ])
})
