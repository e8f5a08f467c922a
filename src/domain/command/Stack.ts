/**
 * Computes which charging profiles a charger has after one is set, some are cleared, or a transaction has begun or ended (OCPP 1.6 §3.13, §5.5,
 * §5.16). It records what the charger has accepted. `Profile.ts` checks profiles before they are sent.
 */
import type { CommandOf } from "./ChargerCommand.ts"
import { type HeardStart, mayFollow } from "./Following.ts"
import { tokenKey } from "../token/Token.ts"
import type { ChargingProfile, SetProfile } from "./ChargingProfile.ts"

/**
 * The maximum number of profiles stored for one charger, so that the document stays small. Real chargers have a few dozen. The oldest are dropped.
 */
export const profilesKept = 256

/** True if a new profile replaces this one: OCPP 1.6 §3.13.2 allows one profile for each stack level and purpose, and §5.16 one per connector. */
const collides = (one: SetProfile, evseId: number, profile: ChargingProfile): boolean =>
  one.profile.profileId === profile.profileId ||
  (one.evseId === evseId &&
    one.profile.purpose === profile.purpose &&
    one.profile.stackLevel === profile.stackLevel &&
    (profile.purpose !== "TxProfile" || one.profile.transactionId === profile.transactionId))

/** A ChargePointMaxProfile limits the whole charger (OCPP 1.6 §3.13.1), even if a lenient charger accepted it for an EVSE. */
const placed = (evseId: number, profile: ChargingProfile): number =>
  profile.purpose === "ChargePointMaxProfile" ? 0 : evseId

/**
 * The profiles after the charger has accepted this one at `now` (ms epoch). It replaces the profile with the same id at any EVSE, and the one with
 * the same purpose and stack level at the same EVSE (for a TxProfile: of the same transaction).
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
 * The profiles after the charger has accepted a ClearChargingProfile. An id clears that profile; otherwise the profiles that match all given fields
 * are cleared. Place 0 means only the profiles of the whole charger (OCPP 1.6 §6.13). Without a place, profiles of every EVSE match.
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

/** How long a profile waits for the transaction of its RemoteStart: chargers give the driver a few minutes to plug in. */
const awaitsMillis = 15 * 60_000

const lapsed = ({ awaits, setAt }: SetProfile, now: number): boolean =>
  awaits !== undefined && setAt < now - awaitsMillis

/** The profiles after the charger has accepted a RemoteStart with a profile (OCPP 1.6 §5.11). That profile waits for its transaction. */
export const awaited = (
  set: ReadonlyArray<SetProfile>,
  { place, tokenUid }: Pick<CommandOf<"RemoteStart">, "place" | "tokenUid">,
  profile: ChargingProfile,
  now: number
): ReadonlyArray<SetProfile> => {
  const waiting: SetProfile = { evseId: place?.evseId ?? 0, setAt: now, profile, awaits: tokenUid }
  return [...set.filter((one) => !lapsed(one, now)), waiting].slice(-profilesKept)
}

/** The profiles after a transaction has begun: the profile that waited for it now belongs to it. Undefined if none waited. */
export const begun = (
  set: ReadonlyArray<SetProfile>,
  start: Omit<HeardStart, "heardAt"> & { readonly transactionId: number },
  now: number
): ReadonlyArray<SetProfile> | undefined => {
  const { evseId, tokenUid, transactionId } = start
  const waiting = set.findLast(
    (one) =>
      one.awaits !== undefined &&
      tokenKey(one.awaits) === tokenKey(tokenUid) &&
      (one.evseId === 0 || one.evseId === evseId) &&
      mayFollow(start, one.setAt) &&
      !lapsed(one, now)
  )
  if (waiting === undefined) return undefined
  const others = set.filter((one) => one !== waiting)
  return applied(others, evseId, { ...waiting.profile, transactionId }, now)
}

/** The profiles that are in force, without those that wait for a transaction. */
export const inForce = (set: ReadonlyArray<SetProfile>): ReadonlyArray<SetProfile> =>
  set.filter(({ awaits }) => awaits === undefined)

/** The profiles after a transaction has ended: its own profiles end with it (OCPP 1.6 §3.13.1). */
export const withoutTransaction = (set: ReadonlyArray<SetProfile>, transactionId: number): ReadonlyArray<SetProfile> =>
  set.filter(({ profile }) => profile.purpose !== "TxProfile" || profile.transactionId !== transactionId)
