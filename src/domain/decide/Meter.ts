/**
 * MeterValues (OCPP 1.6 §4.7): readings are always stored, whatever they contain, and never refused, since a charger repeats them until it gets a
 * CALLRESULT.
 */
import type { MeterRead, SecurityEventRecorded } from "../charger/Fact.ts"
import {
  countedOn,
  type MeteredReading,
  type Reading,
  type Registers,
  registersOf,
  type Sample
} from "../charger/MeterValue.ts"
import { runningInstead, sessionAt } from "../session/Matching.ts"
import { outcomeOf } from "../session/Refused.ts"
import { powerBetween, reportedPowerOf } from "../charger/Power.ts"
import { takenBy } from "../session/Register.ts"
import { acknowledge, acknowledged, act } from "./Acting.ts"
import type { MeterValuesReported } from "../charger/ChargerEvent.ts"
import type { Place } from "../site/Connector.ts"
import type { ChargerState, KnownSession } from "../charger/ChargerState.ts"
import { distinguishing, isBelievable } from "../charger/Clock.ts"
import type { Answers, Decision, Envelope } from "../charger/Decision.ts"
import { meterKey } from "../charger/Keys.ts"
import { foreignTransaction } from "./Orphans.ts"
import { type RegisterRules, registerRulesOf } from "../charger/Quirks.ts"

/** The summary of a batch of readings. */
export interface Gist {
  /** The newest believable time among the readings, otherwise the time of receipt; ms epoch. */
  readonly at: number
  readonly readings: ReadonlyArray<MeteredReading>
  readonly registerWh: number | undefined
  readonly registerAt: number | undefined
  /** The newest power that a reading reports, in W. */
  readonly power: { readonly at: number; readonly watts: number } | undefined
  /** The first register that is marked as the transaction's beginning, and the last one that is marked as its end. */
  readonly beginWh: number | undefined
  readonly endWh: number | undefined
  /** Distinguishes the batch from others. It is the same if the batch is sent again. */
  readonly digest: string
}

/** A string of the charger, prefixed with its length, so that two different batches never have the same digest. */
const spelled = (word: string): string => `${word.length} ${word}`

const digestOf = ({ context, format, location, measurand, phase = "", unit, value }: Sample): string =>
  `,${spelled(value)}${spelled(unit)}${spelled(measurand)}${spelled(phase)}${spelled(location)}${spelled(context)}${spelled(format)}`

const digestOfAll = (readings: ReadonlyArray<Reading>, envelope: Envelope, epoch: number): string => {
  let digest = ""
  let timed = false
  for (const { at, rawAt, samples } of readings) {
    if (!timed && rawAt !== undefined) timed = distinguishing({ at, raw: rawAt }) !== undefined
    digest += spelled(rawAt ?? "")
    for (const sample of samples) digest += digestOf(sample)
    digest += ";"
  }
  return timed ? digest : `${digest}${epoch}|${envelope.messageId}`
}

/** A reading with its registers and its time, or the time of receipt if that is not believed. */
interface Timed {
  readonly at: number
  readonly reading: Reading
  readonly registers: Registers
}

/** True for a reading that reports only the transaction's beginning. */
const onlyBegins = ({ registers: { begin, now } }: Timed): boolean => begin !== undefined && now === begin

/** The earliest time at which the batch reports a register other than the transaction's beginning. */
const firstAfterBegin = (batch: ReadonlyArray<Timed>): number =>
  batch.reduce(
    (first, timed) => (timed.registers.now === undefined || onlyBegins(timed) ? first : Math.min(first, timed.at)),
    Infinity
  )

export const gistOf = (
  readings: ReadonlyArray<Reading>,
  rules: RegisterRules,
  envelope: Envelope,
  epoch: number,
  now: number
): Gist => {
  const batch = readings.map((reading): Timed => ({
    at: isBelievable(reading.at, now) ? reading.at : now,
    reading,
    registers: registersOf(reading, rules)
  }))
  // A beginning that is not earlier than the batch's other readings has the time of the message instead of its own.
  const after = batch.some(onlyBegins) ? firstAfterBegin(batch) : Infinity
  let at: number | undefined
  let newest: { readonly at: number; readonly wh: number } | undefined
  let power: Gist["power"]
  let begin: Timed | undefined
  let end: Timed | undefined
  const metered = batch.map((timed): MeteredReading => {
    const { reading, registers } = timed
    if (isBelievable(reading.at, now) && (at === undefined || reading.at > at)) at = reading.at
    if (registers.begin !== undefined && (begin === undefined || timed.at < begin.at)) begin = timed
    if (registers.end !== undefined && (end === undefined || timed.at >= end.at)) end = timed
    const registerWh = timed.at >= after && onlyBegins(timed) ? undefined : registers.now
    if (registerWh !== undefined && (newest === undefined || timed.at >= newest.at)) {
      newest = { at: timed.at, wh: registerWh }
    }
    const watts = power === undefined || timed.at >= power.at ? reportedPowerOf(reading.samples) : undefined
    if (watts !== undefined) power = { at: timed.at, watts }
    return { ...reading, registerWh }
  })
  return {
    at: at ?? now,
    readings: metered,
    registerWh: newest?.wh,
    registerAt: newest?.at,
    power,
    beginWh: begin?.registers.begin,
    endWh: end?.registers.end,
    digest: digestOfAll(readings, envelope, epoch)
  }
}

