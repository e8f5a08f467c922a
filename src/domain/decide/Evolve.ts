/**
 * Computes the actor's state after a commit. Facts that were not recorded change nothing. The same function can fold a history of facts into a state.
 */
import type {
  ChargerFact,
  CommandAnswered,
  ConnectorStatusChanged,
  MeterRead,
  OrphanRecorded,
  SessionEnded,
  SessionStarted
} from "../charger/Fact.ts"
import { transferTypes } from "../command/TransferProgress.ts"
import { courseBegun, courseWith } from "../session/Course.ts"
import { isAtHand } from "../session/Matching.ts"
import { provisionalAfter } from "../session/Provisional.ts"
import { withRegister } from "../session/Register.ts"
import {
  type ChargerState,
  type ConnectorState,
  type KnownSession,
  endedSessionsKept,
  openSessionsKept,
  orphansKept,
  supersededSessionsKept
} from "../charger/ChargerState.ts"
import type { Evolve } from "../charger/Decision.ts"
import { startedSession } from "../session/Started.ts"
import { templatingAfter } from "./Templating.ts"

/**
 * Keeps the sessions that stay in memory: the newest open and superseded ones, and those of the last started sessions that have ended. `sessions` are
 * in the order in which their starts were received. The rule depends only on the sessions, so that storage can apply it too: an actor that is loaded
 * again then decides as the previous one would have.
 */
const withinLimits = (sessions: ReadonlyArray<KnownSession>): ReadonlyArray<KnownSession> => {
  const left = { Open: openSessionsKept, Superseded: supersededSessionsKept }
  const kept = sessions
    .toReversed()
    .filter(({ status }, newer) => (status === "Ended" ? newer < endedSessionsKept : left[status]-- > 0))
  return kept.length === sessions.length ? sessions : kept.toReversed()
}

const withSessions = (state: ChargerState, sessions: ReadonlyArray<KnownSession>): ChargerState => ({
  ...state,
  sessions: withinLimits(sessions)
})

const sessionStarted = (state: ChargerState, fact: SessionStarted): ChargerState => {
  const { ends = [], sessionId } = fact.body
  const endOf = (id: string) => ends.find((end) => end.sessionId === id)?.at
  const others =
    ends.length === 0
      ? state.sessions
      : state.sessions.map((session) => {
          const supersededAt = session.status === "Open" ? endOf(session.sessionId) : undefined
          return supersededAt === undefined ? session : { ...session, status: "Superseded" as const, supersededAt }
        })
  const session = { ...startedSession(fact), course: courseBegun(fact), follows: fact.body.follows }
  return withSessions(state, [
    ...others,
    session.status === "Superseded" ? { ...session, supersededAt: endOf(sessionId) } : session
  ])
}

const sessionEnded = (state: ChargerState, { at, body }: SessionEnded): ChargerState => {
  const index = state.sessions.findIndex((known) => known.sessionId === body.sessionId)
  const session = state.sessions[index]
  if (body.unheard === true) {
    if (session?.status !== "Open") return state
    return withSessions(state, state.sessions.with(index, { ...session, status: "Superseded", supersededAt: at }))
  }
  const orphans =
    body.orphanId === undefined ? state.orphans : state.orphans.filter((orphan) => orphan.orphanId !== body.orphanId)
  if (session === undefined) return orphans === state.orphans ? state : { ...state, orphans }
  const { meterStartWh = session.meterStartWh } = body
  const ended: KnownSession = {
    ...session,
    course: undefined,
    status: "Ended",
    endedAt: at,
    meterStartWh,
    reportedStop: body.reported
  }
  return withSessions({ ...state, orphans }, state.sessions.with(index, ended))
}

const meterRead = (state: ChargerState, fact: MeterRead): ChargerState => {
  const { body } = fact
  if (body.sessionId === undefined) return state
  const index = state.sessions.findIndex(({ sessionId }) => sessionId === body.sessionId)
  const session = state.sessions[index]
  if (session === undefined) return state
  const course = courseWith(session.course, fact)
  const registered = withRegister(session, body)
  const read = course === session.course ? registered : { ...registered, course }
  return read === session ? state : { ...state, sessions: state.sessions.with(index, read) }
}

