/** Applies an operator's correction to an ended session. The correction itself and its preview both use this. */
import { Conflict, InvalidInput } from "../Errors.ts"
import { type AssignedTariff, tariffOf } from "../tariff/Choice.ts"
import { type ChargingSession, isOnlyReserved } from "./ChargingSession.ts"
import type { Correction } from "./SessionReviews.ts"

/** The figures by which a session is billed. */
export interface Figures {
  readonly energyWh: number
  /** ms epoch. */
  readonly startedAt: number
  readonly endedAt: number
}

export interface Corrected {
  readonly before: Figures
  readonly after: Figures
}

/** Why a session cannot be corrected or released yet: a record made before its end would take the place of the true one. */
export const stillRunning = (act: "Correct" | "Release"): Conflict =>
  new Conflict({ code: "session_running", message: `This session is still running. ${act} it after it has ended.` })

type Before = Pick<ChargingSession, "energyWh" | "startedAt" | "endedAt" | "reservation">

/** The figures before and after a correction, or why it is refused. What the operator leaves out stays as it is. */
export const correctedFigures = (
  session: Before,
  given: Omit<Correction, "reason">
): Corrected | Conflict | InvalidInput => {
  if (session.endedAt === undefined) return stillRunning("Correct")
  const before = { energyWh: session.energyWh, startedAt: session.startedAt, endedAt: session.endedAt }
  const { endedAt = before.endedAt, energyWh = before.energyWh, startedAt = before.startedAt } = given
  // Its price has no place for energy, so the session and its record would differ.
  if (energyWh > 0 && isOnlyReserved(session)) {
    return new InvalidInput({ pointer: "/energyWh", detail: "Must be 0 for a reservation that was not used" })
  }
  return endedAt < startedAt
    ? new InvalidInput({ pointer: "/endedAt", detail: "Must not be before the session starts" })
    : { before, after: { energyWh, startedAt, endedAt } }
}

/**
 * The tariff of a partner's session that began without one: the one that is assigned to its connector now and is valid at its start. An own driver's
 * session stays free: the driver was shown no price.
 */
export const tariffAfterwards = <A extends AssignedTariff>(
  { chargerId, connectorId, evseId, roaming, startedAt }: ChargingSession,
  assigned: ReadonlyArray<A>
): A | undefined =>
  roaming === undefined ? undefined : tariffOf({ chargerId, connectorId, evseId }, assigned, startedAt)

/** The session with these figures. It has been reviewed, so it is not held any more, and an invalid one is billed after all. */
export const correctedSession = (session: ChargingSession, figures: Figures): ChargingSession => ({
  ...session,
  ...figures,
  status: session.status === "INVALID" ? "COMPLETED" : session.status,
  heldReason: undefined,
  revision: (session.revision ?? 0) + 1,
  reviewed: true,
  contradicted: false
})
