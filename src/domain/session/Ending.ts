/**
 * The figures of a session's end. What cannot be believed holds the session back from billing and is never put right silently: the raw
 * figures stand beside it.
 */
import type { SessionEnded } from "../Fact.ts"
import type { KnownSession } from "../charger/ChargerState.ts"

/** What is known of a stop. */
export interface StopFigures {
  /** When it happened, as far as it can be told; ms epoch. */
  readonly at: number
  readonly rawAt: string | undefined
  readonly tokenUid: string | undefined
  readonly meterStopWh: number | undefined
  /** Undefined means Local (OCPP 1.6 §6.49). */
  readonly reason: string | undefined
}

/** Why a session is held. One reason is given, the one that weighs most: energy before time. */
export type HeldReason =
  /** The stop carried no register; the newest reading stands in for it, if there is one. */
  | "MeterStopMissing"
  /** The register fell: a meter was exchanged, rolled over or counts each session from 0. The energy cannot be told. */
  | "MeterStopBelowStart"
  /** The stop lies before the start: the clock jumped between them. The duration cannot be told. */
  | "ClockImplausible"

/** When a session ended and with what; `register` is its newest energy register in Wh, the stop's own readings included. */
export const ending = (
  session: KnownSession,
  stop: StopFigures,
  register: number | undefined
): { readonly at: number; readonly body: SessionEnded["body"] } => {
  const meterStopWh = stop.meterStopWh ?? register
  const energyWh = meterStopWh === undefined ? undefined : meterStopWh - session.meterStartWh
  const negative = energyWh !== undefined && energyWh < 0
  const early = stop.at < session.startedAt
  let heldReason: HeldReason | undefined
  if (stop.meterStopWh === undefined) heldReason = "MeterStopMissing"
  else if (negative) heldReason = "MeterStopBelowStart"
  else if (early) heldReason = "ClockImplausible"
  return {
    at: early ? session.startedAt : stop.at,
    body: {
      sessionId: session.sessionId,
      tokenUid: stop.tokenUid,
      meterStopWh,
      energyWh: negative ? undefined : energyWh,
      reason: stop.reason ?? "Local",
      heldReason,
      rawAt: stop.rawAt
    }
  }
}
