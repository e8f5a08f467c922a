/**
 * StartTransaction (OCPP 1.6 §4.8): the transaction is recorded even if its token is refused, and a repeat gets the same transaction id as the first.
 * The answer always has a transaction id, since the charger has started already and its stop will name it.
 */
import type {
  ChargerFact,
  ProvisionalTransaction,
  SessionEnded,
  SessionStarted,
  SessionTariff
} from "../charger/Fact.ts"
import { followed, followedWithinMillis, type HeardStart, queuedAt } from "../command/Following.ts"
import { begun } from "../command/Stack.ts"
import { consumedBy, keepsTariff, type ReservationFacts, sessionIdFor } from "../reservation/Reservation.ts"
import { waitingStop } from "../session/Matching.ts"
import { begunAt, endedBy, newerThan } from "../session/Order.ts"
import { deferred, isPlausibleEnd, negligible, noLongerProvisional, sessionOf } from "../session/Provisional.ts"
import { comesAfter, repeatedSession, type StartIdentity } from "../session/Repeated.ts"
import { overWithoutStop, tookNothing } from "../session/Refused.ts"
import { startedSession } from "../session/Started.ts"
import { supersededEnd } from "../session/Superseded.ts"
import { tariffOf } from "../tariff/Choice.ts"
import type { Authorization } from "../token/Authorization.ts"
import { act, answer, always } from "./Acting.ts"
import { authorizing } from "./Authorize.ts"
import type { TransactionStarted } from "../charger/ChargerEvent.ts"
import type { ChargerState, KnownSession, Orphan } from "../charger/ChargerState.ts"
import type { Reading } from "../charger/MeterValue.ts"
import { profilesChanged, profilesEnded } from "./Commanded.ts"
import { distinguishing, occurredAt } from "../charger/Clock.ts"
import type { Answers, Decision, Envelope, FreshIds, Question, StartFacts, StartWanted } from "../charger/Decision.ts"
import { endingFacts, type Stop } from "./EndingFacts.ts"
import { startKey, unheardStopKey } from "../charger/Keys.ts"
import { registerRulesOf } from "../charger/Quirks.ts"
import type { IdTagVerdict, Reply } from "../charger/Reply.ts"

/** An authorisation as it is sent to the charger. */
export const verdictOf = (authorization: Authorization): IdTagVerdict => ({
  status: authorization.status,
  expiresAt: authorization.expiresAt,
  parentUid: authorization.parentUid
})

/** The register at which the session begins, and what the start reported if that differs. */
const registerOf = (
  state: ChargerState,
  { meterStartWh: reported }: TransactionStarted
): Pick<SessionStarted["body"], "meterStartWh" | "rawMeterStartWh" | "meterStartMissing"> => {
  const countsSession = registerRulesOf(state, state.policy.quirks).registerCountsSession === true
  if (countsSession)
    return { meterStartWh: 0, ...(reported === undefined || reported === 0 ? {} : { rawMeterStartWh: reported }) }
  return { meterStartWh: reported ?? 0, meterStartMissing: reported === undefined ? true : undefined }
}

/** What identifies the start, with the register at which its session begins. */
const identityOf = (state: ChargerState, event: TransactionStarted): StartIdentity => ({
  evseId: event.place.evseId,
  tokenUid: event.tokenUid,
  meterStartWh: registerOf(state, event).meterStartWh
})

/** Some chargers send 0 if there is no reservation. */
const reservationOf = ({ reservationId }: TransactionStarted): number | undefined =>
  reservationId === 0 ? undefined : reservationId

/** The complete first answer again: chargers cache expiry and parent (OCPP 1.6 §3.5.1) and would lose them otherwise. */
const answered = ({ authorization, authorizedUntil, parentUid, transactionId }: KnownSession): Reply => ({
  _tag: "StartAnswered",
  transactionId,
  verdict: { status: authorization, expiresAt: authorizedUntil, parentUid }
})

/**
 * The session id for a start that consumes a reservation with its own session; undefined if there is none, or if a session of this charger already
 * has that id.
 */
