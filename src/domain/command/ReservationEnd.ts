/**
 * How commands and time change reservations (OCPP 1.6 §5.2, §5.13), and what follows for the session of a paid reservation and for the partner that
 * made it. Which reservation a start consumes is decided in `reservation/Reservation.ts`.
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

/** True for a reservation that the charger may have. */
const mayBeThere = ({ status }: StoredReservation): boolean => status === "Active" || status === "Unknown"

const answeredStatus = (end: ReservationEnd): "Active" | "Unknown" | "Failed" | "Rejected" => {
  if (end.status === "Accepted") return "Active"
  // A later start may show that the charger has it.
  if (isUnknownOutcome(end)) return "Unknown"
  // If the command was never sent, the charger cannot have refused it.
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

/** Rejected means that the charger has no such reservation (§5.2): it never had it, or no longer has it. */
const cancelled = (reservation: StoredReservation, end: ReservationEnd): StoredReservation => {
  const isGone = end.status === "Rejected"
  return {
    ...reservation,
    status: isGone && reservation.expiresAt <= end.completedAt ? "Expired" : "Cancelled",
    reason: isGone ? "NotAtCharger" : undefined,
    updatedAt: end.completedAt
  }
}

/** What the end of a command changes in its charger's reservations with its number, in order. */
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
  // At the charger, a reservation replaces the previous one with the same number (§5.13).
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
 * How long after its end (in ms) a reservation waits for a start before it counts as unused. `connected`: the charger has been connected since before
 * the end, and has reported every start by then. `returned`: it reconnected after the end and needs time to send its queue. `away`: the limit for a
 * charger that stays offline.
 */
export const expiryWaits = { connected: 10_000, returned: 10 * 60_000, away: 24 * 60 * 60_000 }

/** The change of a reservation that no start has used by the end of its wait. */
export const unused = (before: StoredReservation, hasCharger: boolean, now: number): Change => ({
  before,
  after: hasCharger
    ? { ...before, status: "Expired", updatedAt: now }
    : { ...before, status: "Cancelled", reason: "ChargerRemoved", updatedAt: now }
})

/** True if a session is stored from now on for the reservation, provided that its tariff has a price for reservations. */
export const beginsSession = ({ after, before }: Change): boolean =>
  before.status !== "Active" &&
  after.status === "Active" &&
  after.acceptedAt !== undefined &&
  after.acceptedAt < after.expiresAt

/** True if the reservation's own session ends. A reservation that a start has used may have that start's session instead. */
export const endsSession = ({ after, before }: Change): boolean =>
  after.status !== "Active" && before.sessionId === before.commandId

/** How the session of a reservation ends. If the reservation expired, it is paid for in full; otherwise the session is void. */
export const sessionEnd = ({ acceptedAt, expiresAt, status, updatedAt }: StoredReservation) =>
  status === "Expired"
    ? { status: "COMPLETED" as const, endedAt: expiresAt }
    : { status: "INVALID" as const, endedAt: Math.max(acceptedAt ?? 0, Math.min(updatedAt, expiresAt)) }

/** True if the partner must be notified that its reservation is gone. A replaced reservation continues as its successor. */
export const isCancellation = ({ after, before }: Change): boolean =>
  mayBeThere(before) && after.status === "Cancelled" && after.reason !== "Replaced"

/** A partner is not notified of its own cancellation. `cancelledBy` are the actors that have cancelled the reservation's number since. */
export const hearsOfCancellation = (partnerId: string, cancelledBy: ReadonlyArray<string>): boolean =>
  !cancelledBy.includes(`partner:${partnerId}`)
