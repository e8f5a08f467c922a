/**
 * Sessions that began although their token was refused. Many chargers drop such a transaction and send no stop for it. It is over once its connector
 * is free or another start follows there. If no energy flowed, it never took place. Its own stop may still come and then replaces this end.
 */
import type { Outcome, SessionEnded } from "../charger/Fact.ts"
import type { KnownSession } from "../charger/ChargerState.ts"
import { clockDoubt } from "../charger/ClockDoubt.ts"

/** Energy in Wh that a contactor and a meter's rounding can explain. */
const nothingWh = 10

/** True for a session with a refused token and no energy. */
export const neverWas = ({
  authorization,
  energyWh
}: Pick<KnownSession, "authorization"> & { readonly energyWh: number }): boolean =>
  authorization !== "Accepted" && energyWh <= nothingWh

/**
 * The outcome of a session that is over. With a refused token it is invalid if no energy flowed, and held if some did. A doubt about its figures
 * comes first, because then it is not known that no energy flowed.
 */
export const outcomeOf = (
  { authorization }: Pick<KnownSession, "authorization">,
  energyWh: number | undefined,
  doubt: string | undefined
): Outcome => {
  if (authorization === "Accepted" || doubt !== undefined) return { status: "COMPLETED", heldReason: doubt }
  return energyWh !== undefined && neverWas({ authorization, energyWh })
    ? { status: "INVALID", heldReason: undefined }
    : { status: "COMPLETED", heldReason: "NotAuthorized" }
}

/**
 * True for an open session that was refused and took no energy, according to its own readings and to the register of the next start on its connector.
 * A register that fell shows nothing.
 */
export const tookNothing = (session: KnownSession, nextStartWh = session.meterStartWh): boolean => {
  const { authorization, meterStartWh, registerWh = meterStartWh, status } = session
  return status === "Open" && neverWas({ authorization, energyWh: Math.max(registerWh, nextStartWh) - meterStartWh })
}

/**
 * The end of a session that later messages of its connector show to be over. The reason is OCPP's for a transaction that was ended by the answer to
 * its start (OCPP 1.6 §7.36).
 */
export const overWithoutStop = (
  session: KnownSession,
  followedAt: number,
  heardAt: number
): Pick<SessionEnded, "at" | "body"> => {
  const at = Math.max(session.startedAt, followedAt)
  return {
    at,
    body: {
      sessionId: session.sessionId,
      tokenUid: undefined,
      meterStopWh: session.registerWh,
      energyWh: undefined,
      reason: "DeAuthorized",
      status: "INVALID",
      heldReason: undefined,
      rawAt: undefined,
      clock: clockDoubt({ at: session.startedAt, heardAt: session.heardAt }, { at, heardAt }, false),
      unheard: true
    }
  }
}
