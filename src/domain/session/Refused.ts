/**
 * Sessions that began although their card was refused. Many chargers let go of such a transaction by themselves and send no stop for it: once its
 * connector is free, or another start follows there, it is over, and where no energy flowed it never was. Its own stop may still come, and takes the
 * place of this.
 */
import type { Outcome, SessionEnded } from "../charger/Fact.ts"
import type { KnownSession } from "../charger/ChargerState.ts"
import { clockDoubt } from "../charger/ClockDoubt.ts"

/** What a contactor and a meter's rounding come to. */
const nothingWh = 10

/** True of a session whose card was refused and that took nothing. */
export const neverWas = ({
  authorization,
  energyWh
}: Pick<KnownSession, "authorization"> & { readonly energyWh: number }): boolean =>
  authorization !== "Accepted" && energyWh <= nothingWh

/**
 * What a session is once it is over: one whose card was refused is invalid where no energy flowed, and held where some did. What is doubted of
 * its figures comes first, since it is not known then that nothing flowed.
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
 * True of an open session that was refused and took nothing, as far as is known: by its own readings, and by the register with which another start on
 * its connector began. A register that fell shows nothing.
 */
export const tookNothing = (session: KnownSession, nextStartWh = session.meterStartWh): boolean => {
  const { authorization, meterStartWh, registerWh = meterStartWh, status } = session
  return status === "Open" && neverWas({ authorization, energyWh: Math.max(registerWh, nextStartWh) - meterStartWh })
}

/** Its end as what followed on its connector shows it; the reason is the specification's for a transaction that its start's answer ended (OCPP 1.6 §7.37). */
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
