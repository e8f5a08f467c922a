/**
 * MeterValues (OCPP 1.6 §4.7): readings are stored whatever they say and whomever they belong to, and never refused, since an answer
 * other than a CALLRESULT makes a charger repeat them for ever.
 */
import type { MeterRead, SecurityEventRecorded } from "../Fact.ts"
import { type Reading, registerWh } from "../session/MeterValue.ts"
import { sessionAt } from "../session/Matching.ts"
import { acknowledge, acknowledged, act } from "./Acting.ts"
import type { MeterValuesReported, Place } from "./ChargerEvent.ts"
import type { ChargerState, KnownSession } from "./ChargerState.ts"
import { distinguishing, isBelievable } from "./Clock.ts"
import type { Answers, Decision, Envelope } from "./Decision.ts"
import { meterKey } from "./Keys.ts"
import { foreignTransaction } from "./Orphans.ts"

/** What a batch of readings comes to. */
interface Gist {
  /** Newest time among the readings, ms epoch. */
  readonly at: number
  readonly registerWh: number | undefined
  readonly registerAt: number | undefined
  /** Tells the batch from another one, and is the same when it is sent again. */
  readonly digest: string
}

/** One pass over the readings, since this is what most stored messages are. */
export const gistOf = (readings: ReadonlyArray<Reading>, envelope: Envelope, epoch: number, now: number): Gist => {
  let newest: number | undefined
  let register: number | undefined
  let registerAt: number | undefined
  let digest = ""
  let timed = false
  for (const reading of readings) {
    const believable = isBelievable(reading.at, now)
    const at = believable ? reading.at : now
    if (believable && (newest === undefined || at > newest)) newest = at
    const wh = registerWh(reading)
    if (wh !== undefined && (registerAt === undefined || at >= registerAt)) {
      register = wh
      registerAt = at
    }
    const raw = reading.rawAt
    if (!timed && raw !== undefined) timed = distinguishing({ at: reading.at, raw }) !== undefined
    digest += raw ?? "-"
    for (const sample of reading.samples) {
      digest += `,${sample.value} ${sample.unit} ${sample.measurand} ${sample.phase ?? ""} ${sample.location} ${sample.context}`
    }
    digest += ";"
  }
  if (!timed) digest += `${epoch}|${envelope.messageId}`
  return { at: newest ?? now, registerWh: register, registerAt, digest }
}

/** The fact of a batch of readings; `session` is undefined for those of no transaction of this charger. */
export const meterRead = (
  state: ChargerState,
  place: Place,
  session: KnownSession | undefined,
  transactionId: number | undefined,
  readings: ReadonlyArray<Reading>,
  gist: Gist,
  fromStop: boolean,
  now: number
): MeterRead => ({
  type: "MeterRead",
  key: meterKey(state, place.evseId, transactionId, gist.digest),
  organisationId: state.organisationId,
  chargerId: state.chargerId,
  at: gist.at,
  heardAt: now,
  body: {
    evseId: place.evseId,
    connectorId: place.connectorId,
    sessionId: session?.sessionId,
    readings,
    registerWh: gist.registerWh,
    registerAt: gist.registerAt,
    fromStop
  }
})

/** Readings go to the session they name, else to the one that ran on the connector at their time, else to none. */
export const meterValuesReported = (
  state: ChargerState,
  event: MeterValuesReported,
  envelope: Envelope,
  answers: Answers,
  now: number
): Decision => {
  const { place, readings, transactionId } = event
  if (readings.length === 0) return acknowledge
  const gist = gistOf(readings, envelope, state.epoch, now)
  if (transactionId === undefined) {
    const session = sessionAt(state.sessions, place.evseId, gist.at)
    return act([meterRead(state, place, session, undefined, readings, gist, false, now)], acknowledged)
  }
  const session = state.sessions.find((known) => known.transactionId === transactionId) ?? answers.session
  if (session === undefined) return { _tag: "Ask", question: { _tag: "FindSession", transactionId } }
  const read = meterRead(state, place, session ?? undefined, transactionId, readings, gist, false, now)
  const alarm: SecurityEventRecorded | undefined =
    session === null ? foreignTransaction(state, transactionId, "MeterValues", now) : undefined
  return act(alarm === undefined ? [read] : [read, alarm], acknowledged)
}
