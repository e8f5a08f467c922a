/** Tariffs on the wire of REST v2: OCPI 2.2.1's model in camelCase, checked whole, with every finding at its place. */
import { Schema } from "effect"
import { errorsOf } from "../../domain/tariff/Findings.ts"
import { PriceLimit, type Pricing, TariffElement } from "../../domain/tariff/Tariff.ts"

const pricing = {
  currency: Schema.String.annotate({ description: "ISO 4217" }),
  elements: Schema.Array(TariffElement.annotate({ identifier: "TariffElement" })).annotate({
    description:
      "For each dimension the first element that matches and has a price for it counts, at each moment; without one it is free"
  }),
  minPrice: Schema.optionalKey(PriceLimit.annotate({ identifier: "PriceLimit" })),
  maxPrice: Schema.optionalKey(PriceLimit.annotate({ identifier: "PriceLimit" }))
}

const segments = (pointer: string): ReadonlyArray<string | number> =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part))

/** Everything that keeps a tariff from being used, each at its place. */
export const isSound = Schema.makeFilter((given: Pricing) =>
  errorsOf(given).map(({ detail, pointer }) => ({ path: segments(pointer), issue: detail }))
)

/** What prices a session. */
export const TariffPricing = Schema.Struct(pricing).check(isSound).annotate({ identifier: "TariffPricing" })
