/**
 * Determines the figures of a session's end. If they are not plausible, the session is held. They are never corrected silently, and the raw figures
 * are stored too. A missing figure is taken from the stop's own readings only if these are unambiguous.
 */
import type { SessionEnded } from "../charger/Fact.ts"
import type { KnownSession } from "../charger/ChargerState.ts"
import type { RegisterRules } from "../charger/Quirks.ts"
import { jitterWh } from "./Counting.ts"
import { countedOn } from "../charger/MeterValue.ts"
import { neverWas, outcomeOf } from "./Refused.ts"

/** What is known of a stop. */
export interface StopFigures {
  /** When it happened, as accurately as that is known; ms epoch. */
  readonly at: number
  readonly rawAt: string | undefined
  readonly tokenUid: string | undefined
  readonly meterStopWh: number | undefined
  /** Undefined means Local (OCPP 1.6 §6.49). */
  readonly reason: string | undefined
}

/** The readings that came with a stop (`Transaction.Begin` and `Transaction.End`, OCPP 1.6 §7.35), and the register rules of the charger's model. */
export interface StopReadings {
  readonly beginWh: number | undefined
  readonly endWh: number | undefined
  readonly rules: RegisterRules
}

/** Why a session is held. Only the most important reason is given: energy before time. */
export type HeldReason =
  /** The stop carried no register; the newest reading takes its place, if there is one. */
  | "MeterStopMissing"
  /** The register fell: a meter was exchanged, rolled over or counts each session from 0. The energy cannot be known. */
  | "MeterStopBelowStart"
  /** Start and stop show one energy, and the readings that came with the stop another. */
  | "RegistersDisagree"
  /** The stop is before the start: the clock jumped between them. The duration cannot be known. */
  | "ClockImplausible"

/** The first and last register of a session; their difference is its energy. */
interface Span {
  readonly startWh: number
  readonly stopWh: number | undefined
  readonly heldReason?: HeldReason
}

/** Registers that differ by less than this count as equal: some chargers report whole kWh only. */
const agreementWh = 1000

const agree = (a: number, b: number): boolean => Math.abs(a - b) < agreementWh

/**
 * A register above this at the session's beginning is a running total, not a counter that starts with the session. Clocks and rounding explain a few
 * Wh.
 */
const nothingWh = 10

/** The registers if the stop has no register of its own but its readings have one for the end. */
const stopFromReadings = (startWh: number, { beginWh, endWh }: StopReadings): Span | undefined => {
  if (endWh === undefined) return undefined
  // A start that has lost its register also reports 0, so the readings must then include a beginning.
  if (beginWh === undefined) return startWh > 0 ? { startWh, stopWh: endWh } : undefined
  if (startWh === 0) return { startWh: beginWh, stopWh: endWh }
  if (agree(beginWh, startWh)) return { startWh, stopWh: endWh }
  // The readings count from 0, and the start is a running total.
  if (beginWh <= nothingWh) return { startWh, stopWh: startWh + endWh - beginWh }
  return { startWh, stopWh: undefined, heldReason: "RegistersDisagree" }
}

/** The start reports 0, but the readings begin at a running total: the start either lost its register, or counts from 0 as the stop does. */
const startFromReadings = (stopWh: number, beginWh: number, endWh: number | undefined): Span => {
  const counted = { startWh: 0, stopWh }
  if (endWh === undefined) {
    return stopWh < beginWh ? counted : { ...counted, heldReason: "RegistersDisagree" }
  }
  const countsOn = agree(stopWh, endWh)
  const countsSession = agree(stopWh, endWh - beginWh)
  if (countsOn === countsSession) return { ...counted, heldReason: "RegistersDisagree" }
  return countsOn ? { startWh: beginWh, stopWh } : counted
}

