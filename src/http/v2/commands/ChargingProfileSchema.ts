/** Charging profiles under OCPP 1.6's own names (§7.8, §7.13, §7.14), as REST shows them. */
import { Schema } from "effect"
import {
  type ChargingProfile as DomainProfile,
  type ChargingSchedule as DomainSchedule,
  profileKinds,
  profilePurposes
} from "../../../domain/command/ChargingProfile.ts"
import { Time } from "../../Fields.ts"

const Period = Schema.Struct({
  startPeriod: Schema.Int,
  limit: Schema.Finite,
  numberPhases: Schema.optionalKey(Schema.Int)
})

export const ChargingSchedule = Schema.Struct({
  duration: Schema.optionalKey(Schema.Int),
  startSchedule: Schema.optionalKey(Time),
  chargingRateUnit: Schema.Literals(["A", "W"]),
  chargingSchedulePeriod: Schema.Array(Period),
  minChargingRate: Schema.optionalKey(Schema.Finite)
}).annotate({ identifier: "ChargingSchedule" })

export const ChargingProfile = Schema.Struct({
  chargingProfileId: Schema.Int,
  transactionId: Schema.optionalKey(Schema.Int),
  stackLevel: Schema.Int,
  chargingProfilePurpose: Schema.Literals(profilePurposes),
  chargingProfileKind: Schema.Literals(profileKinds),
  recurrencyKind: Schema.optionalKey(Schema.Literals(["Daily", "Weekly"])),
  validFrom: Schema.optionalKey(Time),
  validTo: Schema.optionalKey(Time),
  chargingSchedule: ChargingSchedule
}).annotate({ identifier: "ChargingProfile" })

/** A schedule of the domain with OCPP's field names. */
export const toSchedule = ({ periods, ...rest }: DomainSchedule): typeof ChargingSchedule.Type => ({
  ...rest,
  chargingSchedulePeriod: periods
})

/** A profile of the domain with OCPP's field names. */
export const toProfile = (profile: DomainProfile): typeof ChargingProfile.Type => {
  const { kind, profileId, purpose, recurrency, schedule, ...rest } = profile
  return {
    chargingProfileId: profileId,
    chargingProfilePurpose: purpose,
    chargingProfileKind: kind,
    ...(recurrency === undefined ? {} : { recurrencyKind: recurrency }),
    ...rest,
    chargingSchedule: toSchedule(schedule)
  }
}
