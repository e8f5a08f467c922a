/** Figures and texts in the units and lengths of OCPI: kWh, hours, kW, money; four decimals at most (OCPI 2.2.1 §16.6). */
import type { Price } from "../../../domain/values/Amount.ts"
import { cutTo } from "../Strict.ts"

const hourMillis = 3_600_000

const rounded = (value: number): number => {
  const figure = Math.round(value * 10_000) / 10_000
  // Zero has no sign.
  return figure === 0 ? 0 : figure
}

export const kilo = (value: number): number => rounded(value / 1000)

export const hours = (millis: number): number => rounded(millis / hourMillis)

export const amount = rounded

/** 2.2 and later. */
export const priceOf = ({ exclVat, inclVat }: Price) => ({ excl_vat: rounded(exclVat), incl_vat: rounded(inclVat) })

/** What a required text says where its value cannot be known (OCPI 2.2.1 §4.5). */
export const notApplicable = "#NA"

/** At most so many characters; what is missing or empty is not applicable. */
export const required = (text: string | undefined, max: number): string =>
  text === undefined || text.trim() === "" ? notApplicable : cutTo(text, max)
