/** The domain's explained prices in the form of REST v2. */
import type { CdrBody } from "../../../domain/cdr/Cdr.ts"
import { explained, type ExplainedLine, type ToExplain } from "../../../domain/tariff/Explanation.ts"
import type { TariffBody } from "../../../domain/tariff/Tariff.ts"
import { negativeOf, type Price, vatOf } from "../../../domain/values/Amount.ts"
import type { PriceExplanation, PriceLine } from "./PriceSchema.ts"

export const toPriceLine = (line: ExplainedLine): typeof PriceLine.Type => ({
  kind: line.kind,
  dimension: line.dimension ?? null,
  element: line.element ?? null,
  reservation: line.reserved,
  from: line.from ?? null,
  to: line.to ?? null,
  unit: line.unit ?? null,
  price: line.price ?? null,
  vat: line.vat ?? null,
  volume: line.volume ?? null,
  billedVolume: line.billed ?? null,
  exclVat: line.exclVat,
  inclVat: line.inclVat,
  restrictions: line.restrictions ?? null,
  note: line.note ?? null
})

interface PricedBy {
  readonly id: string
  readonly version: number
  readonly body: TariffBody
}

const credited = <A extends Price>(price: A): A => ({ ...price, ...negativeOf(price) })

/** Tariffs have no name of their own; drivers know one by its text. */
const nameOf = ({ tariffAltText = [] }: TariffBody): string | null => tariffAltText[0]?.text ?? null

/** The price of a session or record. In a credit record its amounts are negated, like its total. */
export const toExplanation = (
  { body, id, version }: PricedBy,
  { ended, periods, total }: ToExplain,
  more: { readonly held?: string | undefined; readonly credit?: boolean } = {}
): typeof PriceExplanation.Type => {
  const sign = more.credit === true ? credited : <A extends Price>(price: A): A => price
  const lines = explained(body, { ended, periods, total: sign(total) })
  return {
    currency: body.currency,
    tariff: { id, name: nameOf(body), version },
    lines: lines.map((line) => sign(toPriceLine(line))),
    total: { exclVat: total.exclVat, inclVat: total.inclVat, vat: vatOf(total) },
    provisional: !ended,
    held: more.held ?? null
  }
}

/** The price of a record, by the tariff that is stored in it. */
export const recordExplanation = (
  { periods, tariff, total }: CdrBody,
  more: { readonly credit: boolean }
): typeof PriceExplanation.Type => {
  const { id, updatedAt: _, version, ...body } = tariff
  return toExplanation({ id, version, body }, { periods, total, ended: true }, more)
}

/** The price of a session that began without a tariff. */
export const unpriced = (provisional: boolean, held: string | undefined): typeof PriceExplanation.Type => ({
  currency: null,
  tariff: null,
  lines: [],
  total: null,
  provisional,
  held: held ?? null
})