const reservedSession = (state: ChargerState, consumed: ReservationFacts | undefined, startedAt: number) => {
  const id = consumed === undefined ? undefined : sessionIdFor(consumed, startedAt)
  return state.sessions.some(({ sessionId }) => sessionId === id) ? undefined : id
}

/** What must be known about a start that is received `now`. */
export const startWanted = ({ place }: Pick<TransactionStarted, "place">, now: number): StartWanted => ({
  place,
  sentSince: now - followedWithinMillis
})

/** The tariff version of a session that starts at `at` (ms epoch); later changes of the tariff do not apply to it. */
export const tariffFor = (
  chargerId: string,
  { place }: Pick<TransactionStarted, "place">,
  { tariffs, timeZone }: StartFacts,
  at: number
): SessionTariff | undefined => {
  const chosen = tariffOf({ chargerId, ...place }, tariffs, at)
  return chosen && { tariffId: chosen.tariffId, version: chosen.version, timeZone }
}

/** Our reservation ids have 31 bits. Without a reservation, some chargers send 0 or an arbitrary number. */
const namedReservation = ({ reservationId }: Pick<TransactionStarted, "reservationId">): number | undefined =>
  reservationId === 0 || Math.abs(reservationId ?? 0) > 0x7fffffff ? undefined : reservationId

/** The reservation that a start consumes, among those of its charger. */
export const consumedFor = (
  event: Pick<TransactionStarted, "place" | "reservationId" | "tokenUid">,
  { parentUid, status }: Pick<Authorization, "parentUid" | "status">,
  reservations: ReadonlyArray<ReservationFacts>,
  at: number
): ReservationFacts | undefined => {
  const { place, tokenUid } = event
  const reservationId = namedReservation(event)
  const accepted = status === "Accepted"
  return consumedBy({ reservationId, evseId: place.evseId, tokenUid, parentUid, accepted, startedAt: at }, reservations)
}

const heardStart = (
  { connectedAt }: ChargerState,
  evseId: number,
  tokenUid: string,
  at: number,
  now: number
): HeardStart => ({ evseId, tokenUid, heardAt: now, queuedAt: queuedAt(at, connectedAt) })

/** What a start shows about the other sessions of its connector, or they about it: which of them must have ended before the others began. */
type Order = "supersedes" | "supersededBy" | "ends"

/**
 * The start with the sessions on its connector that must have ended before it, and the newer session if the start itself is already over.
 */
const ordered = (
  state: ChargerState,
  start: SessionStarted & { readonly body: Omit<SessionStarted["body"], Order> },
  now: number
): SessionStarted => {
  const { at, body } = start
  const { evseId, connectorId, meterStartWh, sessionId } = body
  const place = { evseId, connectorId }
  const over = endedBy(state, place, at, now).filter((open) => !tookNothing(open, meterStartWh))
  const ends = over.map((open) => supersededEnd(open, at))
  const newer = newerThan(state, { sessionId, place, startedAt: at }, now)
  const fact: SessionStarted = {
    ...start,
    body: {
      ...body,
      supersedes: over.map((open) => open.sessionId),
      ...(ends.length === 0 ? {} : { ends })
    }
  }
  const isOver = newer !== undefined && !tookNothing(startedSession(fact), newer.meterStartWh)
  if (!isOver) return fact
  const own = supersededEnd({ sessionId, startedAt: at }, newer.startedAt)
  return { ...fact, body: { ...fact.body, supersededBy: newer.sessionId, ends: [...ends, own] } }
}

