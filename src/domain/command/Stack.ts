/**
 * Which charging profiles stand at a charger after one more is set, some are cleared, or a transaction has ended (OCPP 1.6 §3.13, §5.5,
 * §5.16). What the charger has accepted is recorded here; whether it should have been asked is `Profile.ts`.
 */
import type { CommandOf } from "../charger/ChargerCommand.ts"
import type { ChargingProfile, SetProfile } from "./ChargingProfile.ts"

/** Most profiles kept of one charger, so that a document stays small; real ones hold a few dozen. The oldest fall out. */
export const profilesKept = 256

/** Two profiles that may not stand beside each other: OCPP 1.6 §3.13.2 has one of each level and purpose, and §5.16 per connector. */
const collides = (one: SetProfile, evseId: number, profile: ChargingProfile): boolean =>
  one.profile.profileId === profile.profileId ||
  (one.evseId === evseId &&
    one.profile.purpose === profile.purpose &&
    one.profile.stackLevel === profile.stackLevel &&
    (profile.purpose !== "TxProfile" || one.profile.transactionId === profile.transactionId))

/** A ChargePointMaxProfile limits the whole charger (OCPP 1.6 §3.13.1) wherever a lenient charger let it be set. */
const placed = (evseId: number, profile: ChargingProfile): number =>
  profile.purpose === "ChargePointMaxProfile" ? 0 : evseId

/**
 * The profiles that stand once the charger has accepted this one at `now` (ms epoch). It takes the place of the one of its id anywhere,
 * and of the one of its purpose and level at the same evse (of a TxProfile: of the same transaction).
 */
export const applied = (
  set: ReadonlyArray<SetProfile>,
  evseId: number,
  profile: ChargingProfile,
  now: number
): ReadonlyArray<SetProfile> => {
  const at = placed(evseId, profile)
  return [...set.filter((one) => !collides(one, at, profile)), { evseId: at, setAt: now, profile }].slice(-profilesKept)
}

/**
 * The profiles that stand once the charger has accepted a ClearChargingProfile: an id clears that one, otherwise those go that fit all that
 * is given. Place 0 is the whole charger and nothing but it (OCPP 1.6 §6.13); without a place every evse is meant.
 */
export const cleared = (
  set: ReadonlyArray<SetProfile>,
  { place, profileId, purpose, stackLevel }: CommandOf<"ClearChargingProfile">
): ReadonlyArray<SetProfile> =>
  set.filter((one) =>
    profileId !== undefined
      ? one.profile.profileId !== profileId
      : (place !== undefined && one.evseId !== place.evseId) ||
        (purpose !== undefined && one.profile.purpose !== purpose) ||
        (stackLevel !== undefined && one.profile.stackLevel !== stackLevel)
  )

/** What stands after a transaction: its own profiles end with it (OCPP 1.6 §3.13.1). */
export const withoutTransaction = (set: ReadonlyArray<SetProfile>, transactionId: number): ReadonlyArray<SetProfile> =>
  set.filter(({ profile }) => profile.purpose !== "TxProfile" || profile.transactionId !== transactionId)
