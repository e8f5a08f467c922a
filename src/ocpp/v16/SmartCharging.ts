/** What the SmartCharging profile asks of a charger (OCPP 1.6 §5.5, §5.7, §5.16). */
import type { ChargingProfile, ChargingSchedule } from "../../domain/command/ChargingProfile.ts"
import { answersWith, present, writeOptionalTime, type Command } from "./Command.ts"
import { readCompositeSchedule } from "./CompositeSchedule.ts"
import { connectorIdOf, optionalConnectorIdOf } from "./place.ts"

/** §7.14: limits have at most one digit behind the point, and chargers refuse messages with more. */
const oneDecimal = (value: number): number => Math.round(value * 10) / 10

/** §7.13. */
const writeSchedule = (schedule: ChargingSchedule): Readonly<Record<string, unknown>> =>
  present({
    duration: schedule.duration,
    startSchedule: writeOptionalTime(schedule.startSchedule),
    chargingRateUnit: schedule.chargingRateUnit,
    chargingSchedulePeriod: schedule.periods.map(({ limit, numberPhases, startPeriod }) =>
      present({ startPeriod, limit: oneDecimal(limit), numberPhases })
    ),
    minChargingRate: schedule.minChargingRate === undefined ? undefined : oneDecimal(schedule.minChargingRate)
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

/** §5.5. `Unknown` is a charger that has no profile like that. */
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