const orphanRecorded = (state: ChargerState, { at, body, heardAt }: OrphanRecorded): ChargerState => {
  const { action, meterStopWh, orphanId, rawAt, rawTransactionId, readings = [], reason, tokenUid } = body
  const hasReadings = readings.length > 0
  const orphan = { orphanId, at, heardAt, tokenUid, meterStopWh, reason, rawTransactionId, rawAt, action, hasReadings }
  if (!isAtHand(orphan)) return state
  return { ...state, orphans: [...state.orphans, orphan].slice(-orphansKept) }
}

const statusChanged = (state: ChargerState, { at, body, heardAt }: ConnectorStatusChanged): ChargerState => {
  const { connectorId, errorCode, evseId, info, status, vendorErrorCode, vendorId } = body
  const connector: ConnectorState = {
    evseId,
    connectorId,
    status,
    errorCode,
    at,
    heardAt,
    // A time that differs from the time of receipt came from the charger.
    byOwnClock: at !== heardAt,
    info,
    vendorId,
    vendorErrorCode
  }
  const index = state.connectors.findIndex((known) => known.evseId === evseId && known.connectorId === connectorId)
  return {
    ...state,
    connectors: index < 0 ? [...state.connectors, connector] : state.connectors.with(index, connector)
  }
}

const withTemplating = (state: ChargerState, fact: ChargerFact): ChargerState => {
  const templating = templatingAfter(state.templating, fact)
  return templating === state.templating ? state : { ...state, templating }
}

/** After a new transfer has been requested, the same status is about that transfer and no repeat. */
const withTransfer = (state: ChargerState, { body }: CommandAnswered): ChargerState =>
  state.progress === undefined || !transferTypes.some((type) => type === body.type)
    ? state
    : { ...state, progress: undefined }

const applied = (state: ChargerState, fact: ChargerFact): ChargerState => {
  switch (fact.type) {
    case "MeterRead":
      return meterRead(state, fact)
    case "SessionStarted":
      return sessionStarted(state, fact)
    case "SessionEnded":
      return sessionEnded(state, fact)
    case "ConnectorStatusChanged":
      return statusChanged(state, fact)
    case "OrphanRecorded":
      return orphanRecorded(state, fact)
    case "ConfigurationReported":
      return { ...withTemplating(state, fact), configured: true }
    case "CommandIssued":
      return withTemplating(state, fact)
    case "CommandAnswered":
      return withTransfer(withTemplating(state, fact), fact)
    case "ProgressReported":
      return { ...state, progress: { ...state.progress, [fact.body.kind]: fact.body } }
    case "ChargerDocumentChanged":
      if (fact.body.kind === "chargingProfiles") return { ...state, profiles: fact.body.document }
      return fact.body.kind === "certificateAsked" ? { ...state, certificateAskedAt: fact.body.document.at } : state
    case "ProvisionalChanged": {
      const { counted = state.negligible } = fact.body
      return { ...state, provisional: provisionalAfter(state.provisional, fact.body), negligible: counted }
    }
    case "ChargerBooted": {
      const { firmwareVersion = "", model, registration, vendor } = fact.body
      const accepted = registration === "Accepted"
      const booted = { ...withTemplating(state, fact), booted: state.booted || accepted, bootedHere: accepted }
      return { ...booted, vendor, model, firmwareVersion }
    }
    default:
      return state
  }
}

/** Adds a session from the journal that the state did not have, or replaces one that differed. */
const withExisting = (state: ChargerState, existing: KnownSession): ChargerState => {
  const index = state.sessions.findIndex((session) => session.sessionId === existing.sessionId)
  // A session that was not in memory is older than all that were.
  return withSessions(state, index < 0 ? [existing, ...state.sessions] : state.sessions.with(index, existing))
}

export const evolve: Evolve<ChargerState> = (state, facts, outcome) => {
  let next = state
  for (let i = 0; i < facts.length; i++) {
    const fact = facts[i]!
    if (outcome.recorded[i] === true) next = applied(next, fact)
    // Its stop is stored already: the session has ended, though not by this fact.
    else if (fact.type === "SessionEnded" && fact.requires === undefined) {
      next = sessionEnded(next, { ...fact, body: { ...fact.body, meterStartWh: undefined, reported: undefined } })
    }
  }
  return outcome.existing === undefined ? next : withExisting(next, outcome.existing)
}
