/** The periods of a priced session: parts in which nothing changed that affects the price. */
import type { Evidence } from "./Evidence.ts"
import type { Dimension } from "./Tariff.ts"

/**
 * What was measured in a period; missing if nothing was. If the tariff depends on power, the least and the highest power are those that its restrictions
 * were tested against, derived ones included, so that the record alone explains its price (OCPI 2.2.1 `mod_cdrs` §10.4.2). The same holds for current.
 */
export interface Measured {
  /** W; only if the tariff depends on power. */
  readonly minPowerW?: number
  /** The highest power, W. */
  readonly maxPowerW?: number
  /** The least sum over all phases, A; only if the tariff depends on current. */
  readonly minCurrentA?: number
  /** The highest sum over all phases, A. */
  readonly maxCurrentA?: number
  /** The last state of charge, percent. */
  readonly stateOfCharge?: number
}

/** A part of a session in which nothing changed that affects the price. */
export interface Period extends Measured {
  readonly startedAt: number
  readonly endedAt: number
  readonly energyWh: number
  /** True while the vehicle charged or the charger kept it waiting; otherwise the time counts as parking. */
  readonly charging: boolean
  /** The evidence for `charging`, best first. Missing for reservations, and in periods stored by older versions. */
  readonly evidence?: ReadonlyArray<Evidence>
  /** True if the connector was reserved for the driver; that is neither charging nor parking. */
  readonly reserved?: true
  /** The index of the element that prices each dimension; missing if the dimension is free. */
  readonly elements: Readonly<Partial<Record<Dimension, number>>>
}
