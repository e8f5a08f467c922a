/**
 * Transaction messages that belong to no known transaction. They are stored as received and acknowledged like any other. One that names a
 * transaction which this charger never had is also recorded as a security event (CVE-2026-28230).
 */
import type { ChargerFact, OrphanRecorded, SecurityEventRecorded } from "../charger/Fact.ts"
import { cutText } from "../values/Cut.ts"
import { shownText } from "../values/SecretText.ts"
import { acknowledged, act, always, bareVerdict } from "./Acting.ts"
import type { TransactionEnded, UnreadableTransactionMessage } from "../charger/ChargerEvent.ts"
import type { ChargerState } from "../charger/ChargerState.ts"
import { distinguishing, occurredAt } from "../charger/Clock.ts"
import type { Decision, Envelope, FreshIds } from "../charger/Decision.ts"
import { contentKey, occurrenceKey, orphanStopKey } from "../charger/Keys.ts"

const hourMillis = 60 * 60 * 1000

/** How many UTF-16 units of the frame are stored with an orphan. The readings of a waiting stop are stored separately. */
const rawMost = 16_384

/** True for a transaction id that was the answer to an unreadable start: that transaction's stop and readings will name it. */
const answersUnreadableStart = (state: ChargerState, rawTransactionId: string): boolean =>
  state.orphans.some((orphan) => orphan.action === "StartTransaction" && orphan.rawTransactionId === rawTransactionId)

/** True if `fact` uses the fresh transaction id of its decision, which must then not be used again. */
export const usesTransactionId = (fact: ChargerFact): boolean =>
  fact.type === "SessionStarted" ||
  (fact.type === "ProvisionalChanged" && fact.body.begins === true) ||
  (fact.type === "OrphanRecorded" && fact.body.action === "StartTransaction")

/**
 * The security event for a message that names a transaction which this charger never had. Undefined for an id that was the answer to an unreadable
 * start. Repeated messages make only one event per id and hour.
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

/** A stop that is stored for operators, or until its start arrives. */
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
      raw: cutText(shownText(envelope.raw), rawMost)
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
    raw: cutText(shownText(envelope.raw), rawMost)
  }
})

/** The frame without its message id, which differs in a repeat. */
const withoutMessageId = (envelope: Envelope): string =>
  envelope.messageId === "" ? envelope.raw : envelope.raw.replace(envelope.messageId, "")

/**
 * A transaction message that cannot be decoded. A start is refused with a new transaction id, since every answer must have one (OCPP 1.6 §6.46). The
 * id is stored, so that the stop which will name it is recognised and ends no other session.
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
