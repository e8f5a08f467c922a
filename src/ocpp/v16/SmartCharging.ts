/**
 * The SmartCharging profile (OCPP 1.6 §5.5, §5.7, §5.16, §6.22): profiles for a charger, and the schedule that the
 * charger reports.
 */
import {
  type ChargingProfile,
  type ChargingSchedule,
  type ChargingSchedulePeriod,
  limitToSend
} from "../../domain/command/ChargingProfile.ts"
import { answersWith, present, writeOptionalTime, type Command, take } from "./Command.ts"
import { connectorIdOf, optionalConnectorIdOf, placeOf } from "./place.ts"
import type { AnswerContent } from "../../domain/command/ChargerCommand.ts"
import { connectorNumber, integer, list, nested, number, time, word } from "./Kinds.ts"
import { message, optional, type PayloadObject, type ReadOf } from "./Lenient.ts"
import { readTime } from "./Time.ts"

const period = message({ startPeriod: integer, limit: number, numberPhases: optional(integer) })

const chargingSchedule = message({
  duration: optional(integer),
  startSchedule: optional(time),
  chargingRateUnit: word(["A", "W"]),
  chargingSchedulePeriod: list(period),
  minChargingRate: optional(number)
})

const answer = message({
  connectorId: optional(connectorNumber),
  scheduleStart: optional(time),
  chargingSchedule: optional(nested(chargingSchedule))
})

const readPeriod = ({ limit, numberPhases, startPeriod }: ReadOf<typeof period>): ChargingSchedulePeriod | undefined =>
  startPeriod === undefined || limit === undefined
    ? undefined
    : { startPeriod, limit, ...(numberPhases === undefined ? {} : { numberPhases }) }

const readUnit = (unit: string | undefined): "A" | "W" | undefined => {
  const said = unit?.trim().toUpperCase()
  return said === "A" || said === "W" ? said : undefined
}

/**
 * Reads a schedule. If a period or the unit cannot be read, the whole schedule is dropped, since the rest would mean
 * something else.
 */
const readSchedule = (said: ReadOf<typeof chargingSchedule>): ChargingSchedule | undefined => {
  const chargingRateUnit = readUnit(said.chargingRateUnit)
  const periods = said.chargingSchedulePeriod?.map(readPeriod) ?? []
  const readable = periods.filter((one) => one !== undefined)
  if (chargingRateUnit === undefined || readable.length === 0 || readable.length < periods.length) return undefined
  const startSchedule = readTime(said.startSchedule).at
  return {
    chargingRateUnit,
    periods: readable,
    ...(said.duration === undefined ? {} : { duration: said.duration }),
    ...(startSchedule === undefined ? {} : { startSchedule }),
    ...(said.minChargingRate === undefined ? {} : { minChargingRate: said.minChargingRate })
  }
}

/** Reads the reported schedule. All fields are optional, even if the charger answers Accepted. */
export const readCompositeSchedule = (payload: PayloadObject): AnswerContent => {
  const { chargingSchedule: schedule, connectorId, scheduleStart } = take(answer, payload)
  return {
    _tag: "CompositeSchedule",
    evseId: connectorId === undefined ? undefined : placeOf(connectorId).evseId,
    startAt: readTime(scheduleStart).at,
    schedule: schedule === undefined ? undefined : readSchedule(schedule)
  }
}

/** §7.13. */
const writeSchedule = (schedule: ChargingSchedule): Readonly<Record<string, unknown>> =>
  present({
    duration: schedule.duration,
    startSchedule: writeOptionalTime(schedule.startSchedule),
    chargingRateUnit: schedule.chargingRateUnit,
    chargingSchedulePeriod: schedule.periods.map(({ limit, numberPhases, startPeriod }) =>
      present({ startPeriod, limit: limitToSend(limit), numberPhases })
    ),
    minChargingRate: schedule.minChargingRate === undefined ? undefined : limitToSend(schedule.minChargingRate)
  })

/** §7.8. */
export const writeProfile = (profile: ChargingProfile): Readonly<Record<string, unknown>> =>
  present({
    chargingProfileId: profile.profileId,
    transactionId: profile.transactionId,
    stackLevel: profile.stackLevel,
    chargingProfilePurpose: profile.purpose,
    chargingProfileKind: profile.kind,
    recurrencyKind: profile.recurrency,
    validFrom: writeOptionalTime(profile.validFrom),
    validTo: writeOptionalTime(profile.validTo),
    chargingSchedule: writeSchedule(profile.schedule)
  })

/** §5.16. Connector 0 is the charger as a whole. */
export const setChargingProfile: Command<"SetChargingProfile"> = {
  action: "SetChargingProfile",
  encode: ({ place, profile }) => ({ connectorId: connectorIdOf(place), csChargingProfiles: writeProfile(profile) }),
  decode: answersWith(["Accepted", "Rejected", "NotSupported"])
}

/** §5.5. `Unknown` means that the charger has no such profile. */
export const clearChargingProfile: Command<"ClearChargingProfile"> = {
  action: "ClearChargingProfile",
  encode: ({ place, profileId, purpose, stackLevel }) =>
    present({
      id: profileId,
      connectorId: optionalConnectorIdOf(place),
      chargingProfilePurpose: purpose,
      stackLevel
    }),
  decode: answersWith(["Accepted", "Unknown"])
}

/** §5.7. */
export const getCompositeSchedule: Command<"GetCompositeSchedule"> = {
  action: "GetCompositeSchedule",
  encode: ({ durationSeconds, place, rateUnit }) =>
    present({ connectorId: connectorIdOf(place), duration: durationSeconds, chargingRateUnit: rateUnit }),
  decode: answersWith(["Accepted", "Rejected"], readCompositeSchedule)
}
