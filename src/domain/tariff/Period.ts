/** The periods of a priced session: parts in which nothing changed that affects the price. */
import type { Evidence } from "./Evidence.ts"
import type { Dimension } from "./Tariff.ts"

/** What was measured in a period; missing if nothing was. */
export interface Measured {
  /** The highest power, W. */
  readonly maxPowerW?: number
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
