/**
 * What commands and time make of reservations (OCPP 1.6 §5.2, §5.13), and what follows for the session of one that is paid for and for the
 * partner that reserved. Which reservation a start consumes is in `reservation/Reservation.ts`.
 */
import type { CommandEnd } from "./CommandEnd.ts"
import { isUnknownOutcome, wasHeldBack } from "./CommandEnd.ts"
import type { Reservation } from "../reservation/Reservation.ts"

/** A reservation as it is stored. */
export interface StoredReservation extends Reservation {
  /** When the charger accepted it (ms epoch). */
  readonly acceptedAt: number | undefined
}

export interface ReservationEnd extends CommandEnd {
  readonly type: "ReserveNow" | "CancelReservation"
  readonly reservationId: number | undefined
}

export interface Change {
  readonly before: StoredReservation
  readonly after: StoredReservation
}

/** True for what the charger may have. */
const mayBeThere = ({ status }: StoredReservation): boolean => status === "Active" || status === "Unknown"

const answeredStatus = (end: ReservationEnd): "Active" | "Unknown" | "Failed" | "Rejected" => {
  if (end.status === "Accepted") return "Active"
  // A start may yet show that the charger has it.
  if (isUnknownOutcome(end)) return "Unknown"
  // A charger that was never asked has refused nothing.
  return end.sentAt === undefined || wasHeldBack(end.errorCode) ? "Failed" : "Rejected"
}

const answered = (reservation: StoredReservation, end: ReservationEnd): StoredReservation => {
  const status = answeredStatus(end)
  return {
    ...reservation,
    status,
    reason: status === "Active" ? undefined : (end.answer ?? end.errorCode),
    updatedAt: end.completedAt,
    acceptedAt: status === "Active" ? end.completedAt : reservation.acceptedAt
  }
}

/** Rejected says that the charger has no such reservation (§5.2): it never had it, or has it no longer. */
const cancelled = (reservation: StoredReservation, end: ReservationEnd): StoredReservation => {
  const isGone = end.status === "Rejected"
  return {
    ...reservation,
    status: isGone && reservation.expiresAt <= end.completedAt ? "Expired" : "Cancelled",
    reason: isGone ? "NotAtCharger" : undefined,
    updatedAt: end.completedAt
  }
}

/** What the end of a command changes of the reservations that its charger has under its number, in order. */
export const changesBy = (end: ReservationEnd, known: ReadonlyArray<StoredReservation>): ReadonlyArray<Change> => {
  const others = known.filter(
    (one) =>
      one.commandId !== end.commandId &&
      one.chargerId === end.chargerId &&
      one.organisationId === end.organisationId &&
      one.reservationId === end.reservationId &&
      mayBeThere(one)
  )
  if (end.type === "CancelReservation") {
    const says = end.status === "Accepted" || end.status === "Rejected"
    return says ? others.map((before) => ({ before, after: cancelled(before, end) })) : []
  }
  const own = known.filter((one) => one.commandId === end.commandId && one.status === "Pending")
  // A reservation of the same number takes the place of the one before at the charger (§5.13).
  const replaced = end.status === "Accepted" ? others : []
  return [
    ...own.map((before) => ({ before, after: answered(before, end) })),
    ...replaced.map((before) => {
      const after = { ...before, status: "Cancelled" as const, reason: "Replaced", updatedAt: end.completedAt }
      return { before, after }
    })
  ]
}

/**
 * For how long after its end (ms) a reservation waits for the charger's last word before it is taken to be unused. A charger that has been
 * connected since before the end has reported every start by then; one that came back after it is given time to send its queue; for one
 * that stays away there is a limit.
 */
export const expiryWaits = { connected: 10_000, returned: 10 * 60_000, away: 24 * 60 * 60_000 }

/** A reservation that no start has used by the end of its wait. */
export const unused = (before: StoredReservation, hasCharger: boolean, now: number): Change => ({
  before,
  after: hasCharger
    ? { ...before, status: "Expired", updatedAt: now }
    : { ...before, status: "Cancelled", reason: "ChargerRemoved", updatedAt: now }
})

/** True where a session is to be kept from now on for a reservation whose tariff charges for reservations. */
export const beginsSession = ({ after, before }: Change): boolean =>
  before.status !== "Active" &&
  after.status === "Active" &&
  after.acceptedAt !== undefined &&
  after.acceptedAt < after.expiresAt

/** True where the reservation's own session ends. One that a start has used may have the start's session. */
export const endsSession = ({ after, before }: Change): boolean =>
  after.status !== "Active" && before.sessionId === before.commandId

/** How the session of a reservation ends: one that expired is paid for in full, any other is void. */
export const sessionEnd = ({ acceptedAt, expiresAt, status, updatedAt }: StoredReservation) =>
  status === "Expired"
    ? { status: "COMPLETED" as const, endedAt: expiresAt }
    : { status: "INVALID" as const, endedAt: Math.max(acceptedAt ?? 0, Math.min(updatedAt, expiresAt)) }

/** True where a partner that reserved is to hear that the reservation is gone. One that was replaced goes on as its successor. */
export const isCancellation = ({ after, before }: Change): boolean =>
  mayBeThere(before) && after.status === "Cancelled" && after.reason !== "Replaced"

/** A partner does not hear of what it has cancelled itself. `cancelledBy` are the actors that cancelled the reservation's number since. */
export const hearsOfCancellation = (partnerId: string, cancelledBy: ReadonlyArray<string>): boolean =>
  !cancelledBy.includes(`partner:${partnerId}`)