/** The fact of a start. */
const started = (
  state: ChargerState,
  event: TransactionStarted,
  authorization: Authorization,
  consumed: ReservationFacts | undefined,
  found: StartFacts,
  envelope: Envelope,
  now: number,
  ids: FreshIds
): SessionStarted => {
  const { meterStartWh, place, time, tokenUid } = event
  const at = begunAt(state, event, now)
  const after = comesAfter(state, identityOf(state, event), time, now)
  const reservedId = reservedSession(state, consumed, at)
  const sessionId = reservedId ?? ids.uuid()
  const register = registerOf(state, event)
  const fact: SessionStarted = {
    type: "SessionStarted",
    key: startKey(state, place.evseId, tokenUid, meterStartWh ?? 0, distinguishing(time), after, envelope, now),
    organisationId: state.organisationId,
    chargerId: state.chargerId,
    at,
    heardAt: now,
    body: {
      evseId: place.evseId,
      connectorId: place.connectorId,
      sessionId,
      transactionId: ids.transactionId,
      tokenUid,
      ...register,
      reservationId: reservationOf(event),
      ...(reservedId === undefined ? {} : { reserved: true as const }),
      keepsTariff:
        reservedId !== undefined && consumed !== undefined && keepsTariff(consumed, place) ? true : undefined,
      consumes: consumed?.commandId,
      authorization,
      follows: followed(heardStart(state, place.evseId, tokenUid, at, now), found.remoteStarts)?.commandId,
      tariff: tariffFor(state.chargerId, event, found, at),
      rawAt: time.raw,
      clockIgnored: at === occurredAt(time, now) ? undefined : true,
      supersedes: []
    }
  }
  return ordered(state, fact, now)
}

/**
 * The ends of sessions with a refused token and no energy: earlier ones on the connector, and the new session itself if a newer one is already known.
 */
const refusedEnded = (state: ChargerState, fact: SessionStarted, now: number): ReadonlyArray<SessionEnded> => {
  const { body, heardAt, key, organisationId } = fact
  const session = startedSession(fact)
  const newer = newerThan(state, session, now)
  const others = endedBy(state, session.place, fact.at, now).filter((open) => !body.supersedes.includes(open.sessionId))
  const ends = others.map((open) => ({ session: open, at: fact.at }))
  if (newer !== undefined && session.status === "Open") ends.push({ session, at: newer.startedAt })
  return ends.map(({ at, session: over }) => ({
    type: "SessionEnded",
    key: unheardStopKey(state, over.transactionId),
    organisationId,
    chargerId: state.chargerId,
    heardAt,
    requires: key,
    ...overWithoutStop(over, at, heardAt)
  }))
}

/** The stop that waits for this start, as it was stored. */
const stopOf = (orphan: Orphan, readings: ReadonlyArray<Reading>): Stop => ({
  figures: orphan,
  reported: { meterStopWh: orphan.meterStopWh, at: orphan.rawAt === undefined ? undefined : orphan.at },
  readings,
  untimed: orphan.at === orphan.heardAt,
  waited: true,
  heardAt: orphan.heardAt
})

/** The facts of the end, if the stop arrived before its start and waits as an orphan; or the question for that stop's readings. */
const endedAlready = (
  state: ChargerState,
  fact: SessionStarted,
  envelope: Envelope,
  answers: Answers,
  now: number
): ReadonlyArray<ChargerFact> | Question => {
  const session = startedSession(fact)
  const orphan = waitingStop(session, state.sessions, state.orphans)
  if (orphan === undefined) return []
  const { hasReadings, orphanId } = orphan
  if (hasReadings === true && answers.orphan === undefined) return { _tag: "FindOrphan", orphanId }
  const stop = stopOf(orphan, answers.orphan?.readings ?? [])
  return endingFacts(state, session, stop, envelope, now, { requires: fact.key, orphanId })
}

/**
 * From now on, the charging profile of the RemoteStart belongs to this transaction, unless that is over already. The profiles of transactions that
 * the start shows to have ended are gone.
 */
const profilesAfter = (
  state: ChargerState,
  { at, body, key }: SessionStarted,
  ended: ReadonlyArray<string>,
  now: number
): ReadonlyArray<ChargerFact> => {
  if (state.profiles === undefined) return []
  const over = state.sessions.filter(
    ({ sessionId }) => ended.includes(sessionId) || body.supersedes.includes(sessionId)
  )
  const left = profilesEnded(
    state.profiles,
    over.map(({ transactionId }) => transactionId)
  )
  const heard = heardStart(state, body.evseId, body.tokenUid, at, now)
  const isOver = ended.includes(body.sessionId)
  const document = isOver ? undefined : begun(left, { ...heard, transactionId: body.transactionId }, now)
  if (document === undefined && left.length === state.profiles.length) return []
  return [{ ...profilesChanged(state, document ?? left, now), requires: key }]
}

