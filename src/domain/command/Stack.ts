/**
 * Which charging profiles stand at a charger after one more is set, some are cleared, or a transaction has ended (OCPP 1.6 §3.13, §5.5,
 * §5.16). What the charger has accepted is recorded here; whether it should have been asked is `Profile.ts`.
 */
import type { CommandOf } from "./ChargerCommand.ts"
import { tokenKey } from "../token/Token.ts"
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

/** How long a profile waits for the transaction of its RemoteStart; chargers give the driver a few minutes to plug in. */
const awaitsMillis = 15 * 60_000

const lapsed = ({ awaits, setAt }: SetProfile, now: number): boolean =>
  awaits !== undefined && setAt < now - awaitsMillis

/** What is recorded once the charger has accepted a RemoteStart with a profile (OCPP 1.6 §5.11): it waits for the transaction. */
export const awaited = (
  set: ReadonlyArray<SetProfile>,
  { place, tokenUid }: Pick<CommandOf<"RemoteStart">, "place" | "tokenUid">,
  profile: ChargingProfile,
  now: number
): ReadonlyArray<SetProfile> => {
  const waiting: SetProfile = { evseId: place?.evseId ?? 0, setAt: now, profile, awaits: tokenUid }
  return [...set.filter((one) => !lapsed(one, now)), waiting].slice(-profilesKept)
}

/** The profiles that stand with a transaction that began: one that waited for it is its own now. Undefined where none did. */
export const begun = (
  set: ReadonlyArray<SetProfile>,
  start: { readonly evseId: number; readonly tokenUid: string; readonly transactionId: number },
  now: number
): ReadonlyArray<SetProfile> | undefined => {
  const { evseId, tokenUid, transactionId } = start
  const waiting = set.findLast(
    (one) =>
      one.awaits !== undefined &&
      tokenKey(one.awaits) === tokenKey(tokenUid) &&
      (one.evseId === 0 || one.evseId === evseId) &&
      !lapsed(one, now)
  )
  if (waiting === undefined) return undefined
  const others = set.filter((one) => one !== waiting)
  return applied(others, evseId, { ...waiting.profile, transactionId }, now)
}

/** Those that stand by now. */
export const inForce = (set: ReadonlyArray<SetProfile>): ReadonlyArray<SetProfile> =>
  set.filter(({ awaits }) => awaits === undefined)

/** What is in force after a transaction: its own profiles end with it (OCPP 1.6 §3.13.1). */
export const withoutTransaction = (set: ReadonlyArray<SetProfile>, transactionId: number): ReadonlyArray<SetProfile> =>
  set.filter(({ profile }) => profile.purpose !== "TxProfile" || profile.transactionId !== transactionId)
