/**
 * Which of a connector's transactions came first. Times decide, except where a charger's clock contradicts the order in which its registers and
 * messages came: then the start has the time of receipt.
 */
import type { ChargerTime } from "../charger/ChargerEvent.ts"
import type { ChargerState, KnownSession } from "../charger/ChargerState.ts"
import { occurredAt } from "../charger/Clock.ts"
import type { Place } from "../site/Connector.ts"
import { stillOccupied } from "./Closing.ts"
import { nextOnConnector } from "./Matching.ts"
import { restarts } from "./Register.ts"

/** The open sessions on its connector that a start shows to have ended. */
export const endedBy = (state: ChargerState, place: Place, at: number, now: number): ReadonlyArray<KnownSession> =>
  state.sessions
    .filter((open) => open.status === "Open" && open.place.evseId === place.evseId)
    .filter((open) => open.startedAt <= at || open.startedAt > now)

/** The next known session on the connector after this one. */
export const newerThan = (
  state: ChargerState,
  session: Parameters<typeof nextOnConnector>[1],
  now: number
): KnownSession | undefined => {
  // A start in the future has a wrong clock, so it does not show that another session is older.
  const believed = state.sessions.filter(({ startedAt }) => startedAt <= now)
  return nextOnConnector(believed, session)
}

/** True if a session took energy, and the start's register is not below its last one: the meter counts on. */
const countsOn = ({ meterStartWh, registerWh, reportedStop }: KnownSession, startWh: number | undefined): boolean => {
  const last = reportedStop?.meterStopWh ?? registerWh
  return startWh !== undefined && last !== undefined && last > meterStartWh && startWh >= last
}

/**
 * True if neither register shows an order, and the connector came into use again after the session's stop: a start that arrives then is that of the
 * vehicle there.
 */
const isInUseSince = (
  { connectors }: ChargerState,
  { meterStartWh, reportedStop }: KnownSession,
  place: Place,
  startWh: number | undefined
): boolean => {
  const namedAt = reportedStop?.namedAt
  if (namedAt === undefined || !restarts(meterStartWh) || !restarts(startWh ?? 0)) return false
  return connectors.some(
    ({ connectorId, evseId, heardAt, status }) =>
      evseId === place.evseId && connectorId === place.connectorId && stillOccupied.has(status) && heardAt > namedAt
  )
}

/** True for a session that began by the charger's own clock, or whose clock was contradicted: others can only then contradict it. */
const isByClock = ({ clockIgnored, heardAt, startedAt }: KnownSession): boolean =>
  clockIgnored === true || startedAt !== heardAt

/**
 * When a transaction began, ms epoch: by the charger's clock if it is believable, unless the transaction would then have begun before one that came
 * first.
 */
export const begunAt = (
  state: ChargerState,
  {
    meterStartWh,
    place,
    time
  }: { readonly meterStartWh: number | undefined; readonly place: Place; readonly time: ChargerTime },
  now: number
): number => {
  const at = occurredAt(time, now)
  const isContradicted = state.sessions.some(
    (first) =>
      first.place.evseId === place.evseId &&
      isByClock(first) &&
      at < first.startedAt &&
      first.startedAt <= now &&
      (countsOn(first, meterStartWh) || isInUseSince(state, first, place, meterStartWh))
  )
  return isContradicted ? now : at
}