/** The same readings, with registers corrected that have rolled over since the session began. */
export const countedOnSince = (gist: Gist, session: KnownSession | undefined, rules: RegisterRules): Gist => {
  if (session === undefined || rules.registerRollsOverAtWh === undefined) return gist
  const counted = (wh: number | undefined) =>
    wh === undefined ? undefined : countedOn(wh, session.meterStartWh, rules)
  return {
    ...gist,
    readings: gist.readings.map((reading) => ({ ...reading, registerWh: counted(reading.registerWh) })),
    registerWh: counted(gist.registerWh),
    endWh: counted(gist.endWh)
  }
}

/** The readings of a session whose charger's clock is contradicted: with the time of receipt instead of one before the session. */
export const timedWithin = (gist: Gist, session: KnownSession | undefined, now: number): Gist => {
  if (session?.clockIgnored !== true) return gist
  const timed = <A extends number | undefined>(at: A): A | number =>
    at !== undefined && at < session.startedAt ? now : at
  return {
    ...gist,
    at: timed(gist.at),
    readings: gist.readings.map((reading) => ({ ...reading, at: timed(reading.at) })),
    registerAt: timed(gist.registerAt),
    power: gist.power && { ...gist.power, at: timed(gist.power.at) }
  }
}

/** What a register changes in its session. It changes nothing once a stop has ended the session. */
const changedBy = (session: KnownSession, { registerWh }: Gist): Pick<MeterRead["body"], "energyWh" | "refused"> => {
  if (session.status === "Ended" || registerWh === undefined) return {}
  const energyWh = takenBy(session, registerWh)
  return session.authorization === "Accepted"
    ? { energyWh }
    : { energyWh, refused: outcomeOf(session, energyWh, undefined) }
}

/** The power that an open session draws, if its readings show it. */
const drawnBy = (session: KnownSession, gist: Gist): Pick<MeterRead["body"], "powerW" | "powerAt"> => {
  const { power, registerAt, registerWh } = gist
  if (power !== undefined) return { powerW: power.watts, powerAt: power.at }
  if (registerWh === undefined || registerAt === undefined) return {}
  if (session.registerWh === undefined || session.registerAt === undefined) return {}
  const before = { wh: session.registerWh, at: session.registerAt }
  const powerW = powerBetween(before, { wh: registerWh, at: registerAt })
  return powerW === undefined ? {} : { powerW, powerAt: registerAt }
}

/** The fact of a batch of readings; `session` is undefined if they belong to no transaction of this charger. */
export const meterRead = (
  state: ChargerState,
  place: Place,
  session: KnownSession | undefined,
  transactionId: number | undefined,
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
    readings: gist.readings,
    registerWh: gist.registerWh,
    registerAt: gist.registerAt,
    ...(session === undefined ? {} : changedBy(session, gist)),
    ...(session?.status !== "Open" || fromStop ? {} : drawnBy(session, gist)),
    fromStop
  }
})

/** Readings belong to the transaction that they name. Without one, they belong to the session that ran on the connector at their time, if any. */
export const meterValuesReported = (
  state: ChargerState,
  event: MeterValuesReported,
  envelope: Envelope,
  answers: Answers,
  now: number
): Decision => {
  const { place, readings, transactionId } = event
  if (readings.length === 0) return acknowledge
  const rules = registerRulesOf(state, state.policy.quirks)
  const gist = gistOf(readings, rules, envelope, state.epoch, now)
  const read = (session: KnownSession | undefined) =>
    meterRead(
      state,
      place,
      session,
      transactionId,
      timedWithin(countedOnSince(gist, session, rules), session, now),
      false,
      now
    )
  if (transactionId === undefined) return act([read(sessionAt(state.sessions, place.evseId, gist.at))], acknowledged)
  const session = state.sessions.find((known) => known.transactionId === transactionId) ?? answers.session
  if (session === undefined) return { _tag: "Ask", question: { _tag: "FindSession", transactionId } }
  if (session !== null) {
    const running = runningInstead(session, state.sessions, gist)
    return act([read(running ?? session)], acknowledged)
  }
  const alarm: SecurityEventRecorded | undefined = foreignTransaction(state, transactionId, "MeterValues", now)
  return act(alarm === undefined ? [read(undefined)] : [read(undefined), alarm], acknowledged)
}
