/** A charging session as the driver's partner sees it (OCPI 2.2.1 §9.3.2): a `ChargingSession` with what only partners need. */
import type { Place } from "../site/CdrLocation.ts"
import { tidyWh } from "../tariff/Stretches.ts"
import { endInSeconds, secondOf } from "../tariff/WholeSeconds.ts"
import type { SessionRoaming } from "../roaming/Roaming.ts"
import type { ChargingSession } from "./ChargingSession.ts"

export interface RoamingSession extends ChargingSession {
  readonly roaming: SessionRoaming
  /** Its present location. */
  readonly place: Place
  /** Undefined if no tariff was assigned when it began. */
  readonly tariffId: string | undefined
  /** The currency (ISO 4217) of its tariff, or else of the organisation's newest tariff; undefined if there is none. */
  readonly currency: string | undefined
  /** ms epoch: when any of this last changed, including its price. */
  readonly lastUpdated: number
}

/**
 * True if the session has ended but its price is from before its end or for another energy. This lasts for a second or two after its stop or a
 * correction. Until then it is not shown as COMPLETED, which must not change any more (OCPI 2.2.1 §9.1).
 */
export const isPriceBehind = ({ endedAt, energyWh, price, startedAt, tariffId }: RoamingSession): boolean => {
  if (endedAt === undefined || tariffId === undefined) return false
  if (price === undefined) return true
  const priced = tidyWh(price.periods.reduce((sum, period) => sum + period.energyWh, 0))
  const charged = price.periods.find(({ reserved }) => reserved !== true)
  if (charged !== undefined && charged.startedAt !== secondOf(startedAt)) return true
  const end = charged === undefined ? secondOf(endedAt) : endInSeconds(startedAt, endedAt)
  return price.periods.at(-1)?.endedAt !== end || priced !== tidyWh(energyWh)
}
