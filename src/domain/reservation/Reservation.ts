/**
 * Reservations (OCPP 1.6 §5.13, §5.2): a connector kept for a card until a time. One is made by every ReserveNow and shows what became of
 * it; the charger keeps the connector, we keep the record.
 */

export const reservationStatuses = [
  /** It was asked for, and not answered yet. */
  "Pending",
  "Active",
  /** The charger refused it. */
  "Rejected",
  /** It was never sent. */
  "Failed",
  /** A start has consumed it. */
  "Used",
  "Cancelled",
  "Expired",
  /** It was sent, and whether the charger has it is not known. */
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
  /** The charger's word for no (Faulted, Occupied, Rejected, Unavailable), or the error's code. */
  readonly reason: string | undefined
  readonly sessionId: string | undefined
  readonly createdAt: number
  readonly updatedAt: number
}

/** True while the charger may hold a connector for it. */
export const holds = ({ expiresAt, status }: Pick<Reservation, "expiresAt" | "status">, now: number): boolean =>
  (status === "Active" || status === "Unknown") && expiresAt > now

/** The status as it is at `now`: what has not been used by its time has expired, whether or not anybody has noted it. */
export const isInForce = (
  { expiresAt, status }: Pick<Reservation, "expiresAt" | "status">,
  now: number
): ReservationStatus => ((status === "Active" || status === "Unknown") && expiresAt <= now ? "Expired" : status)

/** What of a reservation decides whom it is for. */
export type ReservationFacts = Pick<
  Reservation,
  | "commandId"
  | "reservationId"
  | "evseId"
  | "tokenUid"
  | "parentUid"
  | "expiresAt"
  | "status"
  /** The session that bills it, as long as no start has taken its place. */
  | "sessionId"
  | "createdAt"
>

/** What of a start matters to reservations. */
export interface Start {
  readonly reservationId: number | undefined
  readonly evseId: number
  readonly tokenUid: string
  readonly parentUid: string | undefined
  /** Whether the start's card was accepted. */
  readonly accepted: boolean
  /** ms epoch, by the charger's clock: a start that was made offline in time is in time. */
  readonly startedAt: number
}

const same = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && one.toLowerCase() === other.toLowerCase()

/** True for what the charger has, or had until its time: what has expired since counts for what happened before. */
const isGiven = (status: ReservationStatus): boolean =>
  status === "Active" || status === "Unknown" || status === "Expired"

/** Who asks to charge, where and when. `evseId` is undefined for a card that was only held up to the charger. */
export interface Claim {
  readonly evseId: number | undefined
  readonly reservationId: number | undefined
  readonly tokenUid: string
  readonly parentUid: string | undefined
  /** ms epoch. */
  readonly at: number
}

/**
 * Whether a reservation lets a card charge: its own, or one of the group that it was made for; at its connector, at any where it is of the whole
 * charger, or by its id.
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
 * Whether a start consumes a reservation: by its id, with the card that reserved or one of its group; or without any id, with the very
 * card on the reserved connector, since some chargers leave the id out. A start that names one whose answer we have not taken yet shows that
 * the charger has it: both may come at the same moment. A refused start consumes nothing.
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
 * The one reservation that a start consumes, of those of its charger: one that the charger has said yes to rather than one that is still
 * asked for; without an id that of the connector itself rather than one of the whole charger; the latest of several.
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
 * Whether a session that takes the place of its reservation's session keeps the tariff that the driver reserved under: at the connector that
 * was reserved. A reservation of the whole charger has connector 0.
 */
export const keepsTariff = (
  { evseId }: Pick<Reservation, "evseId">,
  place: { readonly evseId: number; readonly connectorId: number }
): boolean => place.evseId === evseId && place.connectorId === Math.min(evseId, 1)

/** Sessions are found by the time in their ids: one that starts later than this after its reservation was asked for has an id of its own. */
export const idReservedMillis = 24 * 60 * 60 * 1000

/** The id under which a start that consumes this reservation goes on; undefined where it needs one of its own. */
export const sessionIdFor = ({ createdAt, sessionId }: ReservationFacts, startedAt: number): string | undefined =>
  startedAt - createdAt <= idReservedMillis ? sessionId : undefined
