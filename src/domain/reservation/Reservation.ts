/**
 * Reservations (OCPP 1.6 §5.13, §5.2): a connector kept for a token until a time. Every ReserveNow makes one, which shows the outcome. The charger
 * enforces it; the service only stores it.
 */

export const reservationStatuses = [
  /** Requested and not answered yet. */
  "Pending",
  "Active",
  /** The charger refused it. */
  "Rejected",
  /** It was never sent. */
  "Failed",
  /** A start has used it. */
  "Used",
  "Cancelled",
  "Expired",
  /** It was sent, and it is not known whether the charger has it. */
  "Unknown"
] as const
export type ReservationStatus = (typeof reservationStatuses)[number]

export interface Reservation {
  readonly commandId: string
  readonly organisationId: string
  readonly chargerId: string
  readonly reservationId: number
  /** 0: any connector of the charger. */
  readonly evseId: number
  readonly tokenUid: string
  readonly parentUid: string | undefined
  /** ms epoch. */
  readonly expiresAt: number
  readonly status: ReservationStatus
  /** The status of the charger's refusal (Faulted, Occupied, Rejected, Unavailable), or the error's code. */
  readonly reason: string | undefined
  readonly sessionId: string | undefined
  readonly createdAt: number
  readonly updatedAt: number
}

/** The status at `now`: an unused reservation is `Expired` after its time, even if this is not stored yet. */
export const statusAt = (
  { expiresAt, status }: Pick<Reservation, "expiresAt" | "status">,
  now: number
): ReservationStatus => ((status === "Active" || status === "Unknown") && expiresAt <= now ? "Expired" : status)

/** The part of a reservation that decides who may use it. */
export type ReservationFacts = Pick<
  Reservation,
  | "commandId"
  | "reservationId"
  | "evseId"
  | "tokenUid"
  | "parentUid"
  | "expiresAt"
  | "status"
  /** The session that bills it, until a start replaces that session. */
  | "sessionId"
  | "createdAt"
>

/** The part of a start that matters to reservations. */
export interface Start {
  readonly reservationId: number | undefined
  readonly evseId: number
  readonly tokenUid: string
  readonly parentUid: string | undefined
  /** Whether the start's card was accepted. */
  readonly accepted: boolean
  /** ms epoch, by the charger's clock: an offline start counts if it was made in time. */
  readonly startedAt: number
}

const same = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && one.toLowerCase() === other.toLowerCase()

/**
 * How long before its expiry a partner may reserve, in ms. A reservation blocks a connector for everyone else, and no price makes a partner give it
 * back.
 */
export const reservedAtMostMillis = 24 * 3_600_000

/** True if the charger has the reservation, or had it until its expiry, which counts for starts before that time. */
const isGiven = (status: ReservationStatus): boolean =>
  status === "Active" || status === "Unknown" || status === "Expired"

/** A token's request to charge, with place and time. `evseId` is undefined for an Authorize. */
export interface Claim {
  readonly evseId: number | undefined
  readonly reservationId: number | undefined
  readonly tokenUid: string
  readonly parentUid: string | undefined
  /** ms epoch. */
  readonly at: number
}

/**
 * Whether a reservation allows a token to charge. It must be the reservation's own token or one of its group, and the start must be at the reserved
 * connector (any, if the whole charger is reserved) or give the reservation's id.
 */
export const entitles = (claim: Claim, reservation: ReservationFacts): boolean => {
  const { evseId, expiresAt, parentUid, reservationId, status, tokenUid } = reservation
  if (claim.at >= expiresAt || !(same(claim.tokenUid, tokenUid) || same(claim.parentUid, parentUid))) return false
  if (claim.reservationId !== undefined && claim.reservationId === reservationId) {
    return isGiven(status) || status === "Pending"
  }
  return isGiven(status) && (claim.evseId === undefined || evseId === 0 || evseId === claim.evseId)
}

/**
 * Whether a start uses a reservation: with the reservation's id and its token or one of its group; or without an id, with its token on the reserved
 * connector, because some chargers omit the id. A start may give the id of a reservation that is not answered yet, because both can arrive at the
 * same moment; then the charger has it. A refused start uses none.
 */
export const consumes = (start: Start, reservation: ReservationFacts): boolean => {
  const { evseId, expiresAt, parentUid, reservationId, status, tokenUid } = reservation
  if (!start.accepted || start.startedAt >= expiresAt) return false
  const isOpen = isGiven(status)
  const holder = same(start.tokenUid, tokenUid)
  if (start.reservationId !== undefined) {
    const isNamed = start.reservationId === reservationId && (isOpen || status === "Pending")
    return isNamed && (holder || same(start.parentUid, parentUid))
  }
  return isOpen && holder && (evseId === 0 || evseId === start.evseId)
}

/**
 * The reservation of the start's charger that the start uses. An accepted one takes precedence over one that is not answered yet. Without an id, one
 * for the connector takes precedence over one for the whole charger. Among the rest, the newest is used.
 */
export const consumedBy = <R extends ReservationFacts>(start: Start, reservations: ReadonlyArray<R>): R | undefined => {
  const [first] = reservations
    .filter((reservation) => consumes(start, reservation))
    .toSorted(
      (one, other) =>
        Number(one.status === "Pending") - Number(other.status === "Pending") ||
        (start.reservationId === undefined ? other.evseId - one.evseId : 0) ||
        (one.commandId < other.commandId ? 1 : -1)
    )
  return first
}

/**
 * Whether a session that replaces its reservation's session keeps the tariff of the reservation: only at the reserved connector. A reservation of the
 * whole charger has connector 0.
 */
export const keepsTariff = (
  { evseId }: Pick<Reservation, "evseId">,
  place: { readonly evseId: number; readonly connectorId: number }
): boolean => place.evseId === evseId && place.connectorId === Math.min(evseId, 1)

/**
 * Sessions are found by the time in their ids. So a session that starts later than this after the request for its reservation gets an id of its own.
 */
export const idReservedMillis = 24 * 60 * 60 * 1000

/** The session id for a start that uses this reservation; undefined if the start needs an id of its own. */
export const sessionIdFor = ({ createdAt, sessionId }: ReservationFacts, startedAt: number): string | undefined =>
  startedAt - createdAt <= idReservedMillis ? sessionId : undefined
