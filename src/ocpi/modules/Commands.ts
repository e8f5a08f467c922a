/**
 * Commands (OCPI 2.2.1 §13): a partner starts and stops its drivers' sessions, reserves, and unlocks. Each becomes a durable command to one
 * charger. `ResultPoster` posts the result to the `response_url`.
 */
import { Effect } from "effect"
import type { CommandRequest, CommandResponse } from "../../domain/command/CommandRequest.ts"
import { timeoutSeconds } from "../../domain/command/PartnerCallback.ts"
import { PartnerCallbacks } from "../../domain/command/PartnerCallbacks.ts"
import { type ConnectorPlace, Places, type PlaceWanted } from "../../domain/site/Evses.ts"
import { Commands } from "../../domain/command/Commands.ts"
import { HubClients } from "../../domain/roaming/HubClients.ts"
import { reservedAtMostMillis } from "../../domain/reservation/Reservation.ts"
import { Secrets } from "../../domain/values/Secrets.ts"
import { Sessions } from "../../domain/session/Sessions.ts"
import type { DestinationOptions } from "../../outbound/Destination.ts"
import type { Exchange, Handler } from "./Exchange.ts"
import { heldParties } from "../protocol/HeldParties.ts"
import { callable, issuing, unfit } from "./Issuing.ts"
import { presented } from "./Presented.ts"

type Of<Tag extends CommandRequest["_tag"]> = Extract<CommandRequest, { readonly _tag: Tag }>

type Response = Pick<CommandResponse, "result" | "message">

const rejected = (message: string): Response => ({ result: "REJECTED", message })

const answered = (obstacle: string | undefined): Response =>
  obstacle === undefined ? { result: "ACCEPTED" } : rejected(obstacle)

const nowhere = rejected("There is no such location, EVSE or connector.")
const full = rejected("No EVSE is free at this location.")
const taken = rejected("Another driver's session runs at this connector.")

/** Statuses in which a driver can plug in, the best first. A connector with a vehicle comes last: it may be another driver's. */
const free: ReadonlyArray<ConnectorPlace["status"]> = ["Available", "Preparing"]

/**
 * The connector for a driver: a free one at a connected charger, the best status first. If the request names an EVSE, one of its connectors
 * is used even if it is not free.
 */
const chosen = (places: ReadonlyArray<ConnectorPlace>, { evseUid }: PlaceWanted): ConnectorPlace | undefined => {
  const open = places
    .filter(({ connected, status }) => connected && free.includes(status))
    .toSorted((one, other) => free.indexOf(one.status) - free.indexOf(other.status))
  return open[0] ?? (evseUid === undefined ? undefined : places[0])
}

const placeOf = ({ connectorId, evseId }: ConnectorPlace) => ({ evseId, connectorId })

/** Most active sessions of one charger that are checked: one per connector, and those whose end it has not reported. */
const runningMax = 100

/** Whether another driver charges there: a charger ends the session before it unlocks the connector (OCPP 1.6 §5.18). */
const takenByOthers =
  (sessions: Sessions["Service"]) =>
  (organisationId: string, partnerId: string, { chargerId, connectorId, evseId }: ConnectorPlace) =>
    sessions.list(organisationId, { limit: runningMax, chargerId, status: "ACTIVE" }).pipe(
      Effect.catchTag("InvalidInput", Effect.die),
      Effect.map(({ items }) =>
        items.some(
          (one) => one.evseId === evseId && one.connectorId === connectorId && one.roaming?.partnerId !== partnerId
        )
      )
    )

