/**
 * Sessions that another start on their connector shows to be over, though no stop of them was heard: it was lost, or waits in the charger.
 * They are held for that; the stop may still come, and takes the place of this end.
 */
import type { SupersededEnd } from "../charger/Fact.ts"
import type { KnownSession } from "../charger/ChargerState.ts"

export const superseded = { status: "COMPLETED", heldReason: "StopMissing", reason: "Superseded" } as const

/** The end of a session by a start at `followedAt`, ms epoch. One that began later, by a wrong clock, ended when it began. */
export const supersededEnd = (
  { sessionId, startedAt }: Pick<KnownSession, "sessionId" | "startedAt">,
  followedAt: number
): SupersededEnd => ({ sessionId, at: Math.max(startedAt, followedAt), ...superseded })
