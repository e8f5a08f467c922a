/**
 * Events of sessions and their CDRs. A start may show that other sessions have ended although no stop was received; their ends are published before
 * it. Every fact that leaves a session held also makes a session.held, so that a client that waits for this event misses none.
 */
import { Schema } from "effect"
import { superseded } from "../session/Superseded.ts"
import type { EventData } from "./Event.ts"
import type { PlacedFact } from "./FactLocation.ts"
import { sessionOf, type EventTranslation, translation, timeOf, type NewEvent } from "./NewEvent.ts"

const Id = Schema.String

/** Wh are whole numbers. Older versions stored fractions; these are accepted and rounded, so that no event is left out. */
const Wh = Schema.Finite

const wh = (value: number | undefined): number | null => (value === undefined ? null : Math.round(value))

type Ended = Omit<EventData<"session.ended">, "sessionId" | "chargerId" | "siteId">

const ended = (fact: PlacedFact, sessionId: string, data: Ended): ReadonlyArray<NewEvent> => {
  const subject = `session:${sessionId}`
  const common = sessionOf(fact, sessionId)
  const end: NewEvent = { type: "session.ended", subject, data: { ...common, ...data } }
  return data.heldReason === null ? [end] : [end, held(fact, sessionId, data.heldReason)]
}

const held = (fact: PlacedFact, sessionId: string, heldReason: string): NewEvent => ({
  type: "session.held",
  subject: `session:${sessionId}`,
  data: { ...sessionOf(fact, sessionId), heldReason }
})

/** The end of a session that another start shows to be over. */
const overBy = (fact: PlacedFact, sessionId: string, endedAt: string | null): ReadonlyArray<NewEvent> =>
  ended(fact, sessionId, {
    endedAt,
    energyWh: null,
    meterStopWh: null,
    stopReason: superseded.reason,
    heldReason: superseded.heldReason
  })

const started = translation(
  Schema.Struct({
    sessionId: Id,
    evseId: Schema.Int,
    connectorId: Schema.Int,
    transactionId: Schema.Union([Schema.Int, Schema.String]),
    tokenUid: Schema.String,
    meterStartWh: Wh,
    authorization: Schema.Struct({ status: Schema.String }),
    supersedes: Schema.optionalKey(Schema.Array(Id)),
    supersededBy: Schema.optionalKey(Id)
  }),
  ({ authorization, sessionId, supersededBy, supersedes = [], transactionId, ...body }, fact) => {
    const at = timeOf(fact.at)
    const { connectorId, evseId, meterStartWh, tokenUid } = body
    const data = {
      ...sessionOf(fact, sessionId),
      evseId,
      connectorId,
      transactionId: String(transactionId),
      tokenUid,
      authorization: authorization.status,
      startedAt: at,
      meterStartWh: Math.round(meterStartWh)
    }
    return [
      ...supersedes.flatMap((id) => overBy(fact, id, at)),
      { type: "session.started", subject: `session:${sessionId}`, data },
      ...(supersededBy === undefined ? [] : overBy(fact, sessionId, null))
    ]
  }
)

const read = translation(
  Schema.Struct({
    sessionId: Schema.optionalKey(Id),
    evseId: Schema.optionalKey(Schema.Int),
    connectorId: Schema.optionalKey(Schema.Int),
    registerWh: Schema.optionalKey(Wh),
    registerAt: Schema.optionalKey(Schema.Finite),
    powerW: Schema.optionalKey(Schema.Int)
  }),
  ({ connectorId, evseId, powerW, registerAt, registerWh, sessionId }, fact) => {
    if (sessionId === undefined) return []
    const data = {
      ...sessionOf(fact, sessionId),
      reason: "MeterRead" as const,
      evseId: evseId ?? null,
      connectorId: connectorId ?? null,
      meterWh: wh(registerWh),
      readAt: registerAt === undefined ? null : timeOf(registerAt),
      powerW: powerW ?? null,
      cost: fact.cost ?? null
    }
    return [{ type: "session.updated", subject: `session:${sessionId}`, data }]
  }
)

const stopped = translation(
  Schema.Struct({
    sessionId: Id,
    meterStopWh: Schema.optionalKey(Wh),
    energyWh: Schema.optionalKey(Wh),
    reason: Schema.String,
    heldReason: Schema.optionalKey(Schema.String)
  }),
  ({ energyWh, heldReason, meterStopWh, reason, sessionId }, fact) =>
    ended(fact, sessionId, {
      endedAt: timeOf(fact.at),
      energyWh: wh(energyWh),
      meterStopWh: wh(meterStopWh),
      stopReason: reason,
      heldReason: heldReason ?? null
    })
)

/** A session that the service closed without a stop. It is held for an operator, unless it never took place. */
const closed = translation(
  Schema.Struct({
    after: Schema.Struct({
      sessionId: Id,
      reason: Schema.String,
      endedAt: Schema.Finite,
      energyWh: Wh,
      neverWas: Schema.optionalKey(Schema.Boolean)
    })
  }),
  ({ after: { endedAt, energyWh, neverWas = false, reason, sessionId } }, fact) =>
    ended(fact, sessionId, {
      endedAt: timeOf(endedAt),
      energyWh: wh(energyWh),
      meterStopWh: null,
      stopReason: "Closed",
      heldReason: neverWas ? null : reason
    })
)

const doubted = translation(
  Schema.Struct({ after: Schema.Struct({ sessionId: Id, heldReason: Schema.String }) }),
  ({ after: { heldReason, sessionId } }, fact) => [held(fact, sessionId, heldReason)]
)

const reviewed = (reason: "Released" | "Corrected"): EventTranslation =>
  translation(Schema.Struct({ after: Schema.Struct({ sessionId: Id }) }), ({ after: { sessionId } }, fact) => [
    {
      type: "session.updated",
      subject: `session:${sessionId}`,
      data: {
        ...sessionOf(fact, sessionId),
        reason,
        evseId: fact.evseId ?? null,
        connectorId: fact.connectorId ?? null,
        meterWh: null,
        readAt: null,
        powerW: null,
        cost: fact.cost ?? null
      }
    }
  ])

const issued = translation(
  Schema.Struct({
    after: Schema.Struct({
      id: Id,
      sessionId: Id,
      currency: Schema.String,
      total: Schema.Struct({ exclVat: Schema.Finite, inclVat: Schema.Finite }),
      creditReferenceId: Schema.optionalKey(Id)
    })
  }),
  ({ after: { creditReferenceId, currency, id, sessionId, total } }, fact) => [
    {
      type: "cdr.issued",
      subject: `cdr:${id}`,
      data: {
        cdrId: id,
        ...sessionOf(fact, sessionId),
        currency,
        totalCost: total,
        creditReferenceId: creditReferenceId ?? null
      }
    }
  ]
)

export const sessionTranslations: Readonly<Record<string, EventTranslation>> = {
  SessionStarted: started,
  MeterRead: read,
  SessionEnded: stopped,
  SessionClosed: closed,
  SessionHeld: doubted,
  SessionReleased: reviewed("Released"),
  SessionCorrected: reviewed("Corrected"),
  CdrIssued: issued
}
