/**
 * The facts of a session's end: the readings of its stop, and the end itself. They are the same if the stop arrived before its start and had to wait
 * for it.
 */
import type { ChargerFact, ReportedStop, SessionEnded } from "../charger/Fact.ts"
import { ending, type StopFigures } from "../session/Ending.ts"
import { isCopy } from "../session/Repeated.ts"
import { withRegister } from "../session/Register.ts"
import { courseWith, plainEnd } from "../session/Course.ts"
import { clockDoubt } from "../charger/ClockDoubt.ts"
import type { Reading } from "../charger/MeterValue.ts"
import type { ChargerState, KnownSession } from "../charger/ChargerState.ts"
import type { Envelope } from "../charger/Decision.ts"
import { stopKey } from "../charger/Keys.ts"
import { countedOnSince, gistOf, meterRead, timedWithin } from "./Meter.ts"
import { registerRulesOf } from "../charger/Quirks.ts"

export interface Stop {
  readonly figures: StopFigures
  readonly reported: ReportedStop
  readonly readings: ReadonlyArray<Reading>
  /** True if the stop had no believable time. */
  readonly untimed: boolean
  /** True if it arrived before its start, and so must have waited in the charger's queue. */
  readonly waited: boolean
  /** ms epoch. */
  readonly heardAt: number
}

/** What the end depends on if the stop was stored as an orphan: the key of a fact of the same commit, and the orphan's id. */
export interface Grounds {
  readonly requires: string
  readonly orphanId: string
}

/** The stop with the time of receipt if its charger's clock was already contradicted at the start. */
const timedAfter = (session: KnownSession, stop: Stop): Stop => {
  const { figures, heardAt, waited } = stop
  const isIgnored = session.clockIgnored === true && !waited
  return isIgnored ? { ...stop, figures: { ...figures, at: heardAt }, untimed: true } : stop
}

export const endingFacts = (
  state: ChargerState,
  session: KnownSession,
  given: Stop,
  envelope: Envelope,
  now: number,
  grounds?: Grounds
): ReadonlyArray<ChargerFact> => {
  const { figures, heardAt, readings, reported, untimed, waited } = timedAfter(session, given)
  const rules = registerRulesOf(state, state.policy.quirks)
  const gist =
    readings.length === 0
      ? undefined
      : timedWithin(
          countedOnSince(gistOf(readings, rules, envelope, state.epoch, heardAt), session, rules),
          session,
          heardAt
        )
  const read = gist && meterRead(state, session.place, session, session.transactionId, gist, true, heardAt)
  const newest = read === undefined ? session : withRegister(session, read.body)
  const own = { beginWh: gist?.beginWh, endWh: gist?.endWh, rules }
  const { at, body } = ending(session, figures, newest.registerWh, own)
  const doubted =
    body.status === "COMPLETED" && body.heldReason === undefined && isCopy(state, session, reported)
      ? { heldReason: "ClockImplausible" }
      : {}
  const course = read === undefined ? session.course : courseWith(session.course, read)
  const end: SessionEnded = {
    type: "SessionEnded",
    key: stopKey(state, session.transactionId),
    organisationId: state.organisationId,
    chargerId: state.chargerId,
    at,
    heardAt: now,
    requires: grounds?.requires,
    body: {
      ...body,
      ...doubted,
      reported,
      ...(untimed ? { untimed: true as const } : {}),
      clock: clockDoubt(
        { at: session.startedAt, heardAt: session.heardAt },
        { at, heardAt },
        untimed && (waited || state.connectedAt > Math.min(session.startedAt, session.heardAt))
      ),
      ...(grounds === undefined ? {} : { orphanId: grounds.orphanId })
    }
  }
  const plain = plainEnd(session, course, end)
  const ended = plain === undefined ? end : { ...end, body: { ...end.body, plain } }
  return read === undefined ? [ended] : [grounds === undefined ? read : { ...read, requires: grounds.requires }, ended]
}
