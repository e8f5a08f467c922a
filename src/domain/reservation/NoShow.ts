/**
 * Whether a reserved connector was available to its driver. If another driver charged there in that time, the driver could not have used it and does
 * not pay for the unused reservation.
 */

/** A session at the same charger. */
export interface Occupation {
  readonly evseId: number
  /** ms epoch. */
  readonly startedAt: number
  /** Undefined while it runs. */
  readonly endedAt: number | undefined
}

/** Sessions at a charger while a connector was reserved, and how many connectors it has. */
export interface Occupancy {
  readonly evses: number
  readonly sessions: ReadonlyArray<Occupation>
}

export interface Keeping {
  /** 0: any connector of the charger. */
  readonly evseId: number
  /** ms epoch. */
  readonly acceptedAt: number
  readonly expiresAt: number
}

/**
 * True if the reserved connector was occupied at some moment. For a reservation of the whole charger: if all its connectors were occupied at once.
 */
export const wasGivenAway = ({ acceptedAt, evseId, expiresAt }: Keeping, { evses, sessions }: Occupancy): boolean => {
  const others = sessions.filter((one) => evseId === 0 || one.evseId === evseId)
  const connectors = evseId === 0 ? evses : 1
  const takenAt = (at: number) =>
    new Set(others.filter((one) => one.startedAt <= at && at < (one.endedAt ?? Infinity)).map((one) => one.evseId)).size
  return others.some(({ startedAt }) => {
    const at = Math.max(startedAt, acceptedAt)
    return at < expiresAt && connectors > 0 && takenAt(at) >= connectors
  })
}
