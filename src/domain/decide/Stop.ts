/**
 * StopTransaction (OCPP 1.6 §4.10): always answered with a CALLRESULT, since anything else blocks the charger's queue. The first stop of a session
 * ends it. Further stops change nothing, but are stored if they differ. A stop ends a session only if it names the session's transaction, or names
 * none and can belong to no other session.
 */
import type { ChargerFact, OrphanRecorded, ReportedStop } from "../charger/Fact.ts"
import { profilesChanged, profilesEnded } from "./Commanded.ts"
import { hasOneConnector, isAtHand, runningInstead, sessionOfStop } from "../session/Matching.ts"
import { act, always, answer } from "./Acting.ts"
import type { TransactionEnded } from "../charger/ChargerEvent.ts"
import type { ChargerState, KnownSession } from "../charger/ChargerState.ts"
import { distinguishing, isBelievable, occurredAt } from "../charger/Clock.ts"
import type { Answers, Decision, Envelope, FreshIds, Question } from "../charger/Decision.ts"
import { endingFacts, type Stop } from "./EndingFacts.ts"
import type { IdTagVerdict } from "../charger/Reply.ts"
import { type TokenFacts, tokenKey } from "../token/Token.ts"
import { foreignTransaction, orphanStop } from "./Orphans.ts"
import { authorizing } from "./Authorize.ts"
import { provisionalEnded, provisionalOfStop } from "./Provisional.ts"
import { verdictOf } from "./Start.ts"

const reportedBy = ({ meterStopWh, time, transactionId }: TransactionEnded, now: number): ReportedStop => ({
  meterStopWh,
  at: distinguishing(time) === undefined ? undefined : time.at,
  ...(transactionId === undefined ? {} : { namedAt: now })
})

const stopOf = (event: TransactionEnded, now: number): Stop => ({
  figures: {
    at: occurredAt(event.time, now),
    rawAt: event.time.raw,
    tokenUid: event.tokenUid,
    meterStopWh: event.meterStopWh,
    reason: event.reason
  },
  reported: reportedBy(event, now),
  readings: event.readings,
  untimed: !isBelievable(event.time.at, now),
  waited: false,
  heardAt: now
})

/** Some chargers give each repeat of a stop the time at which it is sent. */
const repeatedWithinMillis = 10_000

/**
 * True if a stop reports another register than the one that ended the session, or a time that is not that of a repeat. Missing values contradict
 * nothing.
 */
const contradicts = (reported: ReportedStop, first: ReportedStop): boolean =>
  (reported.meterStopWh !== undefined && reported.meterStopWh !== first.meterStopWh) ||
  (reported.at !== undefined && Math.abs(reported.at - (first.at ?? Infinity)) > repeatedWithinMillis)

/** The charging profiles change if the transaction had its own. `requires` is as in the facts of its end. */
const profilesWithout = (
  state: ChargerState,
  { transactionId }: KnownSession,
  now: number,
  requires?: string
): ReadonlyArray<ChargerFact> => {
  const current = state.profiles ?? []
  const document = profilesEnded(current, [transactionId])
  return document.length === current.length ? [] : [{ ...profilesChanged(state, document, now), requires }]
}

/**
 * A stop that names no transaction. It is stored as an orphan under its own key and, in the same commit, ends a session if it can belong to only one.
 * Both facts depend on the orphan's key, so that a repeat can never end another session that has begun since.
 */
const unnamed = (
  state: ChargerState,
  event: TransactionEnded,
  envelope: Envelope,
  now: number,
  ids: FreshIds
): ReadonlyArray<ChargerFact> => {
  const orphan = orphanStop(state, event, envelope, { problem: "it names no transaction" }, now, ids)
  const session = sessionOfStop(
    { at: orphan.at, tokenUid: event.tokenUid, meterStopWh: event.meterStopWh },
    state.sessions,
    hasOneConnector(state.connectors, state.sessions)
  )
  if (session === undefined) return [waiting(orphan, event)]
  const { orphanId } = orphan.body
  const grounds = { requires: orphan.key, orphanId }
  const end = endingFacts(state, session, stopOf(event, now), envelope, now, grounds)
  return [orphan, ...end, ...profilesWithout(state, session, now, orphan.key)]
}

/** The orphan with its readings. The session gets them once its start arrives. */
const waiting = (orphan: OrphanRecorded, { readings }: TransactionEnded): OrphanRecorded =>
  readings.length === 0 || !isAtHand(orphan.body) ? orphan : { ...orphan, body: { ...orphan.body, readings } }

/**
 * A further stop of an ended session. The first stop counts; one that differs is stored for an operator. If the card is accepted, the answer says so,
 * as for the first stop, since the charger may not have received that answer. Otherwise the answer has no verdict, since the permission to charge may
 * have ended with the session.
 */
const further = (
  state: ChargerState,
  { sessionId, reportedStop }: KnownSession,
  event: TransactionEnded,
  envelope: Envelope,
  now: number,
  ids: FreshIds,
  verdict: IdTagVerdict | undefined
): Decision => {
  const reply = always({ _tag: "StopAnswered", verdict: verdict?.status === "Accepted" ? verdict : undefined })
  if (reportedStop === undefined || !contradicts(reportedBy(event, now), reportedStop)) return answer(reply)
  const why = { problem: "its session has already ended, by a stop with different data", contradicts: sessionId }
  return act([orphanStop(state, event, envelope, why, now, ids)], reply)
}

