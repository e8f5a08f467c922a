/** The endpoints of partners' exchanges, health and clients over the domain's ports. */
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { ExchangeRecord } from "../../../domain/roaming/ExchangeRecord.ts"
import { Exchanges, type ModuleHealth as DomainHealth } from "../../../domain/roaming/Exchanges.ts"
import { HubClients } from "../../../domain/roaming/HubClients.ts"
import { Partners } from "../../../domain/roaming/Partners.ts"
import { RoamingTokens, type TokenPullState } from "../../../domain/token/RoamingTokens.ts"
import { Subscriptions } from "../../../domain/event/Subscriptions.ts"
import { Api } from "../Api.ts"
import { organisationId } from "../requests/Caller.ts"
import { toDeliveryHealth } from "../events/Deliveries.ts"
import { listed, pageRequest, PublicUrl } from "../requests/Paging.ts"
import type { LoggedExchange, ModuleHealth, TokenFetch } from "./PartnerRecordsApi.ts"

const toExchange = (exchange: ExchangeRecord & { readonly id: string }): typeof LoggedExchange.Type => ({
  id: exchange.id,
  at: exchange.at,
  direction: exchange.direction,
  module: exchange.module,
  method: exchange.method,
  path: exchange.path,
  httpStatus: exchange.httpStatus ?? null,
  ocpiStatus: exchange.ocpiStatus ?? null,
  durationMs: exchange.millis,
  requestId: exchange.requestId,
  correlationId: exchange.correlationId,
  requestBody: exchange.requestBody ?? null,
  responseBody: exchange.responseBody ?? null,
  error: exchange.error ?? null
})

const toHealth = (health: DomainHealth): typeof ModuleHealth.Type => ({
  ...health,
  lastSuccessAt: health.lastSuccessAt ?? null,
  lastFailureAt: health.lastFailureAt ?? null,
  lastFailure: health.lastFailure ?? null
})

const toFetch = (state: TokenPullState): typeof TokenFetch.Type => ({
  ...state,
  pulledAt: state.pulledAt ?? null,
  triedAt: state.triedAt ?? null,
  problem: state.problem ?? null
})

export const layer = HttpApiBuilder.group(
  Api,
  "partner-records",
  Effect.fn(function* (handlers) {
    const clients = yield* HubClients
    const exchanges = yield* Exchanges
    const partners = yield* Partners
    const roaming = yield* RoamingTokens
    const subscriptions = yield* Subscriptions
    const publicUrl = yield* PublicUrl

    /** The partner, or `NotFound`, so that its records are never shown to another organisation. */
    const partnerOf = (id: string) => Effect.flatMap(organisationId, (own) => partners.get(own, id))

    return handlers.handleAll({
      exchanges: Effect.fn("v2.partner-records.exchanges")(function* ({ params, query, request }) {
        const { id, organisationId } = yield* partnerOf(params.partnerId)
        const { direction, failed, from, module, to } = query
        const filter = { direction, failed, from, module: module?.toLowerCase(), to }
        const page = yield* exchanges.search(organisationId, id, { ...pageRequest(query), ...filter })
        return yield* listed(publicUrl, request.url, page, toExchange)
      }),
      health: Effect.fn("v2.partner-records.health")(function* ({ params }) {
        const { id, organisationId, status } = yield* partnerOf(params.partnerId)
        const subscribed = yield* subscriptions
          .health(organisationId, id, yield* Clock.currentTimeMillis)
          .pipe(Effect.catchTag("NotFound", () => Effect.undefined))
        const modules = (yield* exchanges.health(organisationId, id)).map(toHealth)
        const fetched = yield* roaming.pullState(organisationId, id)
        return {
          status,
          modules,
          tokens: fetched === undefined ? null : toFetch(fetched),
          deliveries: subscribed === undefined ? null : toDeliveryHealth(subscribed)
        }
      }),
      clients: Effect.fn("v2.partner-records.clients")(function* ({ params, query, request }) {
        const { id, organisationId } = yield* partnerOf(params.partnerId)
        const page = yield* clients.list(organisationId, id, pageRequest(query))
        return yield* listed(publicUrl, request.url, page, (client) => client)
      })
    })
  })
)
