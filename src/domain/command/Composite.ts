/**
 * Computes the composite schedule of an EVSE from the profiles in force (OCPP 1.6 §3.13.2, §3.13.3), which the charger should answer to
 * GetCompositeSchedule. At every moment the profile of the highest stack level that has a value applies for each purpose. A transaction's own profile
 * takes precedence over the default, and the limit of the whole charger caps the result.
 */
import type { ChargingProfile, ChargingSchedule, ChargingSchedulePeriod, SetProfile } from "./ChargingProfile.ts"

/** What the schedule is computed for. */
export interface CompositeTarget {
  /** 0 is the whole charger, to which only ChargePointMaxProfiles apply. */
  readonly evseId: number
  /** The transaction that runs at the EVSE; `startedAt` is ms epoch. */
  readonly transaction?: { readonly transactionId: number; readonly startedAt: number } | undefined
}

/** The EVSE's electrical supply, for conversion between A and W and for times without a limit. */
export interface CompositeDefaults {
  /** Volts between a phase and neutral. */
  readonly voltage: number
  /** The number of phases if a period names none. */
  readonly phases: number
  /** Amperes per phase while no profile has a limit. */
  readonly amps: number
}

export type RateUnit = ChargingSchedule["chargingRateUnit"]

/** A schedule whose start is known, ms epoch. */
export type DatedSchedule = ChargingSchedule & { readonly startSchedule: number }

/** The longest schedule that is computed, in seconds: a week and a day. */
export const compositeSecondsMax = 8 * 86_400

/** The maximum number of periods of a schedule. A longer schedule is cut. */
export const compositePeriodsMax = 1024

const recurrenceMillis = (profile: ChargingProfile): number => (profile.recurrency === "Weekly" ? 7 : 1) * 86_400_000

/** The beginning of the profile's schedule that covers `at`; undefined if none has begun. */
const scheduleStart = ({ profile, setAt }: SetProfile, relativeTo: number, at: number): number | undefined => {
  const { kind, schedule } = profile
  const first = kind === "Relative" ? relativeTo : (schedule.startSchedule ?? setAt)
  if (at < first) return undefined
  if (kind !== "Recurring") return first
  const every = recurrenceMillis(profile)
  return first + Math.floor((at - first) / every) * every
}

/** The profile's period at `at`; undefined if it has none and another profile applies. */
const periodAt = (one: SetProfile, relativeTo: number, at: number): ChargingSchedulePeriod | undefined => {
  const { schedule, validFrom, validTo } = one.profile
  if ((validFrom !== undefined && at < validFrom) || (validTo !== undefined && at >= validTo)) return undefined
  const start = scheduleStart(one, relativeTo, at)
  if (start === undefined) return undefined
  const since = at - start
  if (schedule.duration !== undefined && since >= schedule.duration * 1000) return undefined
  return schedule.periods.findLast((period) => period.startPeriod * 1000 <= since)
}

/** Every moment between `from` and `to` at which the profile's limit may change. */
const instantsOf = (one: SetProfile, relativeTo: number, from: number, to: number): ReadonlyArray<number> => {
  const { kind, schedule, validFrom, validTo } = one.profile
  const first = kind === "Relative" ? relativeTo : (schedule.startSchedule ?? one.setAt)
  const every = recurrenceMillis(one.profile)
  const earliest =
    kind === "Recurring" ? Math.max(first, first + (Math.floor((from - first) / every) - 1) * every) : first
  const latest = kind === "Recurring" ? to : first
  const instants: Array<number> = [validFrom ?? from, validTo ?? from]
  for (let start = earliest; start <= latest; start += every) {
    for (const period of schedule.periods) instants.push(start + period.startPeriod * 1000)
    instants.push(start + (schedule.duration ?? 0) * 1000)
  }
  return instants.filter((at) => at > from && at < to)
}

/** Profiles in order of precedence: those of the EVSE before those of the whole charger, each with the highest stack level first. */
const ranked = (profiles: ReadonlyArray<SetProfile>): ReadonlyArray<SetProfile> =>
  profiles.toSorted(
    (a, b) =>
      Math.sign(b.evseId) - Math.sign(a.evseId) || b.profile.stackLevel - a.profile.stackLevel || b.setAt - a.setAt
  )

