/** The amounts of a record by VAT rate, as bookkeeping needs them. They add up to the record's total exactly. */
import { type ExplainedLine, explained } from "../tariff/Explanation.ts"
import { negativeOf, type Price, sumOf } from "../values/Amount.ts"
import type { Cdr } from "./Cdr.ts"

export interface VatShare extends Price {
  /** Percent. Undefined: no VAT applies. "mixed": what the tariff's limits or rounding add to amounts of several rates. */
  readonly rate: number | "mixed" | undefined
}

const isPriced = ({ element }: ExplainedLine): boolean => element !== undefined

/** In the order of their rates. Those of a credit record are negated, like its total. */
export const vatSharesOf = ({
  body,
  creditReferenceId
}: Pick<Cdr, "body" | "creditReferenceId">): ReadonlyArray<VatShare> => {
  const isCredit = creditReferenceId !== undefined
  const { periods, tariff, total } = body
  const lines = explained(tariff, { periods, total: isCredit ? negativeOf(total) : total, ended: true })
  const rates = new Set(lines.filter(isPriced).map(({ vat }) => vat))
  const [only] = rates
  // Limits and rounding have no rate of their own.
  const rateOf = (line: ExplainedLine): VatShare["rate"] =>
    isPriced(line) ? line.vat : rates.size > 1 ? "mixed" : only
  const shares = new Map<VatShare["rate"], Price>()
  for (const line of lines) {
    const rate = rateOf(line)
    shares.set(rate, sumOf([shares.get(rate) ?? { exclVat: 0, inclVat: 0 }, line]))
  }
  const place = (rate: VatShare["rate"]) => (rate === undefined ? -1 : rate === "mixed" ? Infinity : rate)
  return [...shares]
    .filter(([, { exclVat, inclVat }]) => exclVat !== 0 || inclVat !== 0)
    .toSorted(([one], [other]) => place(one) - place(other))
    .map(([rate, price]) => ({ rate, ...(isCredit ? negativeOf(price) : price) }))
}
