/**
 * Finds the session of a message that does not identify one: a stop with transaction id -1 or 0 (after an offline start that was never answered), or
 * readings without a transaction. A wrong guess costs a driver money, so a message is matched only if no other session is possible.
 */
import type { Place } from "../site/Connector.ts"
import type { KnownSession, Orphan } from "../charger/ChargerState.ts"
import { tokenKey } from "../token/Token.ts"

/** What a stop without a usable transaction id says about its session. */
export type UnnamedStop = Pick<Orphan, "at" | "tokenUid" | "meterStopWh">

const maxTransactionId = 0x7fffffff

/** True if the text that a charger sent as transaction id is a valid id. Then the message belongs to no other transaction (T06). */
export const namesTransaction = (raw: string | undefined): boolean => {
  const n = Number(raw?.replaceAll('"', ""))
  return n >= 1 && n <= maxTransactionId
}

/** True for a stop that may belong to a start which has not arrived yet. */
export const canWait = (stop: Omit<UnnamedStop, "at"> & Pick<Orphan, "rawTransactionId">): boolean =>
  stop.tokenUid !== undefined && stop.meterStopWh !== undefined && !namesTransaction(stop.rawTransactionId)

/** True for an orphan that later decisions need: a stop that may wait for its start, or an unreadable start whose id its stop will repeat. */
export const isAtHand = (orphan: Omit<Orphan, "orphanId" | "at" | "heardAt">): boolean =>
  orphan.action === "StartTransaction" || canWait(orphan)

/** The earliest of the known sessions on the same connector that started after `session`. */
export const nextOnConnector = (
  sessions: ReadonlyArray<KnownSession>,
  session: { readonly sessionId: string; readonly place: KnownSession["place"]; readonly startedAt: number }
): KnownSession | undefined => {
  let next: KnownSession | undefined
  for (const other of sessions) {
    if (other.place.evseId !== session.place.evseId || other.sessionId === session.sessionId) continue
    if (other.startedAt > session.startedAt && (next === undefined || other.startedAt < next.startedAt)) next = other
  }
  return next
}

/**
 * The latest time at which a session can have run: its end, or the next start on its connector. Undefined if there is neither. For a superseded
 * session that means that it is not known, and nothing is matched to it.
 */
const latestEnd = (session: KnownSession, sessions: ReadonlyArray<KnownSession>): number | undefined => {
  const next = nextOnConnector(sessions, session)?.startedAt
  const reported = session.endedAt ?? session.supersededAt
  return reported === undefined || next === undefined ? (reported ?? next) : Math.min(reported, next)
}

const ranAt = (session: KnownSession, sessions: ReadonlyArray<KnownSession>, at: number): boolean => {
  if (session.startedAt > at) return false
  const end = latestEnd(session, sessions)
  return end === undefined ? session.status === "Open" : at <= end
}

/** True for a charger whose messages can only be about one connector. */
export const hasOneConnector = (connectors: ReadonlyArray<Place>, sessions: ReadonlyArray<KnownSession>): boolean =>
  new Set([...connectors, ...sessions.map(({ place }) => place)].map(({ evseId }) => evseId).filter((id) => id > 0))
    .size === 1

/** The power that a session is always believed to reach after its last reading: that of an AC connector. In W. */
const usualPowerW = 22_000

/** How much faster than until its last reading a session is believed to go on. Vehicles may wait before they charge. */
const fasterBy = 3

/** Wh that are always believed, for rounding. */
const roundingWh = 1_000

const hourMillis = 3_600_000

/** True if a session can have reached a register by then, according to its own readings; otherwise it is that of another meter. */
const isReachable = (
  { meterStartWh, registerAt, registerWh, startedAt }: KnownSession,
  at: number,
  meterStopWh: number
): boolean => {
  if (registerAt === undefined || registerWh === undefined || registerAt <= startedAt) return true
  const powerW = ((registerWh - meterStartWh) * hourMillis) / (registerAt - startedAt)
  const wh = (Math.max(usualPowerW, fasterBy * powerW) * Math.max(0, at - registerAt)) / hourMillis
  return meterStopWh <= registerWh + wh + roundingWh
}

/**
 * Open sessions that this stop can belong to: with the same token, an earlier start, and no register above the stop's. Not one that cannot have
 * reached the stop's register: then the start of another session was lost. With one connector, a stop without a token can belong to any.
 */
const candidates = (
  { at, meterStopWh, tokenUid }: UnnamedStop,
  sessions: ReadonlyArray<KnownSession>,
  isAlone: boolean
): ReadonlyArray<KnownSession> => {
  if (meterStopWh === undefined) return []
  const isItsToken = (uid: string) => (tokenUid === undefined ? isAlone : tokenKey(uid) === tokenKey(tokenUid))
  return sessions.filter(
    (session) =>
      session.status !== "Ended" &&
      isItsToken(session.tokenUid) &&
      isReachable(session, at, meterStopWh) &&
      session.meterStartWh <= meterStopWh &&
      ranAt(session, sessions, at)
  )
}

/** The one session that this stop can end, if there is exactly one. `isAlone`: the charger has one connector. */
export const sessionOfStop = (
  stop: UnnamedStop,
  sessions: ReadonlyArray<KnownSession>,
  isAlone = false
): KnownSession | undefined => {
  const found = candidates(stop, sessions, isAlone)
  return found.length === 1 ? found[0] : undefined
}

/**
 * The running session that a message belongs to although it names an ended one: it is later than that one's end, and the running session began on the
 * same connector in between. Some chargers go on using a transaction's id after the next one has begun.
 */
export const runningInstead = (
  { endedAt, place, status }: KnownSession,
  sessions: ReadonlyArray<KnownSession>,
  { at, registerWh }: { readonly at: number; readonly registerWh: number | undefined }
): KnownSession | undefined =>
  status !== "Ended" || endedAt === undefined || at <= endedAt
    ? undefined
    : sessions.find(
        (other) =>
          other.status === "Open" &&
          other.place.evseId === place.evseId &&
          other.startedAt >= endedAt &&
          other.startedAt <= at &&
          (registerWh === undefined || registerWh >= other.meterStartWh)
      )

/** The waiting stop of a session with a late start: the nearest of the stops that can belong to no other session. */
export const waitingStop = (
  session: KnownSession,
  sessions: ReadonlyArray<KnownSession>,
  orphans: ReadonlyArray<Orphan>
): Orphan | undefined => {
  if (orphans.length === 0) return undefined
  const all = [...sessions, session]
  let nearest: Orphan | undefined
  for (const orphan of orphans) {
    if (!canWait(orphan) || (nearest !== undefined && nearest.at <= orphan.at)) continue
    if (sessionOfStop(orphan, all) === session) nearest = orphan
  }
  return nearest
}

/** The session that ran on a connector at a time, if one is known. Readings without a transaction belong to it. */
export const sessionAt = (
  sessions: ReadonlyArray<KnownSession>,
  evseId: number,
  at: number
): KnownSession | undefined => {
  let latest: KnownSession | undefined
  for (const session of sessions) {
    if (session.place.evseId !== evseId || session.startedAt > at) continue
    if (latest === undefined || session.startedAt > latest.startedAt) latest = session
  }
  return latest !== undefined && ranAt(latest, sessions, at) ? latest : undefined
}
