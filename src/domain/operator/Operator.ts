/** Organisations (CPOs), the operators who work for them, and the keys that act for an operator. */
import type { ChargerPolicy } from "../charger/ChargerState.ts"
import type { KeyBounds } from "./KeyBounds.ts"
import type { Grant } from "./Role.ts"

export interface Organisation {
  readonly id: string
  readonly name: string
  /** ISO 3166-1 alpha-2. With `partyId` (three characters) it identifies the organisation's first CPO party. */
  readonly countryCode: string
  readonly partyId: string
  /** IANA name; the default for new sites. */
  readonly timeZone: string
  /** Hours without messages after which a session is closed, see `Closing`. */
  readonly closeSilentHours: number
  /** The power in W below which a vehicle counts as parked, see `Evidence`. */
  readonly standbyPowerW: number
  /** Operators who signed in without a second factor may do nothing but set one up. API keys are not affected. */
  readonly requireSecondFactor: boolean
  readonly policy: ChargerPolicy
  readonly createdAt: number
}

/** A person as a member of one organisation. */
export interface Operator extends Grant {
  readonly id: string
  readonly organisationId: string
  readonly email: string
  readonly name: string
  /** BCP 47. */
  readonly locale: string
  /** The present permissions: the role's, plus additions, minus removals. */
  readonly permissions: ReadonlyArray<string>
  /** False: disabled in this organisation. */
  readonly active: boolean
  readonly hasPassword: boolean
  readonly hasSecondFactor: boolean
  /** True if the operator signs in through the organisation's identity provider. */
  readonly hasIdentity: boolean
  readonly createdAt: number
}

export interface ApiKey extends KeyBounds {
  readonly id: string
  readonly name: string
  /** The first characters of the key. They may be shown, so that operators recognise it. */
  readonly prefix: string
  readonly operatorId: string
  /** Undefined: all permissions of its operator. */
  readonly permissions: ReadonlyArray<string> | undefined
  readonly createdAt: number
  readonly lastUsedAt: number | undefined
  /** The address of the last use. */
  readonly lastUsedFrom: string | undefined
  readonly revokedAt: number | undefined
}