/** The provisional transaction as a session, with the other facts that this has: its start is placed among the sessions that are known by now. */
export const kept = (
  state: ChargerState,
  provisional: ProvisionalTransaction,
  now: number
): { readonly session: KnownSession; readonly facts: ReadonlyArray<ChargerFact> } => {
  const { readings, start } = provisional
  const { ends: _, supersededBy: __, ...body } = start.body
  const fact = ordered(state, { ...start, body }, now)
  const session = sessionOf({ start: fact, readings })
  const over = refusedEnded(state, fact, now).filter(({ body: end }) => end.sessionId !== session.sessionId)
  return { session, facts: [fact, ...over, ...readings, ...noLongerProvisional(state, provisional, now)] }
}

/**
 * The facts of a start beyond the charger's daily number, if `all` are those of any other start. An operator asked for one that follows a RemoteStart
 * or uses a reservation, so it is a session in any case.
 */
const limited = (
  state: ChargerState,
  fact: SessionStarted,
  all: ReadonlyArray<ChargerFact>,
  room: "Plausible" | "None",
  now: number
): ReadonlyArray<ChargerFact> => {
  const { consumes, follows, reserved, sessionId } = fact.body
  if (consumes !== undefined || follows !== undefined || reserved === true) return all
  const end = all.find(
    (one): one is SessionEnded =>
      one.type === "SessionEnded" && one.body.sessionId === sessionId && one.body.unheard !== true
  )
  if (end === undefined) return deferred(state, fact, now)
  return room === "Plausible" && isPlausibleEnd(end, fact.at)
    ? all
    : negligible(state, { start: fact, readings: [] }, end, now, true)
}

export const transactionStarted = (
  state: ChargerState,
  event: TransactionStarted,
  envelope: Envelope,
  answers: Answers,
  now: number,
  ids: FreshIds
): Decision => {
  const known = repeatedSession(state, identityOf(state, event), event.time)
  if (known !== undefined) return answer(always(answered(known)))
  const { place, tokenUid } = event
  const at = begunAt(state, event, now)
  const found = answers.token?.start
  if (found === undefined)
    return { _tag: "Ask", question: { _tag: "FindToken", tokenUid, at, start: startWanted(event, now) } }
  const { evseId } = place
  const reservationId = reservationOf(event)
  const context = { _tag: "Starting", tokenUid, chargerId: state.chargerId, evseId, reservationId, at } as const
  const decided = authorizing(state, answers, context, now)
  if (decided._tag === "Ask") return decided
  const { authorization } = decided
  const consumed = consumedFor(event, authorization, decided.facts.reservations, at)
  const fact = started(state, event, authorization, consumed, found, envelope, now, ids)
  const end = endedAlready(state, fact, envelope, answers, now)
  if ("_tag" in end) return { _tag: "Ask", question: end }
  const ended = end.flatMap((one) => (one.type === "SessionEnded" ? [one.body.sessionId] : []))
  const over = refusedEnded(state, fact, now).filter(({ body }) => !ended.includes(body.sessionId))
  const profiles = profilesAfter(state, fact, [...ended, ...over.map(({ body }) => body.sessionId)], now)
  const all: ReadonlyArray<ChargerFact> = [fact, ...over, ...end, ...profiles]
  const facts =
    ids.transactionRoom === "Plausible" || ids.transactionRoom === "None"
      ? limited(state, fact, all, ids.transactionRoom, now)
      : all
  return act(facts, ({ recorded, existing: current }) =>
    recorded[0] !== true && current !== undefined
      ? answered(current)
      : { _tag: "StartAnswered", transactionId: fact.body.transactionId, verdict: verdictOf(authorization) }
  )
}

/**
 * True for a start that replaces its reservation's session. If another start has replaced it first, the commit is refused and the start must be
 * decided again.
 */
export const takesReservation = (fact: ChargerFact): boolean =>
  fact.type === "SessionStarted" && fact.body.reserved === true