const first = (profiles: ReadonlyArray<SetProfile>, relativeTo: number, at: number) => {
  for (const one of profiles) {
    const period = periodAt(one, relativeTo, at)
    if (period !== undefined) return { period, unit: one.profile.schedule.chargingRateUnit }
  }
  return undefined
}

type Limit = NonNullable<ReturnType<typeof first>>

/** The limit in `unit`, for this number of phases. */
const converted = ({ period, unit: own }: Limit, unit: RateUnit, phases: number, voltage: number): number => {
  if (own === unit) return period.limit
  return unit === "W" ? period.limit * voltage * phases : period.limit / (voltage * phases)
}

/** Rounds down to OCPP's one decimal, so that rounding never raises a limit. Errors of binary fractions are tolerated. */
const toTenths = (limit: number): number => Math.floor(limit * 10 + 1e-6) / 10

/** The profiles that apply to a target, by purpose. */
const takingPart = (set: ReadonlyArray<SetProfile>, { evseId, transaction }: CompositeTarget) => {
  const here = set.filter((one) => evseId !== 0 && (one.evseId === evseId || one.evseId === 0))
  const of = (purpose: ChargingProfile["purpose"]) => here.filter(({ profile }) => profile.purpose === purpose)
  return {
    caps: ranked(set.filter(({ profile }) => profile.purpose === "ChargePointMaxProfile")),
    own: ranked(
      of("TxProfile").filter(
        (one) =>
          transaction !== undefined &&
          one.evseId === evseId &&
          (one.profile.transactionId ?? transaction.transactionId) === transaction.transactionId
      )
    ),
    usual: ranked(of("TxDefaultProfile"))
  }
}

/**
 * The schedule from `from` (ms epoch) for `durationSeconds` (at most `compositeSecondsMax`), in `unit`. Its periods begin at 0 and ascend, and
 * adjacent periods differ. A Relative profile counts from the transaction's start, or from `from` if no transaction runs. A period has a number of
 * phases only if an applicable profile names one.
 */
export const compositeSchedule = (
  set: ReadonlyArray<SetProfile>,
  target: CompositeTarget,
  from: number,
  durationSeconds: number,
  unit: RateUnit,
  defaults: CompositeDefaults
): DatedSchedule => {
  const duration = Math.max(1, Math.min(Math.floor(durationSeconds), compositeSecondsMax))
  const to = from + duration * 1000
  const relativeTo = target.transaction?.startedAt ?? from
  const { caps, own, usual } = takingPart(set, target)
  const periodOf = (at: number): Omit<ChargingSchedulePeriod, "startPeriod"> => {
    const limits = [first(caps, relativeTo, at), first(own, relativeTo, at) ?? first(usual, relativeTo, at)].filter(
      (limit) => limit !== undefined
    )
    const named = limits.flatMap(({ period }) => period.numberPhases ?? [])
    const phases = named.length === 0 ? defaults.phases : Math.min(...named)
    const free = { period: { startPeriod: 0, limit: defaults.amps }, unit: "A" as const }
    const limit = Math.min(
      ...(limits.length === 0 ? [free] : limits).map((one) => converted(one, unit, phases, defaults.voltage))
    )
    return { limit: toTenths(limit), ...(named.length === 0 ? {} : { numberPhases: phases }) }
  }
  const instants = [...caps, ...own, ...usual].flatMap((one) => instantsOf(one, relativeTo, from, to))
  // A change within a second takes effect at the next whole second, since OCPP counts seconds.
  const seconds = new Set([0, ...instants.map((at) => Math.ceil((at - from) / 1000))])
  const periods: Array<ChargingSchedulePeriod> = []
  const schedule = { startSchedule: from, chargingRateUnit: unit, periods } satisfies ChargingSchedule
  for (const startPeriod of [...seconds].filter((second) => second < duration).toSorted((a, b) => a - b)) {
    const period = periodOf(from + startPeriod * 1000)
    const before = periods.at(-1)
    if (before !== undefined && before.limit === period.limit && before.numberPhases === period.numberPhases) continue
    if (periods.length === compositePeriodsMax) return { duration: startPeriod, ...schedule }
    periods.push({ startPeriod, ...period })
  }
  return { duration, ...schedule }
}
