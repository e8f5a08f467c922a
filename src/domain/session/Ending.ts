/**
 * The figures of a session's end. If they cannot be believed, the session is held; they are never corrected silently, and the raw figures are stored
 * too. A missing figure is taken from the stop's own readings only if these have one meaning.
 */
import type { SessionEnded } from "../charger/Fact.ts"
import type { KnownSession } from "../charger/ChargerState.ts"
import type { RegisterRules } from "../charger/Quirks.ts"
import { countedOn } from "../charger/MeterValue.ts"
import { neverWas, outcomeOf } from "./Refused.ts"

/** What is known of a stop. */
export interface StopFigures {
  /** When it happened, as well as that is known; ms epoch. */
  readonly at: number
  readonly rawAt: string | undefined
  readonly tokenUid: string | undefined
  readonly meterStopWh: number | undefined
  /** Undefined means Local (OCPP 1.6 §6.49). */
  readonly reason: string | undefined
}

/** What the readings that came with a stop tell (`Transaction.Begin` and `Transaction.End`, OCPP 1.6 §7.31), and how its make is read. */
export interface StopReadings {
  readonly beginWh: number | undefined
  readonly endWh: number | undefined
  readonly rules: RegisterRules
}

/** Why a session is held. One reason is given, the one that weighs most: energy before time. */
export type HeldReason =
  /** The stop carried no register; the newest reading takes its place, if there is one. */
  | "MeterStopMissing"
  /** The register fell: a meter was exchanged, rolled over or counts each session from 0. The energy cannot be known. */
  | "MeterStopBelowStart"
  /** Start and stop tell one energy, and the readings that came with the stop another. */
  | "RegistersDisagree"
  /** The stop lies before the start: the clock jumped between them. The duration cannot be known. */
  | "ClockImplausible"

/** The two registers that a session's energy lies between. */
interface Span {
  readonly startWh: number
  readonly stopWh: number | undefined
  readonly heldReason?: HeldReason
}

/** Registers of one thing that differ by less agree: some chargers tell whole kWh only. */
const agreementWh = 1000

const agree = (a: number, b: number): boolean => Math.abs(a - b) < agreementWh

/** More than this at its beginning is a meter that counts on, and none that begins with the session: clocks and rounding make a few Wh. */
const nothingWh = 10

/** The stop has no register of its own, and its readings name its end. */
const stopFromReadings = (startWh: number, { beginWh, endWh }: StopReadings): Span | undefined => {
  if (endWh === undefined) return undefined
  // 0 is what starts say that have lost their register, too: then a beginning is wanted beside the end.
  if (beginWh === undefined) return startWh > 0 ? { startWh, stopWh: endWh } : undefined
  if (startWh === 0) return { startWh: beginWh, stopWh: endWh }
  if (agree(beginWh, startWh)) return { startWh, stopWh: endWh }
  // The readings count the session, the start counts on.
  if (beginWh <= nothingWh) return { startWh, stopWh: startWh + endWh - beginWh }
  return { startWh, stopWh: undefined, heldReason: "RegistersDisagree" }
}

/** The start says 0, and the readings that a meter which counts on stood higher: the start lost it, or counts the session as the stop does. */
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

/** True where readings and registers cannot be of one session, in whatever way either counts. */
const contradicted = (startWh: number, stopWh: number, { beginWh, endWh }: StopReadings): boolean => {
  const energyWh = stopWh - startWh
  if (beginWh !== undefined && endWh !== undefined) return !agree(endWh - beginWh, energyWh)
  if (beginWh !== undefined) return beginWh > nothingWh && !agree(beginWh, startWh)
  if (endWh === undefined || agree(endWh, stopWh) || agree(endWh, energyWh)) return false
  return startWh > 0 || endWh < stopWh
}

/** What start, stop and the stop's readings come to together. */
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
 * True of a stop of 0 by which a charger lets go of a transaction that was refused: it has no register then, and where nothing shows that anything
 * flowed, nothing did.
 */
const letGo = (
  { authorization, meterStartWh }: KnownSession,
  reported: number | undefined,
  register: number | undefined
) => reported === 0 && meterStartWh > 0 && neverWas({ authorization, energyWh: (register ?? 0) - meterStartWh })

const strict: StopReadings = { beginWh: undefined, endWh: undefined, rules: {} }

/**
 * When a session ended and with what; `register` is its newest energy register in Wh, the stop's own readings included, and `own` what these
 * readings tell besides.
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
  const energyWh = stopWh === undefined ? undefined : stopWh - startWh
  const negative = energyWh !== undefined && energyWh < 0
  const early = stop.at < session.startedAt
  // What the readings bear out is said even where it is the start's: 0 may have stood in for a register that the start did not tell.
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
      meterStopWh: stopWh,
      ...(stop.meterStopWh === undefined || stop.meterStopWh === stopWh ? {} : { rawMeterStopWh: stop.meterStopWh }),
      energyWh: negative ? undefined : energyWh,
      reason: stop.reason ?? "Local",
      ...outcomeOf(session, energyWh, doubted),
      rawAt: stop.rawAt
    }
  }
}
