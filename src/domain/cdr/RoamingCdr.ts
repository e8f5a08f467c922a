/** A charge detail record as the partner whose driver pays sees it (OCPI 2.2.1 §10.3.1). Everything is in the stored record itself. */
import { sumOf } from "../values/Amount.ts"
import type { SessionRoaming } from "../roaming/Roaming.ts"
import { dependsOn } from "../tariff/Compiled.ts"
import { isPlain } from "../tariff/Plain.ts"
import type { Cdr, CdrBody } from "./Cdr.ts"

/** OCPI versions without credit records. */
export const versionsWithoutCredits: ReadonlyArray<string> = ["2.1.1"]

/**
 * Whether a record's total follows from the plain elements of its tariff alone, so that a partner that calculates with them gets the same total.
 * False if another element priced something, if a price limit changed the total, if only a reservation is billed, or if the tariff depends on power: the
 * periods of those versions show neither. Totals are compared without VAT, because plain tariffs have no VAT either.
 */
export const isPricedPlainly = ({ costs, periods, tariff, total }: CdrBody): boolean => {
  if (dependsOn(tariff.elements).power || periods.every(({ reserved }) => reserved === true)) return false
  const priced = new Set(periods.flatMap(({ elements }) => Object.values(elements)))
  const { exclVat } = sumOf(Object.values(costs))
  return exclVat === total.exclVat && tariff.elements.every((element, i) => isPlain(element) || !priced.has(i))
}

export interface RoamingCdr extends Cdr {
  readonly body: CdrBody & { readonly roaming: SessionRoaming }
  /** ms epoch: when it was stored, after which it never changes. */
  readonly lastUpdated: number
}