/** START_SESSION and UNLOCK_CONNECTOR. */
const atPlaces = Effect.gen(function* () {
  const isTaken = takenByOthers(yield* Sessions)
  const issue = yield* issuing
  const places = yield* Places
  const cardOf = presented(yield* Secrets, heldParties(yield* HubClients))
  const callbacks = yield* PartnerCallbacks

  const start = Effect.fnUntraced(function* (exchange: Exchange, request: Of<"StartSession">) {
    const { partner } = exchange.bearer
    const { authorizationReference, evseUid, locationId, responseUrl } = request
    const found = yield* places.connectors(partner.organisationId, request)
    if (found.length === 0) return nowhere
    const { correlationId, now } = exchange
    const card = yield* cardOf(partner, request, now)
    // Asked before a place is chosen: once the driver has plugged in, another EVSE is freer than the one of the first request.
    if (authorizationReference !== undefined) {
      const evse = evseUid === undefined ? undefined : found[0]
      const again = { ...card, evse, locationId, reference: authorizationReference, responseUrl, correlationId }
      if (yield* callbacks.repeated(partner.organisationId, again, now)) return answered(undefined)
    }
    const place = chosen(found, request)
    if (place === undefined) return full
    const grant = { ...card, evseId: place.evseId }
    const obstacle = yield* issue(exchange, {
      ...place,
      command: { _tag: "RemoteStart", tokenUid: card.idTag, place: placeOf(place) },
      parameters: { idTag: card.idTag, connectorId: place.evseId },
      callback: { kind: "StartSession", responseUrl, locationId, reference: authorizationReference, grant },
      to: card
    })
    return answered(obstacle)
  })

  const unlock = Effect.fnUntraced(function* (exchange: Exchange, request: Of<"UnlockConnector">) {
    const { locationId, responseUrl } = request
    const { id: partnerId, organisationId } = exchange.bearer.partner
    const [place] = yield* places.connectors(organisationId, request)
    if (place === undefined) return nowhere
    if (yield* isTaken(organisationId, partnerId, place)) return taken
    const obstacle = yield* issue(exchange, {
      ...place,
      command: { _tag: "UnlockConnector", place: placeOf(place) },
      parameters: { connectorId: place.evseId },
      callback: { kind: "UnlockConnector", responseUrl, locationId }
    })
    return answered(obstacle)
  })

  return { start, unlock }
})

/** RESERVE_NOW and CANCEL_RESERVATION. The charger knows a reservation by a number that we assign and that no other reservation has. */
const reserving = Effect.gen(function* () {
  const issue = yield* issuing
  const places = yield* Places
  const cardOf = presented(yield* Secrets, heldParties(yield* HubClients))
  const commands = yield* Commands
  const callbacks = yield* PartnerCallbacks

  /** A repeated reservation at the same location replaces the previous one (OCPI 2.2.1 §13.3.3), at the same charger or at another. */
  const reserve = Effect.fnUntraced(function* (exchange: Exchange, request: Of<"ReserveNow">) {
    const { bearer, now } = exchange
    const { id: partnerId, organisationId } = bearer.partner
    const { evseUid, expiresAt, locationId, reservationId: reference, responseUrl } = request
    if (expiresAt <= now) return rejected("The expiry_date is in the past.")
    if (expiresAt > now + reservedAtMostMillis) {
      return rejected(`The expiry_date is more than ${reservedAtMostMillis / 3_600_000} hours ahead.`)
    }
    const found = yield* places.connectors(organisationId, request)
    if (found.length === 0) return nowhere
    const wanted = { partnerId, reference, locationId }
    const before = yield* callbacks.reservation(organisationId, wanted, now)
    const same = found.find(({ chargerId, evseId }) => chargerId === before?.chargerId && evseId === before.evseId)
    const place = evseUid === undefined ? (same ?? chosen(found, request)) : chosen(found, request)
    if (place === undefined) return full
    const card = yield* cardOf(bearer.partner, request, now)
    const reservationId = yield* callbacks.reservationNumber(organisationId, wanted, yield* commands.takeNumber, now)
    const { idTag } = card
    const obstacle = yield* issue(exchange, {
      ...place,
      command: { _tag: "ReserveNow", reservationId, place: placeOf(place), tokenUid: idTag, expiresAt },
      parameters: { connectorId: place.evseId, expiryDate: new Date(expiresAt).toISOString(), idTag, reservationId },
      callback: { kind: "ReserveNow", responseUrl, locationId, reference, grant: { ...card, evseId: place.evseId } },
      to: card
    })
    // A refused request replaces nothing, so the first charger keeps its reservation.
    if (obstacle === undefined && before !== undefined && before.chargerId !== place.chargerId) {
      const { chargerId, reservationId: number } = before
      const command = { _tag: "CancelReservation", reservationId: number } as const
      const parameters = { reservationId: number }
      const cancelling = issue(exchange, { ...place, chargerId, command, parameters, callback: undefined })
      // The new reservation is on its way: too many commands are no reason to refuse it now.
      yield* Effect.catchTag(cancelling, "Refused", () => Effect.void)
    }
    return answered(obstacle)
  })

  const cancel = Effect.fnUntraced(function* (exchange: Exchange, request: Of<"CancelReservation">) {
    const { bearer, now } = exchange
    const { reservationId: reference, responseUrl } = request
    const { id: partnerId, organisationId } = bearer.partner
    const found = yield* callbacks.reservation(organisationId, { partnerId, reference }, now)
    if (found === undefined) return rejected("You have no such reservation.")
    const { chargerId, reservationId, siteId } = found
    const obstacle = yield* issue(exchange, {
      chargerId,
      siteId,
      command: { _tag: "CancelReservation", reservationId },
      parameters: { reservationId },
      callback: { kind: "CancelReservation", responseUrl, reference }
    })
    return answered(obstacle)
  })

  return { reserve, cancel }
})

