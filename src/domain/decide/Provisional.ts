/**
 * Messages about provisional transactions (`session/Provisional`), and those that become sessions. What is decided about them depends on which new
 * transactions the charger's daily numbers allow at that moment.
 */
import type { MeterValuesReported, TransactionEnded } from "../charger/ChargerEvent.ts"
import type { ChargerState } from "../charger/ChargerState.ts"
import { occurredAt } from "../charger/Clock.ts"
import type { Decision, Envelope, FreshIds } from "../charger/Decision.ts"
import type { ChargerFact, ProvisionalTransaction, ReportedStop } from "../charger/Fact.ts"
import { registerRulesOf } from "../charger/Quirks.ts"
import { hasOneConnector, sessionOfStop } from "../session/Matching.ts"
import {
  awaitsStop,
  isPlausibleEnd,
  isPlausibleNow,
  negligible,
  plausibleAmong,
  provisionalOf,
  readDeferred,
  sessionOf
} from "../session/Provisional.ts"
import { acknowledge, acknowledged, act } from "./Acting.ts"
import { endingFacts, type Stop } from "./EndingFacts.ts"
import { countedOnSince, gistOf, meterRead } from "./Meter.ts"
import { kept } from "./Start.ts"

/** The provisional transaction that a stop ends. A stop that names none ends one only if it can belong to no other session. */
export const provisionalOfStop = (
  state: ChargerState,
  event: TransactionEnded,
  { at, meterStopWh }: ReportedStop,
  now: number
): ProvisionalTransaction | undefined => {
  const { tokenUid, transactionId } = event
  const list = provisionalOf(state)
  if (list.length === 0) return undefined
  if (transactionId !== undefined) return list.find(({ start }) => start.body.transactionId === transactionId)
  const repeated = list.find((one) => !awaitsStop(one) && one.stop?.at === at && one.stop?.meterStopWh === meterStopWh)
  if (repeated !== undefined) return repeated
  const running = list.filter(({ stop }) => stop === undefined)
  const known = [...state.sessions, ...running.map(sessionOf)]
  const found = sessionOfStop(
    { at: occurredAt(event.time, now), tokenUid, meterStopWh },
    known,
    hasOneConnector(state.connectors, known)
  )
  return running.find(({ start }) => start.body.sessionId === found?.sessionId)
}

/** The stop of a provisional transaction. A plausible one becomes a session and ends as such; another is counted. */
export const provisionalEnded = (
  state: ChargerState,
  provisional: ProvisionalTransaction,
  stop: Stop,
  envelope: Envelope,
  now: number,
  { transactionRoom: room = "All" }: FreshIds
): ReadonlyArray<ChargerFact> => {
  if (!awaitsStop(provisional)) return []
  const { facts, session } = kept(state, provisional, now)
  const end = endingFacts(state, session, stop, envelope, now)
  const ended = end.find((fact) => fact.type === "SessionEnded")
  if (ended === undefined) return []
  const isPlausible = isPlausibleEnd(ended, session.startedAt)
  const isNew = provisional.stop === undefined
  if (isPlausible ? room !== "None" : room === "All" && isNew) return [...facts, ...end]
  return isNew ? negligible(state, provisional, ended, now) : []
}

/**
 * The readings of a provisional transaction, with which it may be plausible. Those of one that has ended are not kept. Undefined for readings of no
 * such transaction.
 */
export const provisionalRead = (
  state: ChargerState,
  { place, readings, transactionId }: MeterValuesReported,
  envelope: Envelope,
  now: number,
  { transactionRoom: room = "All" }: FreshIds
): Decision | undefined => {
  const provisional = provisionalOf(state).find(({ start }) => start.body.transactionId === transactionId)
  if (provisional === undefined) return undefined
  if (readings.length === 0 || provisional.stop !== undefined) return acknowledge
  const rules = registerRulesOf(state, state.policy.quirks)
  const session = sessionOf(provisional)
  const gist = countedOnSince(gistOf(readings, rules, envelope, state.epoch, now), session, rules)
  const read = meterRead(state, place, session, transactionId, gist, false, now)
  const next = { ...provisional, readings: [...provisional.readings, read] }
  const becomes = room === "All" || (room === "Plausible" && isPlausibleNow(next, state, now))
  return act(
    becomes ? [...kept(state, provisional, now).facts, read] : readDeferred(state, provisional, read, now),
    acknowledged
  )
}

/**
 * The decision together with a provisional transaction that has become plausible since the charger's last message. It stays as it is if it concerns
 * provisional transactions itself.
 */
export const withPlausible = (
  state: ChargerState,
  decision: Decision,
  now: number,
  { transactionRoom: room = "All" }: FreshIds
): Decision => {
  if (decision._tag === "Ask" || room === "None") return decision
  const plausible = plausibleAmong(state, now)
  const isOther = decision.facts.every(({ type }) => type !== "SessionStarted" && type !== "ProvisionalChanged")
  if (plausible === undefined || !isOther) return decision
  return { ...decision, facts: [...decision.facts, ...kept(state, plausible, now).facts] }
}
