/** Reservations in REST v2. They are read here; the commands ReserveNow and CancelReservation make and cancel them. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ChargerId, Time } from "../../Fields.ts"
import { operation } from "../requests/Middleware.ts"
import { listOf, PageQuery } from "../requests/Paging.ts"
import { reservationStatuses } from "../../../domain/reservation/Reservation.ts"

const Status = Schema.Literals(reservationStatuses)

export const Reservation = Schema.Struct({
  reservationId: Schema.Int,
  chargerId: Schema.String,
  connectorId: Schema.Int.annotate({ description: "0: any connector of the charger" }),
  idTag: Schema.String,
  parentIdTag: Schema.NullOr(Schema.String),
  expiryDate: Time,
  status: Status.annotate({
    description: "`Failed`: it was never sent. `Unknown`: it was sent, but it is unknown whether the charger has it"
  }),
  reason: Schema.NullOr(Schema.String).annotate({
    description: "The charger's status for its refusal, or an error code"
  }),
  sessionId: Schema.NullOr(Schema.String).annotate({
    description: "The session that used it, or the reservation's own session if the tariff charges for reservations"
  }),
  commandId: Schema.String,
  createdAt: Time,
  updatedAt: Time
}).annotate({ identifier: "Reservation" })

export class ReservationsApi extends HttpApiGroup.make("reservations").add(
  HttpApiEndpoint.get("list", "/v2/reservations", {
    query: { ...PageQuery, chargerId: Schema.optionalKey(ChargerId), status: Schema.optionalKey(Status) },
    success: listOf(Reservation)
  }).annotateMerge(operation("List reservations, newest first", "reservations:read"))
) {}