/** STOP_SESSION. A session of another partner is answered as unknown. */
const stopping = Effect.gen(function* () {
  const issue = yield* issuing
  const sessions = yield* Sessions

  return Effect.fnUntraced(function* (exchange: Exchange, { responseUrl, sessionId }: Of<"StopSession">) {
    const { id, organisationId } = exchange.bearer.partner
    const session = yield* Effect.catchTag(
      sessions.get(organisationId, sessionId.toLowerCase()),
      "NotFound",
      () => Effect.undefined
    )
    if (session === undefined || session.roaming?.partnerId !== id) return { result: "UNKNOWN_SESSION" } as const
    if (session.status !== "ACTIVE") return rejected("This session is not running.")
    const obstacle = yield* issue(exchange, {
      ...session,
      sessionId: session.id,
      command: { _tag: "RemoteStop", transactionId: Number(session.transactionId) },
      parameters: { sessionId: session.id },
      callback: { kind: "StopSession", responseUrl },
      to: session.roaming
    })
    return answered(obstacle)
  })
})

export const commandsHandlers = (outbound: DestinationOptions) =>
  Effect.gen(function* () {
    const { start, unlock } = yield* atPlaces
    const { cancel, reserve } = yield* reserving
    const stop = yield* stopping

    const done = (exchange: Exchange, request: CommandRequest) => {
      switch (request._tag) {
        case "StartSession":
          return start(exchange, request)
        case "StopSession":
          return stop(exchange, request)
        case "ReserveNow":
          return reserve(exchange, request)
        case "CancelReservation":
          return cancel(exchange, request)
        case "UnlockConnector":
          return unlock(exchange, request)
      }
    }

    /** Every result is HTTP 200 (OCPI 2.2.1 §13.2.1). A command that this version does not have is NOT_SUPPORTED. */
    const post: Handler = (exchange) =>
      Effect.gen(function* () {
        const wire = exchange.wire.commands
        const decode = wire.request((exchange.params["command"] ?? "").toUpperCase())
        const reply = (response: Response) => ({ data: wire.response({ ...response, timeoutSeconds }) })
        if (decode === undefined) return reply({ result: "NOT_SUPPORTED" })
        const request = yield* Effect.mapError(decode(yield* exchange.body), unfit)
        yield* callable(request.responseUrl, outbound)
        return reply(yield* done(exchange, request))
      })

    return new Map<string, Handler>([["POST commands/:command", post]])
  })
