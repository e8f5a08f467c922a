/**
 * What a start decides besides the authorisation of its card: the tariff that its session is priced by, and the reservation that it
 * consumes. The fact of the start carries them, and storage only projects them.
 */
import type { TransactionStarted } from "../charger/ChargerEvent.ts"
import type { StartFacts, StartWanted } from "../charger/Decision.ts"
import type { SessionTariff } from "../charger/Fact.ts"
import { followedWithinMillis } from "../command/Following.ts"
import { consumedBy, type ReservationFacts } from "../reservation/Reservation.ts"
import { tariffOf } from "../tariff/Choice.ts"
import type { Authorization } from "../token/Authorization.ts"

/** What is to be known of a start that is heard `now`. */
export const startWanted = ({ place }: Pick<TransactionStarted, "place">, now: number): StartWanted => ({
  place,
  sentSince: now - followedWithinMillis
})

/** The tariff of a session that starts at `at` (ms epoch), by which it is priced also where the tariff changes later. */
export const tariffFor = (
  chargerId: string,
  { place }: Pick<TransactionStarted, "place">,
  { tariffs, timeZone }: StartFacts,
  at: number
): SessionTariff | undefined => {
  const chosen = tariffOf({ chargerId, ...place }, tariffs, at)
  return chosen && { tariffId: chosen.tariffId, version: chosen.version, timeZone }
}

/** Our ids have 32 bits. Some chargers send 0 where there is no reservation, or what was left in their memory. */
const namedReservation = ({ reservationId }: Pick<TransactionStarted, "reservationId">): number | undefined =>
  reservationId === 0 || Math.abs(reservationId ?? 0) > 0x7fffffff ? undefined : reservationId

/** The reservation that a start consumes, among those of its charger. */
export const consumedFor = (
  event: Pick<TransactionStarted, "place" | "reservationId" | "tokenUid">,
  { parentUid, status }: Pick<Authorization, "parentUid" | "status">,
  reservations: ReadonlyArray<ReservationFacts>,
  at: number
): ReservationFacts | undefined => {
  const { place, tokenUid } = event
  const reservationId = namedReservation(event)
  const accepted = status === "Accepted"
  return consumedBy({ reservationId, evseId: place.evseId, tokenUid, parentUid, accepted, startedAt: at }, reservations)
}
