/**
 * Which starts repeat an earlier one. A charger sends a start again with the same time until it gets an answer, also after its queue was interrupted.
 * But clocks without a battery show the same times after each power-up, and some stand still. If the register does not show the order either, because
 * the meter restarts with each session, a repeat is decided by what the charger has shown since.
 */
import type { ChargerTime } from "../charger/ChargerEvent.ts"
import type { ChargerState, KnownSession } from "../charger/ChargerState.ts"
import { distinguishing, isBelievable } from "../charger/Clock.ts"
import { agreesWithReceipt } from "../charger/ClockDoubt.ts"
import type { ReportedStop } from "../charger/Fact.ts"
import { tokenKey } from "../token/Token.ts"
import { provisionalOf, sessionOf } from "./Provisional.ts"
import { restarts } from "./Register.ts"

/** What identifies a start, besides its time. */
export interface StartIdentity {
  readonly evseId: number
  readonly tokenUid: string
  readonly meterStartWh: number
}

/**
 * True if the charger had the answer to the session's start, because its stop named the transaction, and has gone on since: it has connected again, or the
 * connector has reported another status. Another start shows nothing, since a queue may be sent in any order.
 */
const hasGoneOn = ({ connectedAt, connectors }: ChargerState, session: KnownSession): boolean => {
  const namedAt = session.reportedStop?.namedAt
  if (session.status !== "Ended" || namedAt === undefined) return false
  const { evseId } = session.place
  return (
    connectedAt > namedAt || connectors.some((connector) => connector.evseId === evseId && connector.heardAt > namedAt)
  )
}

/** True if the charger's clock was right both at the session's start and at its stop. Then the start's time identifies it. */
const wasTimedRightly = ({ heardAt, reportedStop, startedAt }: KnownSession): boolean =>
  agreesWithReceipt({ at: startedAt, heardAt }) &&
  reportedStop?.at !== undefined &&
  reportedStop.namedAt !== undefined &&
  agreesWithReceipt({ at: reportedStop.at, heardAt: reportedStop.namedAt })

/** True if another start with the session's time and register may be that of another session. */
const mayComeAgain = (state: ChargerState, session: KnownSession): boolean =>
  restarts(session.meterStartWh) && hasGoneOn(state, session) && !wasTimedRightly(session)

const isSame = (session: KnownSession, { evseId, meterStartWh, tokenUid }: StartIdentity): boolean =>
  session.place.evseId === evseId &&
  session.meterStartWh === meterStartWh &&
  tokenKey(session.tokenUid) === tokenKey(tokenUid)

/**
 * The known session that a start repeats, if any. The journal recognises other repeats by their key. A timestamp of the charger identifies the start,
 * unless it may come again. Without a timestamp, an open session counts as the same if no reading has shown
 * another register since.
 */
export const repeatedSession = (
  state: ChargerState,
  start: StartIdentity,
  time: ChargerTime
): KnownSession | undefined => {
  const isTimed = distinguishing(time) !== undefined
  return [...state.sessions, ...provisionalOf(state).map(sessionOf)].find(
    (session) =>
      isSame(session, start) &&
      (isTimed
        ? session.startedAt === time.at && !mayComeAgain(state, session)
        : session.status === "Open" && (session.registerWh ?? start.meterStartWh) === start.meterStartWh)
  )
}

/**
 * The transaction after which a start comes, if only that distinguishes it from an earlier start with the same time; undefined if the time does. Any
 * time before a charger's clock was set may come again.
 */
export const comesAfter = (
  state: ChargerState,
  start: StartIdentity,
  time: ChargerTime,
  now: number
): number | undefined => {
  if (distinguishing(time) === undefined || !restarts(start.meterStartWh)) return undefined
  const isSet = isBelievable(time.at, now)
  const before = state.sessions.findLast((session) =>
    isSet
      ? isSame(session, start) && session.startedAt === time.at && mayComeAgain(state, session)
      : session.place.evseId === start.evseId && hasGoneOn(state, session)
  )
  return before?.transactionId
}

/**
 * True if an ended session has the same start and the same stop, times and registers included: the charger has sent its whole queue again, or its clock
 * and its meter show the same for another charge.
 */
export const isCopy = (state: ChargerState, session: KnownSession, { at, meterStopWh }: ReportedStop): boolean =>
  at !== undefined &&
  state.sessions.some(
    (other) =>
      other.sessionId !== session.sessionId &&
      other.status === "Ended" &&
      isSame(other, { ...session, evseId: session.place.evseId }) &&
      other.startedAt === session.startedAt &&
      other.reportedStop?.at === at &&
      other.reportedStop.meterStopWh === meterStopWh
  )
