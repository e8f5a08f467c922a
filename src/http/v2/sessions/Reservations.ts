/** The endpoint of reservations over the domain's port. */
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Reservations } from "../../../domain/reservation/Reservations.ts"
import type { Reservation as DomainReservation } from "../../../domain/reservation/Reservation.ts"
import { Api } from "../Api.ts"
import { organisationId } from "../requests/Caller.ts"
import { listed, pageRequest, PublicUrl } from "../requests/Paging.ts"
import type { Reservation } from "./ReservationsApi.ts"

const toReservation = (one: DomainReservation): typeof Reservation.Type => ({
  reservationId: one.reservationId,
  chargerId: one.chargerId,
  connectorId: one.evseId,
  idTag: one.tokenUid,
  parentIdTag: one.parentUid ?? null,
  expiryDate: one.expiresAt,
  status: one.status,
  reason: one.reason ?? null,
  sessionId: one.sessionId ?? null,
  commandId: one.commandId,
  createdAt: one.createdAt,
  updatedAt: one.updatedAt
})

export const layer = HttpApiBuilder.group(
  Api,
  "reservations",
  Effect.fn(function* (handlers) {
    const reservations = yield* Reservations
    const publicUrl = yield* PublicUrl
    return handlers.handleAll({
      list: Effect.fn("v2.reservations.list")(function* ({ query, request }) {
        const { chargerId, status } = query
        const now = yield* Clock.currentTimeMillis
        const page = yield* reservations.list(yield* organisationId, { ...pageRequest(query), chargerId, status }, now)
        return yield* listed(publicUrl, request.url, page, toReservation)
      })
    })
  })
)
