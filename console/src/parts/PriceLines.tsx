/** A price line by line: what was used, what is billed, at which price, by which element, and the reason for a difference. */
import type { Answer } from "../api/types.ts"
import { t, word } from "../text/text.ts"
import { exact, money } from "./format.ts"
import { Moment } from "./Time.tsx"

type Line = Answer<"tariffs.preview">["lines"][number]

const Used = ({
  line: { billedVolume, price, unit, volume },
  currency
}: {
  readonly line: Line
  readonly currency: string
}) => {
  if (price === null || billedVolume === null) return null
  const per = unit === null ? "" : `/${word("unit", unit)}`
  const rounded = volume !== null && volume !== billedVolume ? ` (${exact(volume)})` : ""
  return (
    <>
      {exact(billedVolume)}
      {rounded} × {exact(price)} {currency}
      {per}
    </>
  )
}

export const PriceLines = ({
  currency,
  lines,
  total
}: {
  readonly currency: string
  readonly lines: ReadonlyArray<Line>
  readonly total: { readonly exclVat: number; readonly inclVat: number } | null
}) => (
  <table className="plain price">
    <thead>
      <tr>
        <th>{t("price.part")}</th>
        <th>{t("price.how")}</th>
        <th className="num">{t("price.inclVat")}</th>
      </tr>
    </thead>
    <tbody>
      {lines.map((line, index) => (
        <tr key={index}>
          <td>
            <b>{word("lineKind", line.kind)}</b>
            <small>
              {line.from === null || line.to === null ? null : (
                <>
                  {" "}
                  <Moment at={line.from} /> – <Moment at={line.to} />
                </>
              )}
              {line.element === null ? null : ` · ${t("tariff.element", { n: line.element + 1 })}`}
              {line.restrictions === null ? null : ` · ${line.restrictions}`}
            </small>
          </td>
          <td>
            <Used line={line} currency={currency} />
            <small>
              {line.vat === null ? null : ` ${t("tariff.plusVat", { vat: exact(line.vat) })}`}
              {line.note === null ? null : ` · ${line.note}`}
            </small>
          </td>
          <td className="num">
            {money(line.inclVat, currency)}
            <small> {t("price.net", { amount: exact(line.exclVat) })}</small>
          </td>
        </tr>
      ))}
    </tbody>
    {total === null ? null : (
      <tfoot>
        <tr>
          <td colSpan={2}>{t("price.total")}</td>
          <td className="num">
            <b>{money(total.inclVat, currency)}</b>
            <small> {t("price.net", { amount: exact(total.exclVat) })}</small>
          </td>
        </tr>
      </tfoot>
    )}
  </table>
)
