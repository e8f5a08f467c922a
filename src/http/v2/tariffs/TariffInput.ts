/**
 * Tariffs in requests to REST v2: OCPI 2.2.1's model in camelCase, checked completely, with every error at its place. Unknown fields are
 * refused, and a tariff that was read here is accepted unchanged (docs/decisions/0008).
 */
import { Schema } from "effect"
import { errorsOf } from "../../../domain/tariff/Findings.ts"
import {
  EnergyMix,
  PriceComponent,
  PriceLimit,
  type Pricing,
  Restrictions,
  TariffBody
} from "../../../domain/tariff/Tariff.ts"
import { rule, text, Time } from "../../Fields.ts"
import { assigned, forgiving, mayBeNull } from "../requests/Given.ts"

/** OCPI 2.2.1 `types` §16.3: a display text has 512 characters at most, and a URL 255. */
const displayTextMax = 512
const urlMax = 255

/** Most languages of one text: more than drivers read. */
const languagesMax = 50

/** Longest name within an energy mix (OCPI 2.2.1 §8.4.9), and most sources and impacts in it. */
const mixNameMax = 64
const mixMax = 8

const Element = Schema.Struct({
  priceComponents: Schema.Array(forgiving(PriceComponent.fields)),
  restrictions: mayBeNull(forgiving(Restrictions.fields))
}).annotate({ identifier: "NewTariffElement" })

const Limit = forgiving(PriceLimit.fields)

/** A URL that a browser can open. */
export const Url = text(urlMax).check(
  rule((url: string) => /^https?:\/\//i.test(url) && URL.canParse(url), "Must be an http(s) URL", { format: "uri" })
)

/** A text in one language. */
export const AltText = Schema.Struct({
  language: Schema.String.check(
    rule((code: string) => /^[a-z]{2}$/.test(code), "Must be an ISO 639-1 code, such as en", { pattern: "^[a-z]{2}$" })
  ),
  text: text(displayTextMax)
}).annotate({ identifier: "DisplayText" })

const { energySources, environImpact } = EnergyMix.fields

/** The sources of energy. */
export const Mix = forgiving({
  isGreenEnergy: Schema.Boolean,
  energySources: Schema.optionalKey(energySources.schema.check(Schema.isMaxLength(mixMax))),
  environImpact: Schema.optionalKey(environImpact.schema.check(Schema.isMaxLength(mixMax))),
  supplierName: Schema.optionalKey(text(mixNameMax)),
  energyProductName: Schema.optionalKey(text(mixNameMax))
})

const pricing = {
  currency: Schema.String.annotate({ description: "ISO 4217" }),
  elements: Schema.Array(Element).annotate({
    description:
      "At each moment, the first matching element with a price for a dimension applies; if there is none, the dimension is free"
  })
}

/** Fields that may be left out, or cleared by null. */
const details = {
  minPrice: Limit,
  maxPrice: Limit,
  type: TariffBody.fields.type.schema,
  tariffAltText: Schema.Array(AltText).check(Schema.isMaxLength(languagesMax)),
  tariffAltUrl: Url,
  startDateTime: Time.annotate({ description: "Applies to sessions that start from then on" }),
  endDateTime: Time.annotate({ description: "No longer applies to sessions that start from then on" }),
  energyMix: Mix
}

const segments = (pointer: string): ReadonlyArray<string | number> =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part))

/** Reports everything that prevents the use of a tariff, each at its place. */
const isSound = Schema.makeFilter((given: Pricing) =>
  errorsOf(given).map(({ detail, pointer }) => ({ path: segments(pointer), issue: detail }))
)

interface Validity {
  readonly startDateTime?: number | null
  readonly endDateTime?: number | null
}

const isValidSometime = Schema.makeFilter(({ endDateTime, startDateTime }: Validity) =>
  typeof startDateTime === "number" && typeof endDateTime === "number" && endDateTime <= startDateTime
    ? { path: ["endDateTime"], issue: "Must be later than startDateTime" }
    : undefined
)

/** A whole tariff, to be stored or only previewed. */
export const WholeTariff = Schema.Struct({
  ...pricing,
  minPrice: mayBeNull(details.minPrice),
  maxPrice: mayBeNull(details.maxPrice),
  type: mayBeNull(details.type),
  tariffAltText: mayBeNull(details.tariffAltText),
  tariffAltUrl: mayBeNull(details.tariffAltUrl),
  startDateTime: mayBeNull(details.startDateTime),
  endDateTime: mayBeNull(details.endDateTime),
  energyMix: mayBeNull(details.energyMix),
  ...assigned
})
  .check(isSound, isValidSometime)
  .annotate({ identifier: "NewTariff" })

const cleared = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

export const TariffChange = Schema.Struct({
  currency: Schema.optionalKey(pricing.currency),
  elements: Schema.optionalKey(pricing.elements),
  minPrice: cleared(details.minPrice),
  maxPrice: cleared(details.maxPrice),
  type: cleared(details.type),
  tariffAltText: cleared(details.tariffAltText),
  tariffAltUrl: cleared(details.tariffAltUrl),
  startDateTime: cleared(details.startDateTime),
  endDateTime: cleared(details.endDateTime),
  energyMix: cleared(details.energyMix),
  ...assigned
})
  .check(isValidSometime)
  .annotate({ identifier: "TariffChange" })
