/** Applies the minimum and maximum price of a tariff. */
import type { Price } from "../values/Amount.ts"
import type { PriceLimit, Pricing } from "./Tariff.ts"

const fourDecimals = (n: number): number => Math.round(n * 1e4) / 1e4

const bounded = (price: Price, limit: PriceLimit | undefined, pick: (a: number, b: number) => number): Price => {
  if (limit === undefined) return price
  const exclVat = pick(price.exclVat, limit.exclVat)
  if (limit.inclVat !== undefined) return { exclVat, inclVat: pick(price.inclVat, limit.inclVat) }
  if (exclVat === price.exclVat) return price
  return { exclVat, inclVat: price.exclVat === 0 ? exclVat : fourDecimals((exclVat * price.inclVat) / price.exclVat) }
}

/** A price after each of the two limits. */
export interface Limited {
  /** The price raised to the minimum. The minimum is for charging sessions (OCPI 2.2.1 §11.3.1), so it does not apply to an unused reservation. */
  readonly raised: Price
  readonly total: Price
}

/**
 * Limits a price to the tariff's minimum and maximum. The figures with and without VAT are limited separately (OCPI 2.2.1 §11.3.1). If a limit has no
 * figure with VAT, the price keeps its share of VAT.
 */
export const limited = (
  { maxPrice, minPrice }: Pick<Pricing, "minPrice" | "maxPrice">,
  price: Price,
  hasSession: boolean
): Limited => {
  const raised = hasSession ? bounded(price, minPrice, Math.max) : price
  return { raised, total: bounded(raised, maxPrice, Math.min) }
}
