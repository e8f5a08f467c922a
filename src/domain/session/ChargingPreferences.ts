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
 * The answer to a driver's preferences. The service does not control charging on its own, so the driver gets the regular profile, and accepting any
 * other would be a false promise. Preferences for an ended session or a reservation are `NOT_POSSIBLE`.
 */
export const answerTo = (
  { profileType }: Pick<ChargingPreferences, "profileType">,
  { status }: { readonly status: string }
): PreferencesAnswer => {
  if (status !== "ACTIVE" && status !== "PENDING") return "NOT_POSSIBLE"
  return profileType.toUpperCase() === "REGULAR" ? "ACCEPTED" : "PROFILE_TYPE_NOT_SUPPORTED"
}
