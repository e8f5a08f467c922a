/**
 * A summary of a running session's readings. It exists only while one actor received all of them, in order. At the end it is enough to say that
 * nothing about the session is doubtful, and how its meter counts; such a session needs no further look if it has no tariff. If anything is unusual
 * there is no summary, and the whole ledger decides (`Plausibility`). So this is never more lenient than that.
 */
import { isBelievable } from "../charger/Clock.ts"
import type { Course, KnownSession } from "../charger/ChargerState.ts"
import type { MeterRead, PlainEnd, SessionEnded, SessionStarted } from "../charger/Fact.ts"
import { measuredOf } from "../charger/MeterValue.ts"
import { resolutionSteps, stepProvedBy } from "../tariff/Evidence.ts"
import { jitterWh } from "./Counting.ts"
import { anyPowerW, leastPowerOf, longestMillis, tooMuch } from "./Plausibility.ts"

/** The summary of a session that begins; undefined if its start is doubtful. */
export const courseBegun = ({ at, body }: SessionStarted): Course | undefined => {
  const { authorization, meterStartMissing, meterStartWh, supersededBy } = body
  const isDoubted = meterStartMissing === true || meterStartWh < 0 || supersededBy !== undefined
  if (isDoubted || authorization.status !== "Accepted") return undefined
  return { at, wh: meterStartWh, figures: 0, stepWh: resolutionSteps[0], reportsPower: false, readWh: undefined }
}

const hasPower = ({ samples }: MeterRead["body"]["readings"][number]): boolean =>
  measuredOf(samples, "Power.Active.Import") !== undefined || measuredOf(samples, "Current.Import") !== undefined

/** True if no connector could have given this much between two readings, as in `doubtOf`. */
const leaps = (wh: number, millis: number): boolean => tooMuch(wh, Math.max(millis, 60_000), anyPowerW)

/** The summary with further readings; undefined if one of them has a time or register that cannot follow. */
export const courseWith = (
  course: Course | undefined,
  { body, heardAt }: Pick<MeterRead, "body" | "heardAt">
): Course | undefined => {
  let next = course
  for (const reading of body.readings) {
    const { at, registerWh } = reading
    if (next === undefined) return undefined
    if (registerWh === undefined) continue
    if (!isBelievable(at, heardAt) || at < next.at || registerWh < next.wh) return undefined
    if (leaps(registerWh - next.wh, at - next.at)) return undefined
    const isNew = registerWh !== 0 && registerWh !== next.readWh
    next = {
      at,
      wh: registerWh,
      figures: next.figures + (isNew && next.figures < stepProvedBy ? 1 : 0),
      stepWh: isNew
        ? resolutionSteps.find((step) => step <= (next?.stepWh ?? 0) && registerWh % step === 0)
        : next.stepWh,
      reportsPower: next.reportsPower || hasPower(reading),
      readWh: registerWh
    }
  }
  return next
}

/** What the summary says about a session with this end; undefined if the whole ledger must be checked. */
export const plainEnd = (
  { authorization, meterStartWh, startedAt, status }: KnownSession,
  course: Course | undefined,
  { at, body }: Pick<SessionEnded, "at" | "body">
): PlainEnd | undefined => {
  const { clock, energyWh, heldReason, meterStopWh, unheard, untimed } = body
  if (course === undefined || status !== "Open" || authorization !== "Accepted" || body.status !== "COMPLETED")
    return undefined
  const isOdd = heldReason !== undefined || clock !== undefined || unheard === true || untimed === true
  if (
    isOdd ||
    body.meterStartWh !== undefined ||
    meterStopWh === undefined ||
    energyWh !== meterStopWh - meterStartWh
  ) {
    return undefined
  }
  if (at < course.at || meterStopWh < course.wh || leaps(meterStopWh - course.wh, at - course.at)) return undefined
  const powerW = leastPowerOf(energyWh, at - startedAt)
  if (powerW > anyPowerW || at - startedAt > longestMillis) return undefined
  const { figures, reportsPower, stepWh } = course
  const isProved = stepWh === undefined || figures >= stepProvedBy
  return { powerW, ...(figures > 0 && isProved ? { meter: { stepWh: stepWh ?? 1, reportsPower } } : {}) }
}

/** A session that ended without anything unusual, with the data about its connector that only the database has. */
export interface PlainlyEnded {
  readonly sessionId: string
  readonly plain: PlainEnd
  readonly meterStartWh: number
  /** The connector's maximum power, W; undefined if the operator has not set it. */
  readonly maxPowerW: number | undefined
  /** The previous session on the connector. If a start superseded it, `meterStopWh` is the register of a reading. */
  readonly before: { readonly isSuperseded: boolean; readonly meterStopWh: number } | undefined
  /** What is stored about the connector's meter. */
  readonly meter: PlainEnd["meter"]
}

/** True if the session's ledger would give nothing to store: no doubt, and nothing new about the meter. */
export const isSettled = ({ before, maxPowerW, meter, meterStartWh, plain }: PlainlyEnded): boolean => {
  if (maxPowerW !== undefined && maxPowerW < plain.powerW) return false
  if (before !== undefined && (before.isSuperseded || before.meterStopWh > meterStartWh + jitterWh)) return false
  if (plain.meter === undefined) return true
  return meter?.stepWh === plain.meter.stepWh && meter.reportsPower === plain.meter.reportsPower
}
