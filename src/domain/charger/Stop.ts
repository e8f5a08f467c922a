/**
 * StopTransaction (OCPP 1.6 §4.10): always answered as if all were well, since anything else blocks the charger's queue. The first stop of
 * a session ends it; what later ones say changes nothing. A stop is believed to end a session only if it names it, or can be no other's.
 */
import type { ChargerFact, MeterRead, SessionEnded } from "../Fact.ts"
import { withoutTransaction } from "../command/Stack.ts"
import { profilesChanged } from "./Commanded.ts"
import { ending, type StopFigures } from "../session/Ending.ts"
import { sessionOfStop } from "../session/Matching.ts"
import { act, always, answer } from "./Acting.ts"
import type { TransactionEnded } from "./ChargerEvent.ts"
import type { ChargerState, KnownSession } from "./ChargerState.ts"
import { isBelievable, occurredAt } from "./Clock.ts"
import type { Answers, Decision, Envelope, FreshIds } from "./Decision.ts"
import { stopKey } from "./Keys.ts"
import { countedOnSince, gistOf, meterRead } from "./Meter.ts"
import { foreignTransaction, orphanStop } from "./Orphans.ts"
import { registerRulesOf } from "./Quirks.ts"
import { stopVerdict } from "./StopVerdict.ts"

/** Of a repeat: what the card is was said in the first answer, or is said at its next use. */
const stoppedBefore = always({ _tag: "StopAnswered", verdict: undefined })

/** The newest register, of what was known and what the stop itself brings. */
const newestRegister = (session: KnownSession, read: MeterRead | undefined): number | undefined => {
  const { registerAt, registerWh } = read?.body ?? {}
  if (registerWh === undefined || registerAt === undefined) return session.registerWh
  return session.registerAt !== undefined && session.registerAt > registerAt ? session.registerWh : registerWh
}

const figuresOf = (event: TransactionEnded, now: number): StopFigures => ({
  at: occurredAt(event.time, now),
  rawAt: event.time.raw,
  tokenUid: event.tokenUid,
  meterStopWh: event.meterStopWh,
  reason: event.reason
})

/** The end of `session`, and before it the readings that came with the stop. */
const endingFacts = (
  state: ChargerState,
  session: KnownSession,
  event: TransactionEnded,
  envelope: Envelope,
  now: number,
  orphan?: { readonly key: string; readonly orphanId: string }
): ReadonlyArray<ChargerFact> => {
  const { readings } = event
  const rules = registerRulesOf(state, state.policy.quirks)
  const gist =
    readings.length === 0
      ? undefined
      : countedOnSince(gistOf(readings, rules, envelope, state.epoch, now), session, rules)
  const read = gist && meterRead(state, session.place, session, session.transactionId, gist, true, now)
  const own = { beginWh: gist?.beginWh, endWh: gist?.endWh, rules }
  const { at, body: figures } = ending(session, figuresOf(event, now), newestRegister(session, read), own)
  const body = isBelievable(event.time.at, now) ? figures : { ...figures, untimed: true as const }
  const end: SessionEnded = {
    type: "SessionEnded",
    key: stopKey(state, session.transactionId),
    organisationId: state.organisationId,
    chargerId: state.chargerId,
    at,
    heardAt: now,
    requires: orphan?.key,
    body: orphan === undefined ? body : { ...body, orphanId: orphan.orphanId }
  }
  return read === undefined ? [end] : [orphan === undefined ? read : { ...read, requires: orphan.key }, end]
}

/** A transaction's own charging profiles end with it (OCPP 1.6 §3.13.1). */
const profilesEnded = (state: ChargerState, transactionId: number, now: number): ReadonlyArray<ChargerFact> => {
  const standing = state.profiles ?? []
  const document = withoutTransaction(standing, transactionId)
  return document.length === standing.length ? [] : [profilesChanged(state, document, now)]
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
  const orphan = orphanStop(state, event, envelope, "it names no transaction", now, ids)
  const session = sessionOfStop(
    { at: orphan.at, tokenUid: event.tokenUid, meterStopWh: event.meterStopWh },
    state.sessions
  )
  if (session === undefined) return [orphan]
  const { orphanId } = orphan.body
  return [orphan, ...endingFacts(state, session, event, envelope, now, { key: orphan.key, orphanId })]
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
  const orphan = orphanStop(state, event, envelope, problem, now, ids)
  return alarm === undefined ? [orphan] : [orphan, alarm]
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
  if (session?.status === "Ended") return answer(stoppedBefore)
  const card = stopVerdict(state, answers, event.tokenUid, now)
  if (card._tag === "Ask") return card
  const reply = always({ _tag: "StopAnswered", verdict: card.verdict })
  if (transactionId === undefined) return act(unnamed(state, event, envelope, now, ids), reply)
  if (session === undefined || session === null) {
    return act(foreign(state, event, transactionId, envelope, now, ids), reply)
  }
  return act([...endingFacts(state, session, event, envelope, now), ...profilesEnded(state, transactionId, now)], reply)
}
