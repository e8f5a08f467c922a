/** The endpoints of chargers' history and uptime over the domain's ports. */
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import {
  ChargerHistory,
  type PastConnection as DomainConnection,
  type PastStatus as DomainStatus
} from "../../../domain/charger/ChargerHistory.ts"
import type { NegligibleTransactions } from "../../../domain/charger/Fact.ts"
import { Chargers } from "../../../domain/charger/Chargers.ts"
import { Api } from "../Api.ts"
import { organisationId } from "../requests/Caller.ts"
import type { CountedDay, PastConnection, PastStatus } from "./ChargerHistoryApi.ts"
import { listed, pageRequest, PublicUrl } from "../requests/Paging.ts"

const toStatus = (one: DomainStatus): typeof PastStatus.Type => ({
  at: one.at,
  heardAt: one.heardAt,
  evseId: one.evseId,
  connectorId: one.connectorId,
  status: one.status,
  errorCode: one.errorCode ?? null,
  info: one.info ?? null,
  vendorId: one.vendorId ?? null,
  vendorErrorCode: one.vendorErrorCode ?? null
})

const toConnection = (one: DomainConnection): typeof PastConnection.Type => ({
  connectedAt: one.connectedAt,
  disconnectedAt: one.disconnectedAt ?? null,
  reason: one.reason ?? null,
  ocppVersion: one.ocppVersion,
  securityProfile: one.securityProfile,
  remoteAddress: one.remoteAddress
})

const toCountedDay = ({ day, ...totals }: NegligibleTransactions): typeof CountedDay.Type => ({
  day: new Date(day).toISOString().slice(0, 10),
  ...totals
})

export const layer = HttpApiBuilder.group(
  Api,
  "history",
  Effect.fn(function* (handlers) {
    const chargers = yield* Chargers
    const history = yield* ChargerHistory
    const publicUrl = yield* PublicUrl
    return handlers.handleAll({
      connectors: Effect.fn("v2.history.connectors")(function* ({ params, query, request }) {
        const organisation = yield* organisationId
        // The history does not know which charger belongs to whom, so an id that is not the caller's is refused here.
        yield* chargers.get(organisation, params.chargerId)
        const { connectorId, evseId, from, to } = query
        const asked = { ...pageRequest(query), evseId, connectorId, from, to }
        const page = yield* history.connectors(organisation, params.chargerId, asked)
        return yield* listed(publicUrl, request.url, page, toStatus)
      }),
      connections: Effect.fn("v2.history.connections")(function* ({ params, query, request }) {
        const organisation = yield* organisationId
        yield* chargers.get(organisation, params.chargerId)
        const { from, to } = query
        const page = yield* history.connections(organisation, params.chargerId, { ...pageRequest(query), from, to })
        return yield* listed(publicUrl, request.url, page, toConnection)
      }),
      countedTransactions: Effect.fn("v2.history.countedTransactions")(function* ({ params, query, request }) {
        const organisation = yield* organisationId
        yield* chargers.get(organisation, params.chargerId)
        const page = yield* history.countedDays(organisation, params.chargerId, pageRequest(query))
        return yield* listed(publicUrl, request.url, page, toCountedDay)
      }),
      uptime: Effect.fn("v2.history.uptime")(function* ({ query, request }) {
        const { chargerId, month, siteId } = query
        const now = yield* Clock.currentTimeMillis
        const asked = { ...pageRequest(query), month, siteId, chargerId }
        const page = yield* history.uptime(yield* organisationId, asked, now)
        return yield* listed(publicUrl, request.url, page, (one) => one)
      })
    })
  })
)
