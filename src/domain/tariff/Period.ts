/** The periods of a priced session: stretches in which nothing changed that matters for the price. */
import type { Evidence } from "./Evidence.ts"
import type { Dimension } from "./Tariff.ts"

/** What was measured in a stretch; missing where nothing was. */
export interface Measured {
  /** The highest, W. */
  readonly maxPowerW?: number
  /** The highest sum over all phases, A. */
  readonly maxCurrentA?: number
  /** The last one, percent. */
  readonly stateOfCharge?: number
}

/** A stretch in which nothing changed that matters for the price. */
export interface Period extends Measured {
  readonly startedAt: number
  readonly endedAt: number
  readonly energyWh: number
  /** True while the vehicle charged or the charger kept it waiting; otherwise the time is parking. */
  readonly charging: boolean
  /** What that is known by, the best first. Missing of a reservation, and in what was stored by older versions. */
  readonly evidence?: ReadonlyArray<Evidence>
  /** The connector was kept for the driver: neither charging nor parking. */
  readonly reserved?: true
  /** The element that prices each dimension, by its place in the tariff; missing where it is free. */
  readonly elements: Readonly<Partial<Record<Dimension, number>>>
}
