/**
 * Charging profiles in OCPI 2.2 and 2.2.1 §14, which are the same; 2.1.1 has none. OCPI cannot express the phases of a schedule: its
 * amperes are per phase, like the charger's.
 */
import { Effect, Option, Schema } from "effect"
import { type ChargingSchedule, limitToSend } from "../../../domain/command/ChargingProfile.ts"
import type { ProfileOutcome } from "../../../domain/command/Outcome.ts"
import type { ActiveProfile, ProfileRequest, ProfileResponse } from "../../../domain/command/ProfileRequest.ts"
import { printTimestamp, Timestamp } from "../../protocol/Timestamp.ts"
import { maybe, Url } from "../Liberal.ts"

export interface WireProfiles {
  readonly request: (body: unknown) => Effect.Effect<ProfileRequest, Schema.SchemaError>
  readonly response: (response: ProfileResponse) => unknown
  /** The result of setting, reading or clearing; with the profile only after reading. */
  readonly result: (outcome: ProfileOutcome, active?: ActiveProfile) => unknown
  readonly active: (active: ActiveProfile) => unknown
  /** The profile that a charger follows, from its answer to OCPP's GetCompositeSchedule; undefined if the answer has no schedule. */
  readonly reported: (answer: unknown, now: number) => ActiveProfile | undefined
}

/** Most periods that are read from a profile. The domain decides how many may be sent to a charger. */
const periodsMax = 1_000

const Unit = Schema.Literals(["W", "A"])

const Set = Schema.Struct({
  charging_profile: Schema.Struct({
    start_date_time: maybe(Timestamp),
    duration: maybe(Schema.Int),
    charging_rate_unit: Unit,
    min_charging_rate: maybe(Schema.Finite),
    charging_profile_period: maybe(
      Schema.Array(Schema.Struct({ start_period: Schema.Int, limit: Schema.Finite })).check(
        Schema.isMaxLength(periodsMax)
      )
    )
  }),
  response_url: Url
})
const decodeSet = Schema.decodeUnknownEffect(Set)

const known = <K extends string, A>(name: K, value: A | null | undefined): { readonly [P in K]?: A } =>
  value === null || value === undefined ? {} : ({ [name]: value } as { readonly [P in K]: A })

const requestOf = ({ charging_profile, response_url }: typeof Set.Type): ProfileRequest => {
  const { charging_profile_period, charging_rate_unit, duration, min_charging_rate, start_date_time } = charging_profile
  const slowest = min_charging_rate ?? undefined
  return {
    responseUrl: response_url,
    schedule: {
      chargingRateUnit: charging_rate_unit,
      ...known("duration", duration),
      ...known("startSchedule", start_date_time),
      ...known("minChargingRate", slowest === undefined ? undefined : limitToSend(slowest)),
      periods: (charging_profile_period ?? []).map(({ limit, start_period }) => ({
        startPeriod: start_period,
        limit: limitToSend(limit)
      }))
    }
  }
}

const scheduleOf = ({ chargingRateUnit, duration, minChargingRate, periods }: ChargingSchedule, startAt: number) => ({
  start_date_time: printTimestamp(startAt),
  ...known("duration", duration),
  charging_rate_unit: chargingRateUnit,
  ...known("min_charging_rate", minChargingRate),
  charging_profile_period: periods.map(({ limit, startPeriod }) => ({
    start_period: startPeriod,
    limit: limitToSend(limit)
  }))
})

const activeOf = ({ schedule, startAt }: ActiveProfile) => ({
  start_date_time: printTimestamp(startAt),
  charging_profile: scheduleOf(schedule, startAt)
})

/** The charger's answer, OCPP 1.6 §6.22. */
const Reported = Schema.Struct({
  scheduleStart: Schema.optionalKey(Timestamp),
  chargingSchedule: Schema.Struct({
    duration: Schema.optionalKey(Schema.Int),
    startSchedule: Schema.optionalKey(Timestamp),
    chargingRateUnit: Unit,
    minChargingRate: Schema.optionalKey(Schema.Finite),
    chargingSchedulePeriod: Schema.Array(Schema.Struct({ startPeriod: Schema.Int, limit: Schema.Finite }))
  })
})
const decodeReported = Schema.decodeUnknownOption(Reported)

const reported = (answer: unknown, now: number): ActiveProfile | undefined => {
  const given = Option.getOrUndefined(decodeReported(answer))
  if (given === undefined) return undefined
  const { chargingSchedulePeriod: periods, ...schedule } = given.chargingSchedule
  return { startAt: given.scheduleStart ?? schedule.startSchedule ?? now, schedule: { ...schedule, periods } }
}

export const profilesV22: WireProfiles = {
  request: (body) => Effect.map(decodeSet(body), requestOf),
  response: ({ result, timeoutSeconds }) => ({ result, timeout: timeoutSeconds }),
  result: (outcome, active) => ({ result: outcome, ...(active === undefined ? {} : { profile: activeOf(active) }) }),
  active: activeOf,
  reported
}
