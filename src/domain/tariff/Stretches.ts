/**
 * Cuts a session into stretches between readings and changes of the connector's status. Each stretch says whether the vehicle charged in it, and what
 * was measured.
 */
import {
  type Claim,
  claimOf,
  type Evidence,
  finest,
  judged,
  type Resolution,
  type Sampled,
  standbyW,
  volts
} from "./Evidence.ts"

/** What a meter reported. `energyWh` counts from the session's beginning and may have a fraction. */
export interface PricedReading {
  /** ms epoch. */
  readonly at: number
  readonly energyWh: number
  readonly powerW?: number | undefined
  /** The sum over all phases. */
  readonly currentA?: number | undefined
  /** The charge of the vehicle's battery, in percent. */
  readonly stateOfCharge?: number | undefined
}

/** A new status of the session's connector, valid from `at`. */
export interface StatusChange {
  /** ms epoch. */
  readonly at: number
  /** The OCPP 1.6 status, for example `SuspendedEV`. */
  readonly status: string
}

export interface PricedSession {
  /** ms epoch. */
  readonly startedAt: number
  readonly endedAt: number
  /** The site's time zone (IANA). */
  readonly timeZone: string
  readonly readings: ReadonlyArray<PricedReading>
  /** In any order. The last one before the session is its status at the beginning. */
  readonly statuses?: ReadonlyArray<StatusChange> | undefined
  /** The register's resolution; undefined: whole Wh. */
  readonly resolution?: Resolution | undefined
  /** W: a vehicle that takes less is parked. Undefined: the usual standby power. */
  readonly standbyPowerW?: number | undefined
}

/** The time between two readings, or between a reading and a change of status that says something else about the vehicle. */
export interface Stretch {
  readonly from: number
  readonly to: number
  readonly before: number
  readonly after: number
  /** Measured, or else derived; with the four decimals of kW and A that a record can show. */
  readonly powerW: number
  readonly currentA: number
  /** False while the vehicle requests no power, which counts as parking. */
  readonly charging: boolean
  readonly evidence: Evidence
  readonly metered: PricedReading
}

/** Rounds energy to tenths of a Wh, which is what a record shows (kWh with four decimals, OCPI 2.2.1 §16.6). */
export const tidyWh = (wh: number): number => Math.round(wh * 10) / 10

const tidyW = (watts: number): number => Math.round(watts * 10) / 10

const inTenThousandths = (n: number): number => Math.round(n * 10_000) / 10_000

/** The readings within the session, in order and never falling. A session with a doubtful meter is held before it is priced. */
const inOrder = ({ endedAt, readings, startedAt }: PricedSession): ReadonlyArray<PricedReading> => {
  const sorted = readings.filter(({ at }) => at >= startedAt && at <= endedAt).toSorted((a, b) => a.at - b.at)
  const kept: Array<PricedReading> = [{ at: startedAt, energyWh: 0 }]
  for (const reading of sorted) {
    const last = kept.at(-1)!
    const energyWh = Math.max(last.energyWh, tidyWh(reading.energyWh))
    if (reading.at === last.at && kept.length > 1) kept[kept.length - 1] = { ...reading, energyWh }
    else if (reading.at > last.at || energyWh > 0) kept.push({ ...reading, energyWh })
  }
  const last = kept.at(-1)!
  if (last.at < endedAt) kept.push({ at: endedAt, energyWh: last.energyWh })
  return kept
}

interface ClaimFrom {
  readonly at: number
  readonly claim: Claim
}

/** What the statuses say about the vehicle from the session's beginning on. A `Finishing` from before it belongs to the previous session. */
const claimsOf = ({ startedAt, statuses = [] }: PricedSession): ReadonlyArray<ClaimFrom> => {
  const claims: Array<ClaimFrom> = [{ at: startedAt, claim: undefined }]
  for (const { at, status } of statuses.toSorted((a, b) => a.at - b.at)) {
    const claim = at <= startedAt && status === "Finishing" ? undefined : claimOf(status)
    if (at <= claims.at(-1)!.at) claims[claims.length - 1] = { at: Math.max(at, startedAt), claim }
    else if (claims.at(-1)!.claim !== claim) claims.push({ at, claim })
  }
  return claims
}

interface Part extends Sampled {
  readonly before: number
  readonly after: number
  readonly metered: PricedReading
}

/**
 * The parts of the time between two readings. Energy is assigned to the time in which the vehicle was not reported as parked, if there is such time.
 * Measured values belong to the part that the reading ends.
 */
const partsOf = (
  last: PricedReading,
  reading: PricedReading,
  claims: ReadonlyArray<ClaimFrom>
): ReadonlyArray<Part> => {
  const spans = claims.map(({ at, claim }, i) => ({
    from: Math.max(at, last.at),
    to: i === claims.length - 1 ? reading.at : claims[i + 1]!.at,
    claim
  }))
  const millis = (wanted: ReadonlyArray<(typeof spans)[number]>) =>
    wanted.reduce((all, { from, to }) => all + to - from, 0)
  const open = spans.filter(({ claim }) => claim !== "Parked")
  const counts = millis(open) > 0 ? open : spans
  const total = millis(counts)
  const growth = reading.energyWh - last.energyWh
  let flowed = 0
  let before = last.energyWh
  return spans.map((span, i) => {
    const isLast = i === spans.length - 1
    if (counts.includes(span)) flowed += span.to - span.from
    const share = total === 0 ? 1 : flowed / total
    const after =
      share === 1 || isLast ? reading.energyWh : Math.min(last.energyWh + Math.round(growth * share), reading.energyWh)
    const metered = isLast ? reading : { at: span.to, energyWh: after }
    const { currentA, powerW } = metered
    const part = { ...span, before, after, growthWh: tidyWh(after - before), powerW, currentA, metered }
    before = after
    return part
  })
}

const sampled = (session: PricedSession): ReadonlyArray<Part> => {
  const readings = inOrder(session)
  const claims = claimsOf(session)
  const parts: Array<Part> = []
  let first = 0
  for (let i = 1; i < readings.length; i++) {
    const [last, reading] = [readings[i - 1]!, readings[i]!]
    while (first < claims.length - 1 && claims[first + 1]!.at <= last.at) first++
    let end = first + 1
    while (end < claims.length && claims[end]!.at < reading.at) end++
    parts.push(...partsOf(last, reading, claims.slice(first, end)))
  }
  return parts
}

/** The stretches of a session, in order, without gaps. */
export const stretchesOf = (session: PricedSession): ReadonlyArray<Stretch> => {
  const { resolution = finest, standbyPowerW = standbyW.usual } = session
  const parts = sampled(session)
  const decisions = judged(parts, { resolution, standbyW: standbyPowerW })
  return parts.map(({ after, before, currentA, from, powerW, to, metered }, i) => {
    const { averageW, charging, evidence } = decisions[i]!
    const power = powerW ?? averageW
    const current = inTenThousandths(currentA ?? power / volts)
    return { from, to, before, after, powerW: tidyW(power), currentA: current, charging, evidence, metered }
  })
}
