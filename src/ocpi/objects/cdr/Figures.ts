/** Figures and texts in OCPI's units and lengths: kWh, hours, kW, money; at most four decimals (OCPI 2.2.1 §16.6). */
import type { Price } from "../../../domain/values/Amount.ts"
import { cutTo } from "../Strict.ts"

const hourMillis = 3_600_000

const rounded = (value: number): number => {
  const figure = Math.round(value * 10_000) / 10_000
  // Avoids -0.
  return figure === 0 ? 0 : figure
}

export const kilo = (value: number): number => rounded(value / 1000)

export const hours = (millis: number): number => rounded(millis / hourMillis)

export const amount = rounded

/** A price in 2.2 and later. */
export const priceOf = ({ exclVat, inclVat }: Price) => ({ excl_vat: rounded(exclVat), incl_vat: rounded(inclVat) })

/** The value of a required text that is not known (OCPI 2.2.1 §4.5). */
export const notApplicable = "#NA"

/** At most `max` characters; `#NA` if the text is missing or empty. */
export const required = (text: string | undefined, max: number): string =>
  text === undefined || text.trim() === "" ? notApplicable : cutTo(text, max)
