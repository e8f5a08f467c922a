/** Applies the minimum and maximum price of a tariff. */
import { type Amount, type Price, withVatOf } from "../values/Amount.ts"
import type { PriceLimit, Pricing } from "./Tariff.ts"

/** A price before its limits. */
export interface Unlimited {
  /** The sum of the rounded costs. */
  readonly sum: Price
  /** The same before rounding. Only this shows the share of VAT of a price of a few ten-thousandths. */
  readonly exact: Amount
}

const bounded = (
  price: Price,
  exact: Amount,
  limit: PriceLimit | undefined,
  pick: (a: number, b: number) => number
): Price => {
  if (limit === undefined) return price
  const exclVat = pick(price.exclVat, limit.exclVat)
  if (limit.inclVat !== undefined) return { exclVat, inclVat: pick(price.inclVat, limit.inclVat) }
  if (exclVat === price.exclVat) return price
  return { exclVat, inclVat: exact.exclVat === 0n ? exclVat : withVatOf(exclVat, exact) }
}

/** A price after each of the two limits. */
export interface Limited {
  /** The price raised to the minimum. The minimum is for charging sessions (OCPI 2.2.1 §11.3.1), so it does not apply to an unused reservation. */
  readonly raised: Price
  readonly total: Price
}

/**
 * Limits a price to the tariff's minimum and maximum. The figures with and without VAT are limited separately (OCPI 2.2.1 §11.3.1). If a limit has no
 * figure with VAT, the price keeps its exact share of VAT.
 */
export const limited = (
  { maxPrice, minPrice }: Pick<Pricing, "minPrice" | "maxPrice">,
  { exact, sum }: Unlimited,
  hasSession: boolean
): Limited => {
  const raised = hasSession ? bounded(sum, exact, minPrice, Math.max) : sum
  return { raised, total: bounded(raised, exact, maxPrice, Math.min) }
}
