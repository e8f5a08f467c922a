/**
 * Finds the partners that must be notified of a changed charging profile: those that set one for a session whose limits another caller changes (OCPI
 * 2.2.1 §14.2.2). A partner gets the profile that is in force when the notification is sent, so that one callback covers any number of changes.
 */
import type { CommandEnd } from "./CommandEnd.ts"

export interface ProfileChange extends CommandEnd {
  readonly type: "SetChargingProfile" | "ClearChargingProfile"
  /** Undefined or 0: the whole charger. */
  readonly evseId: number | undefined
}

/** A partner's accepted SetProfile for a running session. */
export interface PartnerProfile {
  readonly commandId: string
  readonly organisationId: string
  readonly chargerId: string
  readonly evseId: number
  readonly partnerId: string
  readonly sessionId: string
}

/** The profiles whose partners must be notified: the newest one for each partner and session. */
export const profilesChangedBy = (
  change: ProfileChange,
  profiles: ReadonlyArray<PartnerProfile>
): ReadonlyArray<PartnerProfile> => {
  if (change.status !== "Accepted") return []
  const { evseId = 0 } = change
  const newest = new Map<string, PartnerProfile>()
  for (const profile of profiles) {
    const isThere = profile.chargerId === change.chargerId && profile.organisationId === change.organisationId
    const isConcerned = isThere && (evseId === 0 || evseId === profile.evseId)
    if (!isConcerned || change.by === `partner:${profile.partnerId}`) continue
    const key = `${profile.partnerId} ${profile.sessionId}`
    const known = newest.get(key)
    if (known === undefined || known.commandId < profile.commandId) newest.set(key, profile)
  }
  return [...newest.values()]
}
