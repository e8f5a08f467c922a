/**
 * Grants: a partner that starts a session or reserves a connector vouches for its driver at that moment (OCPI 2.2.1 §13.3.4: the token of such a
 * command is not validated). The card may charge at that charger, for that partner, until the grant is used or expires.
 */
import type { SessionRoaming } from "./Roaming.ts"

export interface Grant extends SessionRoaming {
  /** 0: any EVSE of the charger. */
  readonly evseId: number
  /** ms epoch. */
  readonly expiresAt: number
}

/** A grant to be stored with its command; it is valid at the command's charger. */
export interface NewGrant extends Grant {
  /** The idTag that the charger will send: the card's own, or a shorter one that replaces it if it is too long. */
  readonly idTag: string
}

/**
 * How long after a remote start its driver may begin. Chargers allow a few minutes to plug in, and clocks differ (OCPI 2.2.1 §13.3.4 has 15 minutes).
 */
export const grantMillis = 20 * 60_000

/** The longest idTag of OCPP 1.6 (§7.15). */
export const idTagMax = 20

/** True for a uid that a charger can use unchanged. */
export const fitsCharger = (uid: string): boolean => uid.length <= idTagMax && /^[\x21-\x7e]+$/.test(uid)

/**
 * The grant that a start at this EVSE uses, of grants from the newest to the oldest. One for this very EVSE takes precedence over one for the whole
 * charger, then the newest: the partner's last request says to which of its own the session belongs.
 */
export const grantFor = (grants: ReadonlyArray<Grant>, evseId: number | undefined): Grant | undefined =>
  grants
    .filter((grant) => evseId === undefined || grant.evseId === 0 || grant.evseId === evseId)
    .toSorted((one, other) => other.evseId - one.evseId)[0]

/** The part of a grant that is stored with its session. */
export const roamingOf = ({ evseId: _, expiresAt: __, ...roaming }: Grant): SessionRoaming => roaming
