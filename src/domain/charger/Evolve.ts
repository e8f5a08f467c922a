/**
 * The actor's state after a commit: what was recorded has happened, what was not changes nothing. The same function folds a history of
 * facts into a state.
 */
import type {
  ChargerFact,
  ConnectorStatusChanged,
  MeterRead,
  OrphanRecorded,
  SessionEnded,
  SessionStarted
} from "../Fact.ts"
import { canWait } from "../session/Matching.ts"
import {
  type ChargerState,
  type ConnectorState,
  type KnownSession,
  endedSessionsKept,
  openSessionsKept,
  orphansKept,
  supersededSessionsKept
} from "./ChargerState.ts"
import type { Evolve } from "./Decision.ts"
import { startedSession } from "./Start.ts"

const limits: Readonly<Record<KnownSession["status"], number>> = {
  Open: openSessionsKept,
  Superseded: supersededSessionsKept,
  Ended: endedSessionsKept
}

/** Drops the oldest of each kind above its limit; sessions stand in the order in which they began or, once ended, ended. */
const withinLimits = (sessions: ReadonlyArray<KnownSession>): ReadonlyArray<KnownSession> => {
  const left = { ...limits }
  const kept = sessions.toReversed().filter((session) => left[session.status]-- > 0)
  return kept.length === sessions.length ? sessions : kept.toReversed()
}

const withSessions = (state: ChargerState, sessions: ReadonlyArray<KnownSession>): ChargerState => ({
  ...state,
  sessions: withinLimits(sessions)
})

const sessionStarted = (state: ChargerState, fact: SessionStarted): ChargerState => {
  const { supersededBy, supersedes } = fact.body
  const others = state.sessions.map((session) =>
    session.status === "Open" && supersedes.includes(session.sessionId)
      ? { ...session, status: "Superseded" as const, supersededAt: fact.at }
      : session
  )
  const session = startedSession(fact)
  if (supersededBy === undefined) return withSessions(state, [...others, session])
  const supersededAt = others.find((other) => other.sessionId === supersededBy)?.startedAt
  return withSessions(state, [...others, { ...session, supersededAt }])
}

/** Ended sessions go last, so that the first of them is the one that ended longest ago. */
const sessionEnded = (state: ChargerState, { at, body }: SessionEnded): ChargerState => {
  const session = state.sessions.find((known) => known.sessionId === body.sessionId)
  const orphans =
    body.orphanId === undefined ? state.orphans : state.orphans.filter((orphan) => orphan.orphanId !== body.orphanId)
  if (session === undefined) return orphans === state.orphans ? state : { ...state, orphans }
  const ended: KnownSession = { ...session, status: "Ended", endedAt: at }
  return withSessions({ ...state, orphans }, [...state.sessions.filter((known) => known !== session), ended])
}

/** The newest register stands, in whatever order the readings came. */
const meterRead = (state: ChargerState, { body }: MeterRead): ChargerState => {
  const { registerAt, registerWh, sessionId } = body
  if (sessionId === undefined || registerAt === undefined || registerWh === undefined) return state
  const index = state.sessions.findIndex((session) => session.sessionId === sessionId)
  const session = state.sessions[index]
  if (session === undefined || (session.registerAt !== undefined && session.registerAt > registerAt)) return state
  return { ...state, sessions: state.sessions.with(index, { ...session, registerWh, registerAt }) }
}

/** Only what may still be of use is kept at hand: stops that a late start can match, and the ids that unreadable starts were answered with. */
const orphanRecorded = (state: ChargerState, { at, body }: OrphanRecorded): ChargerState => {
  const { action, meterStopWh, orphanId, rawAt, rawTransactionId, reason, tokenUid } = body
  const orphan = { orphanId, at, tokenUid, meterStopWh, reason, rawTransactionId, rawAt, action }
  if (action !== "StartTransaction" && !canWait(orphan)) return state
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
    // A time that is not the time of receipt to the millisecond came from the charger.
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
      return state.configured === true ? state : { ...state, configured: true }
    case "ChargerBooted": {
      const { firmwareVersion = "", model, registration, vendor } = fact.body
      const accepted = registration === "Accepted"
      return { ...state, booted: state.booted || accepted, bootedHere: accepted, vendor, model, firmwareVersion }
    }
    default:
      return state
  }
}

/** A session that the state did not know or knew wrongly, as the journal has it. */
const withStanding = (state: ChargerState, standing: KnownSession): ChargerState => {
  const others = state.sessions.filter((session) => session.sessionId !== standing.sessionId)
  return withSessions(state, standing.status === "Ended" ? [...others, standing] : [standing, ...others])
}

export const evolve: Evolve<ChargerState> = (state, facts, outcome) => {
  let next = state
  for (let i = 0; i < facts.length; i++) {
    const fact = facts[i]!
    if (outcome.recorded[i] === true) next = applied(next, fact)
    // Its stop stands already: the session has ended, though not by this fact.
    else if (fact.type === "SessionEnded" && fact.requires === undefined) next = sessionEnded(next, fact)
  }
  return outcome.standing === undefined ? next : withStanding(next, outcome.standing)
}
