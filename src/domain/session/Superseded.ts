/**
 * Sessions that must be over because another start followed on their connector, although no stop arrived: it was lost, or is still stored in the
 * charger. They are held for that reason. The stop may still arrive, and then replaces this end.
 */
import type { SupersededEnd } from "../charger/Fact.ts"
import type { KnownSession } from "../charger/ChargerState.ts"

export const superseded = { status: "COMPLETED", heldReason: "StopMissing", reason: "Superseded" } as const

/**
 * The end of a session that was superseded by a start at `followedAt`, ms epoch. If a wrong clock makes the session begin later than that, it ends
 * when it began.
 */
export const supersededEnd = (
  { sessionId, startedAt }: Pick<KnownSession, "sessionId" | "startedAt">,
  followedAt: number
): SupersededEnd => ({ sessionId, at: Math.max(startedAt, followedAt), ...superseded })
