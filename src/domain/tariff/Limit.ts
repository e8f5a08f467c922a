/**
 * The least and the most that a session may cost. A limit's two figures bound by themselves (OCPI 2.2.1 §11.3.1); where it has no figure with
 * VAT, the price with VAT keeps its share of VAT.
 */
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

export const limited = ({ maxPrice, minPrice }: Pick<Pricing, "minPrice" | "maxPrice">, price: Price): Price =>
  bounded(bounded(price, minPrice, Math.max), maxPrice, Math.min)
