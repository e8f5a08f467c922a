/** A charging session as the partner sees it whose driver charges (OCPI 2.2.1 §9.3.2): what every session has, and what is for partners alone. */
import type { Place } from "../site/CdrLocation.ts"
import type { SessionRoaming } from "../roaming/Roaming.ts"
import type { ChargingSession } from "./ChargingSession.ts"

export interface RoamingSession extends ChargingSession {
  readonly roaming: SessionRoaming
  /** Where it is now. */
  readonly place: Place
  /** Undefined where no tariff was assigned when it began. */
  readonly tariffId: string | undefined
  /** ISO 4217, of that tariff. */
  readonly currency: string | undefined
  /** ms epoch: when anything of this changed last, its price too. */
  readonly lastUpdated: number
}

/**
 * True of one that has ended, and whose price is of before its end or of another energy: for a second or two after its stop, or after a correction
 * (OCPI 2.2.1 §9.1: what is COMPLETED changes no more).
 */
export const isPriceBehind = ({ endedAt, energyWh, price, startedAt, tariffId }: RoamingSession): boolean => {
  if (endedAt === undefined || tariffId === undefined) return false
  if (price === undefined) return true
  const priced = price.periods.reduce((sum, period) => sum + period.energyWh, 0)
  const charged = price.periods.find(({ reserved }) => reserved !== true)
  if (charged !== undefined && charged.startedAt !== startedAt) return true
  return price.periods.at(-1)?.endedAt !== endedAt || priced !== energyWh
}