/** True if the readings and the registers cannot belong to the same session, whichever way each of them counts. */
const contradicted = (startWh: number, stopWh: number, { beginWh, endWh }: StopReadings): boolean => {
  const energyWh = stopWh - startWh
  if (beginWh !== undefined && endWh !== undefined) return !agree(endWh - beginWh, energyWh)
  if (beginWh !== undefined) return beginWh > nothingWh && !agree(beginWh, startWh)
  if (endWh === undefined || agree(endWh, stopWh) || agree(endWh, energyWh)) return false
  return startWh > 0 || endWh < stopWh
}

/** The registers that start, stop and the stop's readings give together. */
const spanOf = (startWh: number, stopWh: number | undefined, register: number | undefined, own: StopReadings): Span => {
  const { beginWh, endWh } = own
  const isVoid = stopWh === undefined || (stopWh === 0 && (startWh > 0 || beginWh !== undefined))
  const replaced = isVoid ? stopFromReadings(startWh, own) : undefined
  if (replaced !== undefined) return replaced
  if (stopWh === undefined) return { startWh, stopWh: register, heldReason: "MeterStopMissing" }
  if (startWh === 0 && beginWh !== undefined && beginWh > nothingWh) return startFromReadings(stopWh, beginWh, endWh)
  const isWrong = stopWh >= startWh && contradicted(startWh, stopWh, own)
  return { startWh, stopWh, ...(isWrong ? { heldReason: "RegistersDisagree" as const } : {}) }
}

/**
 * True for a stop with register 0 by which a charger ends a transaction that was refused. Such a stop has no real register, and if nothing shows that
 * energy flowed, none did.
 */
const letGo = (
  { authorization, meterStartWh }: KnownSession,
  reported: number | undefined,
  register: number | undefined
) => reported === 0 && meterStartWh > 0 && neverWas({ authorization, energyWh: (register ?? 0) - meterStartWh })

const strict: StopReadings = { beginWh: undefined, endWh: undefined, rules: {} }

/**
 * When a session ended, and its figures. `register` is its newest energy register in Wh, the stop's own readings included; `own` is what these
 * readings show besides.
 */
export const ending = (
  session: KnownSession,
  stop: StopFigures,
  register: number | undefined,
  own: StopReadings = strict
): { readonly at: number; readonly body: SessionEnded["body"] } => {
  const { rules } = own
  const begun = rules.registerCountsSession === true ? 0 : session.meterStartWh
  const reported = stop.meterStopWh === undefined ? undefined : countedOn(stop.meterStopWh, begun, rules)
  const {
    heldReason: doubt,
    startWh,
    stopWh
  } = spanOf(begun, letGo(session, reported, register) ? begun : reported, register, own)
  const difference = stopWh === undefined ? undefined : stopWh - startWh
  // Two registers that are read one after the other may differ by a few Wh.
  const isNothing =
    difference !== undefined &&
    difference < 0 &&
    difference >= -jitterWh &&
    (register === undefined || register <= startWh + jitterWh)
  const energyWh = isNothing ? 0 : difference
  const endWh = isNothing ? startWh : stopWh
  const negative = energyWh !== undefined && energyWh < 0
  const early = stop.at < session.startedAt
  // A start register that the readings confirm is reported even if it is the start's own: a 0 may have replaced a missing register.
  const isBorneOut = own.beginWh !== undefined && own.endWh !== undefined && doubt === undefined
  const isReported = startWh !== session.meterStartWh || (startWh === 0 && isBorneOut)
  let doubted = doubt
  if (doubted === undefined && negative) doubted = "MeterStopBelowStart"
  if (doubted === undefined && early) doubted = "ClockImplausible"
  return {
    at: early ? session.startedAt : stop.at,
    body: {
      sessionId: session.sessionId,
      tokenUid: stop.tokenUid,
      ...(isReported ? { meterStartWh: startWh } : {}),
      meterStopWh: endWh,
      ...(stop.meterStopWh === undefined || stop.meterStopWh === endWh ? {} : { rawMeterStopWh: stop.meterStopWh }),
      energyWh: negative ? undefined : energyWh,
      reason: stop.reason ?? "Local",
      ...outcomeOf(session, energyWh, doubted),
      rawAt: stop.rawAt
    }
  }
}
