/** Organisations (CPOs), the operators who work for them, and the keys that act for an operator. */
import type { ChargerPolicy } from "../charger/ChargerState.ts"

export interface Organisation {
  readonly id: string
  readonly name: string
  /** ISO 3166-1 alpha-2 and three characters: the first CPO party. */
  readonly countryCode: string
  readonly partyId: string
  /** IANA; sites that name none have it. */
  readonly timeZone: string
  /** Hours after which a session that is heard of no more is closed, see `Closing`. */
  readonly closeSilentHours: number
  /** W: a vehicle that takes less is parked, see `Evidence`. */
  readonly standbyPowerW: number
  readonly policy: ChargerPolicy
  readonly createdAt: number
}

export interface Operator {
  readonly id: string
  readonly organisationId: string
  readonly email: string
  readonly permissions: ReadonlyArray<string>
  readonly active: boolean
}

export interface ApiKey {
  readonly id: string
  readonly name: string
  /** The start of the key that may be shown, to recognise it by. */
  readonly prefix: string
  readonly operatorId: string
  /** Undefined: all of its operator's. */
  readonly permissions: ReadonlyArray<string> | undefined
  readonly createdAt: number
  readonly lastUsedAt: number | undefined
  readonly revokedAt: number | undefined
}
