/** The charging preferences of a partner's driver for a session, and the answer to them (OCPI 2.2.1 §9.4.1). */
import { Schema } from "effect"

export const ChargingPreferences = Schema.Struct({
  /** OCPI's ProfileType, an open enumeration. */
  profileType: Schema.String,
  /** ms epoch. */
  departureAt: Schema.optional(Schema.Finite),
  /** Wh. */
  energyNeedWh: Schema.optional(Schema.Finite),
  dischargeAllowed: Schema.optional(Schema.Boolean)
})
export type ChargingPreferences = typeof ChargingPreferences.Type

/** OCPI 2.2.1 §9.4.2 ChargingPreferencesResponse, as far as we use it. */
export type PreferencesAnswer = "ACCEPTED" | "NOT_POSSIBLE" | "PROFILE_TYPE_NOT_SUPPORTED"

/**
 * What can be done for a driver's wishes: we steer by nothing of our own, so that the regular profile is what he gets, and any other would be a
 * promise that is not kept. Of what is over, and of a reservation, nothing can be wished.
 */
export const answerTo = (
  { profileType }: Pick<ChargingPreferences, "profileType">,
  { status }: { readonly status: string }
): PreferencesAnswer => {
  if (status !== "ACTIVE" && status !== "PENDING") return "NOT_POSSIBLE"
  return profileType.toUpperCase() === "REGULAR" ? "ACCEPTED" : "PROFILE_TYPE_NOT_SUPPORTED"
}
