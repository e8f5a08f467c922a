/**
 * What the readings of a running session have shown, as far as all of them were heard by one actor and in their order. It is enough to say at the end that
 * nothing about the session can be doubted, and what its meter is like: a session of which that is known and which has no tariff is not read again.
 * Wherever anything is unusual nothing is said, and the whole ledger decides (`Plausibility`); so this is never more lenient than that.
 */
import { isBelievable } from "../charger/Clock.ts"
import type { Course, KnownSession } from "../charger/ChargerState.ts"
import type { MeterRead, PlainEnd, SessionEnded, SessionStarted } from "../charger/Fact.ts"
import { measuredOf } from "../charger/MeterValue.ts"
import { resolutionSteps, stepProvedBy } from "../tariff/Evidence.ts"
import { jitterWh } from "./Counting.ts"
import { anyPowerW, leastPowerOf, longestMillis, tooMuch } from "./Plausibility.ts"

/** Of a session that begins; undefined where its figures are doubted from the beginning. */
export const courseBegun = ({ at, body }: SessionStarted): Course | undefined => {
  const { authorization, meterStartMissing, meterStartWh, supersededBy } = body
  const isDoubted = meterStartMissing === true || meterStartWh < 0 || supersededBy !== undefined
  if (isDoubted || authorization.status !== "Accepted") return undefined
  return { at, wh: meterStartWh, figures: 0, stepWh: resolutionSteps[0], reportsPower: false, readWh: undefined }
}

const hasPower = ({ samples }: MeterRead["body"]["readings"][number]): boolean =>
  measuredOf(samples, "Power.Active.Import") !== undefined || measuredOf(samples, "Current.Import") !== undefined

/** Between two readings only what no connector could give is too much, as in `doubtOf`. */
const leaps = (wh: number, millis: number): boolean => tooMuch(wh, Math.max(millis, 60_000), anyPowerW)

/** The course with further readings; undefined once one of them is of another time or register than could follow. */
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

/** What can be said of a session that ends so; undefined where it has to be looked at whole. */
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

/** A session that ended plainly, and what only the database knows of where it was. */
export interface PlainlyEnded {
  readonly sessionId: string
  readonly plain: PlainEnd
  readonly meterStartWh: number
  /** Of its connector, W; undefined if the operator has not set it. */
  readonly maxPowerW: number | undefined
  /** The session before it on the connector. Where a start took the place of its stop, its register is a reading's. */
  readonly before: { readonly isSuperseded: boolean; readonly meterStopWh: number } | undefined
  /** What is kept of the connector's meter. */
  readonly meter: PlainEnd["meter"]
}

/** True where its ledger would show nothing that is to be kept: no doubt, and no meter that was not known as it is. */
export const isSettled = ({ before, maxPowerW, meter, meterStartWh, plain }: PlainlyEnded): boolean => {
  if (maxPowerW !== undefined && maxPowerW < plain.powerW) return false
  if (before !== undefined && (before.isSuperseded || before.meterStopWh > meterStartWh + jitterWh)) return false
  if (plain.meter === undefined) return true
  return meter?.stepWh === plain.meter.stepWh && meter.reportsPower === plain.meter.reportsPower
}
