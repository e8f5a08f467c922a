/**
 * StopTransaction (OCPP 1.6 §4.10): always answered with a CALLRESULT, since anything else blocks the charger's queue. The first stop of
 * a session ends it; what later ones say changes nothing, and is kept where it is something else. A stop is believed to end a session only if it names it, or can be no other's.
 */
import type { ChargerFact, OrphanRecorded } from "../charger/Fact.ts"
import { withoutTransaction } from "../command/Stack.ts"
import { profilesChanged } from "./Commanded.ts"
import { isAtHand, sessionOfStop } from "../session/Matching.ts"
import { act, always, answer } from "./Acting.ts"
import type { TransactionEnded } from "../charger/ChargerEvent.ts"
import type { ChargerState, KnownSession, ReportedStop } from "../charger/ChargerState.ts"
import { distinguishing, isBelievable, occurredAt } from "../charger/Clock.ts"
import type { Answers, Decision, Envelope, FreshIds, Question } from "../charger/Decision.ts"
import { endingFacts, type Stop } from "./EndingFacts.ts"
import type { IdTagVerdict } from "../charger/Reply.ts"
import type { TokenFacts } from "../token/Token.ts"
import { foreignTransaction, orphanStop } from "./Orphans.ts"
import { authorizing } from "./Authorize.ts"
import { verdictOf } from "./Start.ts"

/** Of a repeat: what the card is was said in the first answer, or is said at its next use. */
const stoppedBefore = always({ _tag: "StopAnswered", verdict: undefined })

const reportedBy = ({ meterStopWh, time }: TransactionEnded): ReportedStop => ({
  meterStopWh,
  at: distinguishing(time) === undefined ? undefined : time.at
})

const stopOf = (event: TransactionEnded, now: number): Stop => ({
  figures: {
    at: occurredAt(event.time, now),
    rawAt: event.time.raw,
    tokenUid: event.tokenUid,
    meterStopWh: event.meterStopWh,
    reason: event.reason
  },
  reported: reportedBy(event),
  readings: event.readings,
  untimed: !isBelievable(event.time.at, now),
  heardAt: now
})

/** True of a stop that says another register or another time than the one that ended its session; what it leaves out contradicts nothing. */
const contradicts = (reported: ReportedStop, isInForce: ReportedStop): boolean =>
  (reported.meterStopWh !== undefined && reported.meterStopWh !== isInForce.meterStopWh) ||
  (reported.at !== undefined && reported.at !== isInForce.at)

/** A transaction's own charging profiles end with it (OCPP 1.6 §3.13.1). */
const profilesEnded = (state: ChargerState, transactionId: number, now: number): ReadonlyArray<ChargerFact> => {
  const current = state.profiles ?? []
  const document = withoutTransaction(current, transactionId)
  return document.length === current.length ? [] : [profilesChanged(state, document, now)]
}

/**
 * A stop that names no transaction: it is kept as an orphan under its own key, and ends a session in the same breath where it can be that
 * of one only. Both stand or fall by the orphan's key, so that its repeat can never end another session that has begun since.
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
    state.sessions
  )
  if (session === undefined) return [waiting(orphan, event)]
  const { orphanId } = orphan.body
  const grounds = { requires: orphan.key, orphanId }
  return [orphan, ...endingFacts(state, session, stopOf(event, now), envelope, now, grounds)]
}

/** With what came along, which it may bring to its session once its start turns up. */
const waiting = (orphan: OrphanRecorded, { readings }: TransactionEnded): OrphanRecorded =>
  readings.length === 0 || !isAtHand(orphan.body) ? orphan : { ...orphan, body: { ...orphan.body, readings } }

/** A further stop of a session that has ended: the first counts, and one that says something else is kept for an operator to look at. */
const further = (
  state: ChargerState,
  { sessionId, reportedStop }: KnownSession,
  event: TransactionEnded,
  envelope: Envelope,
  now: number,
  ids: FreshIds
): Decision => {
  if (reportedStop === undefined || !contradicts(reportedBy(event), reportedStop)) return answer(stoppedBefore)
  const why = { problem: "its session has ended already, by a stop that says otherwise", contradicts: sessionId }
  return act([orphanStop(state, event, envelope, why, now, ids)], stoppedBefore)
}

/** A stop that names a transaction which this charger never had: never matched to another session (T06). */
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
 * What a charger is answered about the card that stopped a transaction (OCPP 1.6 §6.50). The transaction stops whatever the answer is, but
 * the charger keeps the answer in its authorization cache (§3.5.1). So it gets the card's own verdict, or none at all.
 */
export type StopVerdict =
  | { readonly _tag: "Ask"; readonly question: Question }
  /** Undefined where nothing is to be said. */
  | { readonly _tag: "Answer"; readonly verdict: IdTagVerdict | undefined }

const nothing: StopVerdict = { _tag: "Answer", verdict: undefined }

/** True of an unknown card that something else let charge here: what that was is over with the session, and says nothing of the card. */
const wasLetIn = ({ openSessions }: TokenFacts, chargerId: string): boolean =>
  openSessions.some((open) => open.chargerId === chargerId && ["Reservation", "RoamingToken"].includes(open.source))

/** Of a card on which only a partner could say more nothing is said: a stop waits for no partner. */
export const stopVerdict = (
  state: ChargerState,
  { token }: Answers,
  tokenUid: string | undefined,
  now: number
): StopVerdict => {
  if (tokenUid === undefined) return nothing
  const { chargerId } = state
  // The session that ends entitles to nothing any more.
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
  if (transactionId !== undefined && session === undefined) {
    return { _tag: "Ask", question: { _tag: "FindSession", transactionId } }
  }
  if (session?.status === "Ended") return further(state, session, event, envelope, now, ids)
  const card = stopVerdict(state, answers, event.tokenUid, now)
  if (card._tag === "Ask") return card
  const reply = always({ _tag: "StopAnswered", verdict: card.verdict })
  if (transactionId === undefined) return act(unnamed(state, event, envelope, now, ids), reply)
  if (session === undefined || session === null) {
    return act(foreign(state, event, transactionId, envelope, now, ids), reply)
  }
  return act(
    [...endingFacts(state, session, stopOf(event, now), envelope, now), ...profilesEnded(state, transactionId, now)],
    reply
  )
}
