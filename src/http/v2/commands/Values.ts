/** The values of commands' parameters, with OCPP 1.6's names and limits (§7), and their translation into the domain's. */
import { Schema } from "effect"
import type { Place } from "../../../domain/site/Connector.ts"
import { type ChargingProfile, profileKinds, profilePurposes } from "../../../domain/command/ChargingProfile.ts"
import { optionalText, rule, text, Time, whole } from "../../Fields.ts"

/** §7.28 IdToken. */
export const IdTag = text(20).annotate({ description: "At most 20 characters (OCPP 1.6)" })

const highest = 0x7fffffff

/** OCPP's integers: 32 bits, signed. */
export const Integer = whole(-highest - 1, highest)
export const Natural = whole(0, highest)

/** A connector id. 0 is the whole charger, in commands that allow it. */
export const ConnectorOrWhole = whole(0, 10_000)
export const ConnectorNumber = whole(1, 10_000)

/** OCPP 1.6 numbers connectors over the whole charger; each is the only one of its EVSE. */
export const placeOf = (connectorId: number): Place =>
  connectorId === 0 ? { evseId: 0, connectorId: 0 } : { evseId: connectorId, connectorId: 1 }

/** Where files come from and go to. OCPP 1.6 chargers use http, https, ftp, ftps and sftp. */
export const Location = text(512).check(
  rule(
    (value: string) => /^(?:https?|ftps?|sftp):\/\/[^\s]+$/i.test(value),
    "Must be an http, https, ftp, ftps or sftp URL"
  )
)

export const retrying = {
  retries: Schema.optionalKey(whole(0, 100)),
  retryInterval: Schema.optionalKey(whole(0, 86_400).annotate({ description: "Seconds between two attempts" }))
}

/** Translates retries into the domain's fields. */
export const retriesOf = (given: { readonly retries?: number; readonly retryInterval?: number }) => ({
  ...(given.retries === undefined ? {} : { retries: given.retries }),
  ...(given.retryInterval === undefined ? {} : { retryIntervalSeconds: given.retryInterval })
})

const Period = Schema.Struct({
  startPeriod: Natural,
  limit: Schema.Finite.check(rule((n: number) => n >= 0 && n <= 10_000_000, "Must be from 0 to 10000000")),
  numberPhases: Schema.optionalKey(whole(1, 3))
})

/** §7.8 ChargingProfile. */
export const Profile = Schema.Struct({
  chargingProfileId: Integer,
  transactionId: Schema.optionalKey(Integer),
  stackLevel: Natural,
  chargingProfilePurpose: Schema.Literals(profilePurposes),
  chargingProfileKind: Schema.Literals(profileKinds),
  recurrencyKind: Schema.optionalKey(Schema.Literals(["Daily", "Weekly"])),
  validFrom: Schema.optionalKey(Time),
  validTo: Schema.optionalKey(Time),
  chargingSchedule: Schema.Struct({
    duration: Schema.optionalKey(Natural),
    startSchedule: Schema.optionalKey(Time),
    chargingRateUnit: Schema.Literals(["A", "W"]),
    minChargingRate: Schema.optionalKey(Schema.Finite),
    chargingSchedulePeriod: Schema.Array(Period).check(
      Schema.isMinLength(1),
      Schema.isMaxLength(1024),
      rule(
        (periods: ReadonlyArray<{ readonly startPeriod: number }>) =>
          periods[0]?.startPeriod === 0 &&
          periods.every((one, i) => i === 0 || one.startPeriod > periods[i - 1]!.startPeriod),
        "Must begin at 0 and increase (OCPP 1.6 §7.14)"
      )
    )
  })
})

/** Translates the profile into the domain's. */
export const profileOf = (given: typeof Profile.Type): ChargingProfile => {
  const { chargingProfileId, chargingProfileKind, chargingProfilePurpose, chargingSchedule, recurrencyKind, ...rest } =
    given
  const { chargingSchedulePeriod, ...schedule } = chargingSchedule
  return {
    ...rest,
    profileId: chargingProfileId,
    purpose: chargingProfilePurpose,
    kind: chargingProfileKind,
    ...(recurrencyKind === undefined ? {} : { recurrency: recurrencyKind }),
    schedule: { ...schedule, periods: chargingSchedulePeriod }
  }
}

export { optionalText, text, Time }
