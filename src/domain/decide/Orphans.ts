/**
 * Transaction messages that belong to no transaction of ours. They are stored as they came and answered as if all were well; what looks
 * like a hand in another's transaction is recorded as a security event besides (CVE-2026-28230).
 */
import type { ChargerFact, OrphanRecorded, SecurityEventRecorded } from "../charger/Fact.ts"
import { cutText } from "../values/Cut.ts"
import { acknowledged, act, always, bareVerdict } from "./Acting.ts"
import type { TransactionEnded, UnreadableTransactionMessage } from "../charger/ChargerEvent.ts"
import type { ChargerState } from "../charger/ChargerState.ts"
import { distinguishing, occurredAt } from "../charger/Clock.ts"
import type { Decision, Envelope, FreshIds } from "../charger/Decision.ts"
import { contentKey, occurrenceKey, orphanStopKey } from "../charger/Keys.ts"

const hourMillis = 60 * 60 * 1000

/** UTF-16 units of a frame that are kept with what was made of it; the readings of a stop that waits are kept beside it. */
const rawMost = 16_384

/** True for a transaction id that was given in answer to a start that could not be read: its stop and readings will name it. */
const answersUnreadableStart = (state: ChargerState, rawTransactionId: string): boolean =>
  state.orphans.some((orphan) => orphan.action === "StartTransaction" && orphan.rawTransactionId === rawTransactionId)

/** True when committing `fact` uses the transaction id that was offered to the decision: it must not be offered again. */
export const usesTransactionId = (fact: ChargerFact): boolean =>
  fact.type === "SessionStarted" || (fact.type === "OrphanRecorded" && fact.body.action === "StartTransaction")

/**
 * A message named a transaction that this charger never had. Undefined for an id that we gave it ourselves, in answer to a start that could
 * not be read. A flood of them is one event for each id and hour.
 */
export const foreignTransaction = (
  state: ChargerState,
  transactionId: number,
  action: string,
  now: number
): SecurityEventRecorded | undefined => {
  const named = String(transactionId)
  if (answersUnreadableStart(state, named)) return undefined
  return {
    type: "SecurityEventRecorded",
    key: contentKey("foreign-transaction", state, `${named}|${Math.floor(now / hourMillis)}`),
    organisationId: state.organisationId,
    chargerId: state.chargerId,
    at: now,
    heardAt: now,
    body: { source: "service", event: "ForeignTransactionId", detail: `${action} ${named}` }
  }
}

/** A stop kept for people to look at, or until its start turns up. */
export const orphanStop = (
  state: ChargerState,
  event: TransactionEnded,
  envelope: Envelope,
  why: Pick<OrphanRecorded["body"], "problem" | "contradicts">,
  now: number,
  ids: FreshIds
): OrphanRecorded => {
  const { meterStopWh, rawTransactionId, reason, time, tokenUid } = event
  const identity = { rawTransactionId, tokenUid, meterStopWh, rawAt: distinguishing(time) }
  return {
    type: "OrphanRecorded",
    key: orphanStopKey(state, identity, envelope, now),
    organisationId: state.organisationId,
    chargerId: state.chargerId,
    at: occurredAt(time, now),
    heardAt: now,
    body: {
      orphanId: ids.uuid(),
      action: "StopTransaction",
      rawTransactionId,
      tokenUid,
      meterStopWh,
      reason,
      rawAt: time.raw,
      ...why,
      raw: cutText(envelope.raw, rawMost)
    }
  }
}

const unreadable = (
  state: ChargerState,
  event: UnreadableTransactionMessage,
  key: string,
  rawTransactionId: string | undefined,
  envelope: Envelope,
  now: number,
  ids: FreshIds
): OrphanRecorded => ({
  type: "OrphanRecorded",
  key,
  organisationId: state.organisationId,
  chargerId: state.chargerId,
  at: now,
  heardAt: now,
  body: {
    orphanId: ids.uuid(),
    action: event.action,
    rawTransactionId,
    tokenUid: undefined,
    meterStopWh: undefined,
    reason: undefined,
    rawAt: undefined,
    problem: event.problem,
    raw: cutText(envelope.raw, rawMost)
  }
})

/** The frame without its message id, which a repeat does not share. */
const withoutMessageId = (envelope: Envelope): string =>
  envelope.messageId === "" ? envelope.raw : envelope.raw.replace(envelope.messageId, "")

/**
 * A transaction message of which nothing can be made. A start is refused with a transaction id of its own (OCPP 1.6 §6.46 wants one in
 * every answer), which is stored, so that the stop that will name it is known for what it is and ends no other session.
 */
export const unreadableTransactionMessage = (
  state: ChargerState,
  event: UnreadableTransactionMessage,
  envelope: Envelope,
  now: number,
  ids: FreshIds
): Decision => {
  if (event.action === "StartTransaction") {
    const { transactionId } = ids
    const key = occurrenceKey("orphan-start", state, envelope.messageId, now, String(transactionId))
    const orphan = unreadable(state, event, key, String(transactionId), envelope, now, ids)
    return act([orphan], always({ _tag: "StartAnswered", transactionId, verdict: bareVerdict("Invalid") }))
  }
  const key = contentKey(`orphan-${event.action}`, state, withoutMessageId(envelope))
  const orphan = unreadable(state, event, key, undefined, envelope, now, ids)
  return act(
    [orphan],
    event.action === "MeterValues" ? acknowledged : always({ _tag: "StopAnswered", verdict: undefined })
  )
}
