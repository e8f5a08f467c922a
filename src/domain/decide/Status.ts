/**
 * StatusNotification (OCPP 1.6 §4.9): always acknowledged, and stored if it is new. When a charger empties its queue after it was offline, statuses
 * may arrive out of order. An older one never replaces a newer one, but is stored in the connector's history.
 */
import type { ConnectorStatusChanged, PastStatusReported, SessionEnded } from "../charger/Fact.ts"
import { freeStatuses } from "../session/Closing.ts"
import { overWithoutStop, tookNothing } from "../session/Refused.ts"
import { acknowledge, acknowledged, act } from "./Acting.ts"
import type { StatusReported } from "../charger/ChargerEvent.ts"
import { type ChargerState, type ConnectorState, connectorsKept } from "../charger/ChargerState.ts"
import { isBelievable, occurredAt } from "../charger/Clock.ts"
import type { Decision, Envelope } from "../charger/Decision.ts"
import { occurrenceKey, unheardStopKey } from "../charger/Keys.ts"

const same = (stored: ConnectorState, event: StatusReported): boolean =>
  stored.status === event.status &&
  stored.errorCode === event.errorCode &&
  stored.info === event.info &&
  stored.vendorId === event.vendorId &&
  stored.vendorErrorCode === event.vendorErrorCode

/**
 * True if the stored status is newer by the charger's own clock. A stored time in the future does not count: the clock has been corrected since, and
 * the connector's status could not change until that time.
 */
const outdated = (stored: ConnectorState, event: StatusReported, now: number): boolean =>
  stored.byOwnClock === true && stored.at <= now && isBelievable(event.time.at, now) && event.time.at < stored.at

/**
 * The time of receipt. A status whose time equals its time of receipt counts as one without a timestamp. If the charger's own timestamp equals the
 * time of receipt to the millisecond, receipt is recorded one millisecond later. Otherwise an older status could replace this one.
 */
const heard = ({ time }: StatusReported, now: number): number =>
  isBelievable(time.at, now) && time.at === now ? now + 1 : now

/** The ends of sessions with a refused token and no energy whose connector is now free. */
const refusedEnded = (state: ChargerState, event: StatusReported, now: number): ReadonlyArray<SessionEnded> => {
  if (!freeStatuses.has(event.status)) return []
  const { connectorId, evseId } = event.place
  const at = occurredAt(event.time, now)
  return state.sessions
    .filter(({ place }) => place.evseId === evseId && place.connectorId === connectorId)
    .filter((session) => session.startedAt <= at && tookNothing(session))
    .map((session) => ({
      type: "SessionEnded",
      key: unheardStopKey(state, session.transactionId),
      organisationId: state.organisationId,
      chargerId: state.chargerId,
      heardAt: now,
      ...overWithoutStop(session, at, now)
    }))
}

/** The sessions that run on the connector of a status. */
const openAt = (state: ChargerState, { connectorId, evseId }: StatusReported["place"]) =>
  state.sessions.filter(
    ({ place, status }) => status === "Open" && place.evseId === evseId && place.connectorId === connectorId
  )

/** An unknown status does not show that a connector is free: while a session runs there, it counts as that of a charging connector. */
const withKnownStatus = (state: ChargerState, event: StatusReported): StatusReported => {
  const isUnknown =
    event.status.toLowerCase() !== event.rawStatus.trim().toLowerCase() && freeStatuses.has(event.status)
  return isUnknown && openAt(state, event.place).length > 0 ? { ...event, status: "Charging" } : event
}

/** True if a connector is free as before, but a session has begun there since that will need a stop: this shows that it is over. */
const isFreeAgain = (state: ChargerState, stored: ConnectorState, event: StatusReported): boolean =>
  freeStatuses.has(event.status) &&
  openAt(state, event.place).some((session) => session.heardAt >= stored.heardAt && !tookNothing(session))

export const statusReported = (
  state: ChargerState,
  reported: StatusReported,
  envelope: Envelope,
  now: number
): Decision => {
  const event = withKnownStatus(state, reported)
  const { connectorId, evseId } = event.place
  const stored = state.connectors.find((known) => known.evseId === evseId && known.connectorId === connectorId)
  const isPast = stored !== undefined && outdated(stored, event, now)
  const ends = refusedEnded(state, event, now)
  const isKnown =
    stored === undefined
      ? state.connectors.length >= connectorsKept
      : !isPast && same(stored, event) && !isFreeAgain(state, stored, event)
  if (isKnown) {
    return ends.length === 0 ? acknowledge : act(ends, acknowledged)
  }
  const fact: ConnectorStatusChanged | PastStatusReported = {
    type: isPast ? "PastStatusReported" : "ConnectorStatusChanged",
    key: occurrenceKey("status", state, envelope.messageId, now, `${evseId}|${connectorId}`),
    organisationId: state.organisationId,
    chargerId: state.chargerId,
    at: occurredAt(event.time, now),
    heardAt: heard(event, now),
    epoch: state.epoch,
    body: {
      evseId,
      connectorId,
      status: event.status,
      rawStatus: event.rawStatus,
      errorCode: event.errorCode,
      info: event.info,
      vendorId: event.vendorId,
      vendorErrorCode: event.vendorErrorCode
    }
  }
  return act([fact, ...ends], acknowledged)
}
