/**
 * Helpers that build decisions. Those that do not depend on the message are built once, so that answering a Heartbeat allocates nothing.
 */
import type { ChargerFact } from "../charger/Fact.ts"
import type { IdTagVerdict, Reply } from "../charger/Reply.ts"
import type { CommitOutcome, Decision, FollowUp } from "../charger/Decision.ts"

type Answer = (outcome: CommitOutcome) => Reply

const noFollowUps: ReadonlyArray<FollowUp> = []
const noFacts: ReadonlyArray<ChargerFact> = []

/** An answer that does not depend on what was recorded. */
export const always =
  (reply: Reply): Answer =>
  () =>
    reply

export const act = (
  facts: ReadonlyArray<ChargerFact>,
  reply: Answer | undefined,
  followUps: ReadonlyArray<FollowUp> = noFollowUps
): Decision => ({ _tag: "Act", facts, reply, followUps })

export const acknowledged = always({ _tag: "Acknowledged" })
export const heartbeatAnswered = always({ _tag: "HeartbeatAnswered" })

/** A decision with nothing to store, so that the answer is sent at once. */
export const answer = (reply: Answer): Decision => act(noFacts, reply)

export const acknowledge: Decision = answer(acknowledged)
export const answerHeartbeat: Decision = answer(heartbeatAnswered)
export const doNothing: Decision = act(noFacts, undefined)

/** A verdict that has only a status. */
export const bareVerdict = (status: IdTagVerdict["status"]): IdTagVerdict => ({
  status,
  expiresAt: undefined,
  parentUid: undefined
})
