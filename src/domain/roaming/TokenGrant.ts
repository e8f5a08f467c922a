/**
 * Grants: a partner that has a session started or a connector reserved answers for its driver at that moment (OCPI 2.2.1 §13.3.4: the token of such
 * a command is not validated). The card is let charge at that charger, for that partner, until the grant is used or over.
 */
import type { SessionRoaming } from "./Roaming.ts"

export interface Grant extends SessionRoaming {
  /** 0: any of the charger. */
  readonly evseId: number
  /** ms epoch. */
  readonly expiresAt: number
}

/** A grant to be stored with its command, at whose charger it holds. */
export interface NewGrant extends Grant {
  /** As the charger will send it: the card's own, or a shorter one in place of one that is too long for it. */
  readonly idTag: string
}

/** How long after a remote start its driver may begin: chargers give a few minutes to plug in, and clocks differ (OCPI 2.2.1 §13.3.4 has 15 minutes). */
export const grantMillis = 20 * 60_000

/** The longest idTag of OCPP 1.6 (§7.15). */
export const idTagMax = 20

/** True for a uid that a charger can hold as it is. */
export const fitsCharger = (uid: string): boolean => uid.length <= idTagMax && /^[\x21-\x7e]+$/.test(uid)

/** The grant that a start at this evse goes by; one of the very evse rather than one of the whole charger, and the one that lasts longest. */
export const grantFor = (grants: ReadonlyArray<Grant>, evseId: number | undefined): Grant | undefined =>
  grants
    .filter((grant) => evseId === undefined || grant.evseId === 0 || grant.evseId === evseId)
    .toSorted((one, other) => other.evseId - one.evseId || other.expiresAt - one.expiresAt)[0]

/** The part of a grant that its session keeps. */
export const roamingOf = ({ evseId: _, expiresAt: __, ...roaming }: Grant): SessionRoaming => roaming
