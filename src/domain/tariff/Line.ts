/** One line of a bill: what was used of one price component of a tariff, and what of it is paid for. */
import { type Amount, type Per, priced } from "../values/Amount.ts"
import type { Phase, Priced } from "./Compiled.ts"
import type { Dimension } from "./Tariff.ts"

/** Volumes are Wh for ENERGY, ms for times, and once for FLAT. */
export interface Line {
  readonly phase: Phase
  readonly priced: Priced
  readonly volume: number
  /** The volume that is paid for, after the step size. */
  readonly billed: number
}

const per: Readonly<Record<Dimension, Per>> = { ENERGY: "kWh", TIME: "hour", PARKING_TIME: "hour", FLAT: "once" }

export const amountOf = ({ billed, priced: { component } }: Line): Amount =>
  priced(component.price, per[component.type], billed, component.vat)
