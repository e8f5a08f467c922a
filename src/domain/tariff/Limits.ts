/** The least and the most that a session may cost by its tariff. */
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

/** A price, and what each of the two limits makes of it. */
export interface Limited {
  /** At least the minimum. The least that is paid is that of a charging session (OCPI 2.2.1 §11.3.1): a reservation that was not used is none. */
  readonly raised: Price
  readonly total: Price
}

/**
 * A price within the least and the most that a session may cost. Each of a limit's two figures applies by itself (OCPI 2.2.1 §11.3.1). If a
 * limit has no figure with VAT, the price with VAT keeps its share of VAT.
 */
export const limited = (
  { maxPrice, minPrice }: Pick<Pricing, "minPrice" | "maxPrice">,
  price: Price,
  hasSession: boolean
): Limited => {
  const raised = hasSession ? bounded(price, minPrice, Math.max) : price
  return { raised, total: bounded(raised, maxPrice, Math.min) }
}
