/** Checks a charging profile before it is sent to a charger (OCPP 1.6 §3.13, §5.16, §7.8, §7.13, §7.14). */
import type { ChargingProfile, ChargingSchedule } from "./ChargingProfile.ts"

/** An invalid value, with its JSON Pointer into the OCPP 1.6 form of the profile. */
export interface ProfileFinding {
  readonly pointer: string
  readonly detail: string
}

/** How the profile is sent. With a RemoteStart, the profile is for a transaction that has no id yet (OCPP 1.6 §5.11). */
export type ProfileUse =
  | { readonly command: "SetChargingProfile"; readonly evseId: number }
  | { readonly command: "RemoteStart" }

/** The maximum number of periods of a schedule: a week of quarter hours, and more than any charger's ChargingScheduleMaxPeriods. */
export const periodsMax = 672

/** The maximum duration of a schedule, in seconds: a year. */
export const durationMax = 366 * 86_400

/** The maximum limit, in A or W: 100 MW. A higher value must be in a wrong unit. */
export const limitMax = 100_000_000

const schedulePointer = "/chargingSchedule"

const one = (wrong: boolean, pointer: string, detail: string): ReadonlyArray<ProfileFinding> =>
  wrong ? [{ pointer, detail }] : []

const periodFindings = ({ periods }: ChargingSchedule): ReadonlyArray<ProfileFinding> =>
  periods.slice(0, periodsMax).flatMap((period, i) => {
    const pointer = `${schedulePointer}/chargingSchedulePeriod/${i}`
    const before = periods[i - 1]
    const { limit, numberPhases, startPeriod } = period
    return [
      ...one(before === undefined && startPeriod !== 0, `${pointer}/startPeriod`, "Must be 0 in the first period"),
      ...one(
        before !== undefined && startPeriod <= before.startPeriod,
        `${pointer}/startPeriod`,
        "Must be later than in the previous period"
      ),
      ...one(!(limit >= 0 && limit <= limitMax), `${pointer}/limit`, `Must be from 0 to ${limitMax}`),
      ...one(Math.abs(limit * 10 - Math.round(limit * 10)) > 1e-6, `${pointer}/limit`, "Must have at most one decimal"),
      ...one(
        numberPhases !== undefined && !(numberPhases >= 1 && numberPhases <= 3),
        `${pointer}/numberPhases`,
        "Must be 1, 2 or 3"
      )
    ]
  })

const scheduleFindings = (schedule: ChargingSchedule): ReadonlyArray<ProfileFinding> => {
  const { duration, minChargingRate, periods } = schedule
  return [
    ...one(periods.length === 0, `${schedulePointer}/chargingSchedulePeriod`, "Must have a period"),
    ...one(
      periods.length > periodsMax,
      `${schedulePointer}/chargingSchedulePeriod`,
      `Must have at most ${periodsMax} periods`
    ),
    ...one(
      duration !== undefined && !(duration > 0 && duration <= durationMax),
      `${schedulePointer}/duration`,
      `Must be from 1 to ${durationMax} seconds`
    ),
    ...one(
      minChargingRate !== undefined && !(minChargingRate >= 0 && minChargingRate <= limitMax),
      `${schedulePointer}/minChargingRate`,
      `Must be from 0 to ${limitMax}`
    ),
    ...periodFindings(schedule)
  ]
}

const kindFindings = ({ kind, recurrency, schedule }: ChargingProfile): ReadonlyArray<ProfileFinding> => {
  const start = schedule.startSchedule
  return [
    ...one(
      kind === "Relative" && start !== undefined,
      `${schedulePointer}/startSchedule`,
      "Must not be given for kind Relative"
    ),
    ...one(
      kind === "Recurring" && start === undefined,
      `${schedulePointer}/startSchedule`,
      "Is required for kind Recurring"
    ),
    ...one(kind === "Recurring" && recurrency === undefined, "/recurrencyKind", "Is required for kind Recurring"),
    ...one(kind !== "Recurring" && recurrency !== undefined, "/recurrencyKind", "Must be given only for kind Recurring")
  ]
}

const placeFindings = (profile: ChargingProfile, use: ProfileUse): ReadonlyArray<ProfileFinding> => {
  const { purpose, transactionId } = profile
  const inTransaction = purpose === "TxProfile"
  if (use.command === "RemoteStart") {
    return [
      ...one(!inTransaction, "/chargingProfilePurpose", "Must be TxProfile in a remote start"),
      ...one(
        transactionId !== undefined,
        "/transactionId",
        "Must not be given in a remote start: there is no transaction id yet"
      )
    ]
  }
  return [
    ...one(inTransaction && transactionId === undefined, "/transactionId", "Is required for a TxProfile"),
    ...one(!inTransaction && transactionId !== undefined, "/transactionId", "Must be given only for a TxProfile"),
    ...one(
      inTransaction && use.evseId === 0,
      "/chargingProfilePurpose",
      "TxProfile needs a connector: connectorId must not be 0"
    ),
    ...one(
      purpose === "ChargePointMaxProfile" && use.evseId !== 0,
      "/chargingProfilePurpose",
      "ChargePointMaxProfile applies to the whole charger: connectorId must be 0"
    )
  ]
}

/** All findings about a profile for this use; empty if it may be sent. */
export const validateProfile = (profile: ChargingProfile, use: ProfileUse): ReadonlyArray<ProfileFinding> => {
  const { stackLevel, validFrom, validTo } = profile
  return [
    ...one(stackLevel < 0, "/stackLevel", "Must not be negative"),
    ...one(
      validFrom !== undefined && validTo !== undefined && validTo <= validFrom,
      "/validTo",
      "Must be later than validFrom"
    ),
    ...placeFindings(profile, use),
    ...kindFindings(profile),
    ...scheduleFindings(profile.schedule)
  ]
}
