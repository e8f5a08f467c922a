/** A price line by line, as REST v2 shows it for a preview, a session and a record. */
import { Schema } from "effect"
import { lineKinds } from "../../../domain/tariff/Explanation.ts"
import { Dimension } from "../../../domain/tariff/Tariff.ts"
import { pers } from "../../../domain/values/Amount.ts"
import { Time } from "../../Fields.ts"
import { prices } from "./TariffSchema.ts"

const known = Schema.NullOr(Schema.String)
const figure = Schema.NullOr(Schema.Finite)

export const PriceLine = Schema.Struct({
  kind: Schema.Literals(lineKinds).annotate({
    description:
      "What the line is for; `session` is a flat fee, `minimum` and `maximum` result from the tariff's limits, `rounding` from rounding costs as sums"
  }),
  dimension: Schema.NullOr(Dimension),
  element: Schema.NullOr(Schema.Int).annotate({
    description: "The tariff's element, counted from 0; null if no element prices the line"
  }),
  reservation: Schema.Boolean,
  from: Schema.NullOr(Time),
  to: Schema.NullOr(Time),
  unit: Schema.NullOr(Schema.Literals(pers)),
  price: figure.annotate({ description: "Per unit, without VAT" }),
  vat: figure,
  volume: figure.annotate({ description: "Used: kWh, hours, or 1" }),
  billedVolume: figure.annotate({ description: "The billed quantity, after rounding up to the step size" }),
  ...prices,
  restrictions: known,
  note: known
}).annotate({ identifier: "PriceLine" })

const PricedBy = Schema.Struct({
  id: Schema.String,
  name: known,
  version: Schema.Int
}).annotate({ identifier: "PricedByTariff" })

export const PriceExplanation = Schema.Struct({
  currency: known,
  tariff: Schema.NullOr(PricedBy),
  lines: Schema.Array(PriceLine).annotate({ description: "The lines add up exactly to `total`" }),
  total: Schema.NullOr(
    Schema.Struct({ ...prices, vat: Schema.Finite.annotate({ description: "inclVat minus exclVat" }) }).annotate({
      identifier: "ExplainedTotal"
    })
  ),
  provisional: Schema.Boolean,
  held: known
}).annotate({ identifier: "PriceExplanation" })