/**
 * The running session of the same connector that a stop ends although it names an ended one. `Repeat` if it has ended such a session before. It needs
 * another register than the ended session's stop, and the running session's card if it names one.
 */
const stoppedInstead = (
  state: ChargerState,
  named: KnownSession,
  event: TransactionEnded,
  now: number
): KnownSession | "Repeat" | undefined => {
  const reported = reportedBy(event, now)
  const { at, meterStopWh } = reported
  if (meterStopWh === undefined || at === undefined || meterStopWh === named.reportedStop?.meterStopWh) return undefined
  const isRepeat = state.sessions.some(
    ({ place, reportedStop, status, sessionId }) =>
      status === "Ended" &&
      sessionId !== named.sessionId &&
      place.evseId === named.place.evseId &&
      reportedStop?.at === at &&
      reportedStop.meterStopWh === meterStopWh
  )
  if (isRepeat) return "Repeat"
  const running = runningInstead(named, state.sessions, { at, registerWh: meterStopWh })
  const isItsCard = event.tokenUid === undefined || tokenKey(event.tokenUid) === tokenKey(running?.tokenUid ?? "")
  return isItsCard ? running : undefined
}

/** A stop that names a transaction which this charger never had. It is never matched to another session (T06). */
const foreign = (
  state: ChargerState,
  event: TransactionEnded,
  transactionId: number,
  envelope: Envelope,
  now: number,
  ids: FreshIds
): ReadonlyArray<ChargerFact> => {
  const alarm = foreignTransaction(state, transactionId, "StopTransaction", now)
  const problem = alarm === undefined ? "its start could not be read" : "this charger has no such transaction"
  const orphan = orphanStop(state, event, envelope, { problem }, now, ids)
  return alarm === undefined ? [orphan] : [orphan, alarm]
}

/**
 * The answer about the card that stopped a transaction (OCPP 1.6 §6.50). The transaction stops whatever the answer is, but the charger stores the
 * answer in its authorization cache (§3.5.1). It therefore contains the verdict on the card itself, or none.
 */
export type StopVerdict =
  | { readonly _tag: "Ask"; readonly question: Question }
  /** Undefined if the answer has no verdict. */
  | { readonly _tag: "Answer"; readonly verdict: IdTagVerdict | undefined }

const nothing: StopVerdict = { _tag: "Answer", verdict: undefined }

/**
 * True for an unknown card that a reservation or a partner's command allowed to charge here. That permission ends with the session and is not a
 * verdict on the card.
 */
const wasLetIn = ({ openSessions }: TokenFacts, chargerId: string): boolean =>
  openSessions.some((open) => open.chargerId === chargerId && ["Reservation", "RoamingToken"].includes(open.source))

/** The answer has no verdict if only a partner could give one: a stop does not wait for partners. */
export const stopVerdict = (
  state: ChargerState,
  { token }: Answers,
  tokenUid: string | undefined,
  now: number
): StopVerdict => {
  if (tokenUid === undefined) return nothing
  const { chargerId } = state
  // The session that ends no longer entitles the card to anything.
  const facts = token === undefined ? {} : { token: { ...token, openSessions: [] } }
  const decided = authorizing(state, facts, { _tag: "Asking", tokenUid, chargerId }, now)
  if (decided._tag === "Ask") return decided.question._tag === "AskPartners" ? nothing : decided
  const isUnknownCard = decided.authorization.source === "UnknownTokenRule"
  if (isUnknownCard && token !== undefined && wasLetIn(token, chargerId)) return nothing
  return { _tag: "Answer", verdict: verdictOf(decided.authorization) }
}

export const transactionEnded = (
  state: ChargerState,
  event: TransactionEnded,
  envelope: Envelope,
  answers: Answers,
  now: number,
  ids: FreshIds
): Decision => {
  const { transactionId } = event
  const session =
    transactionId === undefined
      ? undefined
      : (state.sessions.find((known) => known.transactionId === transactionId) ?? answers.session)
  const provisional = session === undefined ? provisionalOfStop(state, event, reportedBy(event, now), now) : undefined
  if (transactionId !== undefined && session === undefined && provisional === undefined) {
    return { _tag: "Ask", question: { _tag: "FindSession", transactionId } }
  }
  const card = stopVerdict(state, answers, event.tokenUid, now)
  if (card._tag === "Ask") return card
  const reply = always({ _tag: "StopAnswered", verdict: card.verdict })
  if (provisional !== undefined)
    return act(provisionalEnded(state, provisional, stopOf(event, now), envelope, now, ids), reply)
  const running = session?.status === "Ended" ? stoppedInstead(state, session, event, now) : undefined
  if (running === "Repeat") return answer(reply)
  if (running !== undefined) {
    const facts = [
      ...endingFacts(state, running, stopOf(event, now), envelope, now),
      ...profilesWithout(state, running, now)
    ]
    return act(facts, reply)
  }
  if (session?.status === "Ended") return further(state, session, event, envelope, now, ids, card.verdict)
  if (transactionId === undefined) return act(unnamed(state, event, envelope, now, ids), reply)
  if (session === undefined || session === null) {
    return act(foreign(state, event, transactionId, envelope, now, ids), reply)
  }
  return act(
    [...endingFacts(state, session, stopOf(event, now), envelope, now), ...profilesWithout(state, session, now)],
    reply
  )
}
