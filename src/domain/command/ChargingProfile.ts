/**
 * Charging profiles (OCPP 1.6 §7.8, §7.13, §7.14): how much power or current a charger may deliver, and when. Times are ms epoch, durations are
 * seconds, limits are in the schedule's unit.
 */
import { Schema } from "effect"

export const ChargingSchedulePeriod = Schema.Struct({
  /** Seconds after the schedule's start. */
  startPeriod: Schema.Int,
  /** In A (per phase) or W (total), with one decimal. */
  limit: Schema.Finite,
  numberPhases: Schema.optionalKey(Schema.Int)
})
export type ChargingSchedulePeriod = typeof ChargingSchedulePeriod.Type

export const ChargingSchedule = Schema.Struct({
  /** Seconds; without it the last period lasts until the profile ends. */
  duration: Schema.optionalKey(Schema.Int),
  /** ms epoch. The default is the start of the transaction (Relative), or the time at which the profile is set. */
  startSchedule: Schema.optionalKey(Schema.Finite),
  chargingRateUnit: Schema.Literals(["A", "W"]),
  minChargingRate: Schema.optionalKey(Schema.Finite),
  periods: Schema.Array(ChargingSchedulePeriod)
})
export type ChargingSchedule = typeof ChargingSchedule.Type

/** Far smaller than what a charger can measure, and larger than the errors of binary fractions: 16.3 * 10 is not exactly 163. */
const fractionError = 1e-6

/** A limit with the one decimal that schedules have (OCPP 1.6 §7.14, OCPI 2.2.1 §14.4.7). It is rounded down, so that it never allows more than was asked. */
export const limitToSend = (limit: number): number => Math.floor(limit * 10 + fractionError) / 10

export const profilePurposes = ["ChargePointMaxProfile", "TxDefaultProfile", "TxProfile"] as const
export const ProfilePurpose = Schema.Literals(profilePurposes)
export type ProfilePurpose = typeof ProfilePurpose.Type

export const profileKinds = ["Absolute", "Recurring", "Relative"] as const

export const ChargingProfile = Schema.Struct({
  profileId: Schema.Int,
  /** Only for a TxProfile. */
  transactionId: Schema.optionalKey(Schema.Int),
  stackLevel: Schema.Int,
  purpose: ProfilePurpose,
  kind: Schema.Literals(profileKinds),
  recurrency: Schema.optionalKey(Schema.Literals(["Daily", "Weekly"])),
  /** ms epoch. */
  validFrom: Schema.optionalKey(Schema.Finite),
  validTo: Schema.optionalKey(Schema.Finite),
  schedule: ChargingSchedule
})
export type ChargingProfile = typeof ChargingProfile.Type

/** A profile that a charger has accepted, with its EVSE. */
export const SetProfile = Schema.Struct({
  /** 0 is the whole charger. */
  evseId: Schema.Int,
  /** ms epoch. */
  setAt: Schema.Finite,
  profile: ChargingProfile,
  /**
   * The token of the RemoteStart with which it was sent. The profile comes into force with the transaction that follows. Undefined if it is in force
   * already.
   */
  awaits: Schema.optionalKey(Schema.String)
})
export type SetProfile = typeof SetProfile.Type
