/** Tariffs on the wire of REST v2: OCPI 2.2.1's model in camelCase, checked whole, with every finding at its place. */
import { Schema } from "effect"
import { errorsOf } from "../../domain/tariff/Findings.ts"
import { EnergyMix, PriceLimit, type Pricing, TariffBody, TariffElement } from "../../domain/tariff/Tariff.ts"
import { ChargerId, rule, text, Time, Uuid, whole } from "../Fields.ts"

/** OCPI 2.2.1 `types` §16.3: a display text has 512 characters at most, and a URL 255. */
const displayTextMax = 512
const urlMax = 255

/** Languages of one text; there are not as many that drivers read. */
const languagesMax = 50

/** Names within an energy mix (OCPI 2.2.1 §8.4.9), and how many sources and impacts it can have. */
const mixNameMax = 64
const mixMax = 8

const Element = TariffElement.annotate({ identifier: "TariffElement" })
const Limit = PriceLimit.annotate({ identifier: "PriceLimit" })

const pricing = {
  currency: Schema.String.annotate({ description: "ISO 4217" }),
  elements: Schema.Array(Element).annotate({
    description:
      "For each dimension the first element that matches and has a price for it counts, at each moment; without one it is free"
  }),
  minPrice: Schema.optionalKey(Limit),
  maxPrice: Schema.optionalKey(Limit)
}

const segments = (pointer: string): ReadonlyArray<string | number> =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part))

/** Everything that keeps a tariff from being used, each at its place. */
const isSound = Schema.makeFilter((given: Pricing) =>
  errorsOf(given).map(({ detail, pointer }) => ({ path: segments(pointer), issue: detail }))
)

/** What prices a session. */
export const TariffPricing = Schema.Struct(pricing).check(isSound).annotate({ identifier: "TariffPricing" })

const Url = text(urlMax).check(
  rule((url: string) => /^https?:\/\//i.test(url) && URL.canParse(url), "Must be an http(s) URL", { format: "uri" })
)

const AltText = Schema.Struct({
  language: Schema.String.check(
    rule((code: string) => /^[a-z]{2}$/.test(code), "Must be an ISO 639-1 code, as in en", { pattern: "^[a-z]{2}$" })
  ),
  text: text(displayTextMax)
}).annotate({ identifier: "DisplayText" })

const { energySources, environImpact } = EnergyMix.fields

const Mix = Schema.Struct({
  isGreenEnergy: Schema.Boolean,
  energySources: Schema.optionalKey(energySources.schema.check(Schema.isMaxLength(mixMax))),
  environImpact: Schema.optionalKey(environImpact.schema.check(Schema.isMaxLength(mixMax))),
  supplierName: Schema.optionalKey(text(mixNameMax)),
  energyProductName: Schema.optionalKey(text(mixNameMax))
}).annotate({ identifier: "EnergyMix" })

const details = {
  type: TariffBody.fields.type.schema,
  tariffAltText: Schema.Array(AltText).check(Schema.isMaxLength(languagesMax)),
  tariffAltUrl: Url,
  startDateTime: Time.annotate({ description: "Sessions that start from then on have it" }),
  endDateTime: Time.annotate({ description: "Sessions that start from then on do not have it any more" }),
  energyMix: Mix
}

interface Validity {
  readonly startDateTime?: number | null
  readonly endDateTime?: number | null
}

const isValidSometime = Schema.makeFilter(({ endDateTime, startDateTime }: Validity) =>
  typeof startDateTime === "number" && typeof endDateTime === "number" && endDateTime <= startDateTime
    ? { path: ["endDateTime"], issue: "Must be later than startDateTime" }
    : undefined
)

export const NewTariff = Schema.Struct({
  ...pricing,
  type: Schema.optionalKey(details.type),
  tariffAltText: Schema.optionalKey(details.tariffAltText),
  tariffAltUrl: Schema.optionalKey(details.tariffAltUrl),
  startDateTime: Schema.optionalKey(details.startDateTime),
  endDateTime: Schema.optionalKey(details.endDateTime),
  energyMix: Schema.optionalKey(details.energyMix)
})
  .check(isSound, isValidSometime)
  .annotate({ identifier: "NewTariff" })

const cleared = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

export const TariffChange = Schema.Struct({
  currency: Schema.optionalKey(pricing.currency),
  elements: Schema.optionalKey(pricing.elements),
  minPrice: cleared(Limit),
  maxPrice: cleared(Limit),
  type: cleared(details.type),
  tariffAltText: cleared(details.tariffAltText),
  tariffAltUrl: cleared(details.tariffAltUrl),
  startDateTime: cleared(details.startDateTime),
  endDateTime: cleared(details.endDateTime),
  energyMix: cleared(details.energyMix)
})
  .check(isValidSometime)
  .annotate({ identifier: "TariffChange" })

export const Warning = Schema.Struct({ pointer: Schema.String, detail: Schema.String }).annotate({
  identifier: "TariffWarning"
})

/** An amount on the wire, without and with VAT. */
export const prices = { exclVat: Schema.Finite, inclVat: Schema.Finite }

export const Price = Schema.Struct(prices).annotate({ identifier: "Price" })

/** A stretch in which nothing changed that matters for the price. */
export const Period = Schema.Struct({
  startedAt: Time,
  endedAt: Time,
  energyWh: Schema.Int,
  charging: Schema.Boolean,
  reserved: Schema.optionalKey(Schema.Literal(true)).annotate({
    description: "True of the time for which a connector was kept before the session"
  }),
  maxPowerW: Schema.optionalKey(Schema.Finite).annotate({ description: "W; the highest that was measured" }),
  maxCurrentA: Schema.optionalKey(Schema.Finite).annotate({ description: "A; the highest sum over all phases" }),
  stateOfCharge: Schema.optionalKey(Schema.Finite).annotate({ description: "Percent; the last that was told" }),
  elements: Schema.Record(Schema.String, Schema.Int).annotate({
    description: "Which element prices each dimension; one that is missing is free"
  })
}).annotate({ identifier: "PricedPeriod" })

export const Tariff = Schema.Struct({
  id: Schema.String,
  version: Schema.Int.annotate({ description: "Each change makes another; a session keeps the one it began under" }),
  currency: Schema.String,
  elements: Schema.Array(Element),
  minPrice: Schema.NullOr(Limit),
  maxPrice: Schema.NullOr(Limit),
  type: Schema.NullOr(details.type),
  tariffAltText: Schema.Array(Schema.Struct({ language: Schema.String, text: Schema.String })),
  tariffAltUrl: Schema.NullOr(Schema.String),
  startDateTime: Schema.NullOr(Time),
  endDateTime: Schema.NullOr(Time),
  energyMix: Schema.NullOr(EnergyMix),
  warnings: Schema.Array(Warning).annotate({ description: "What its author may not have meant" }),
  createdAt: Time,
  lastUpdated: Time
}).annotate({ identifier: "Tariff" })

const connector = {
  chargerId: ChargerId,
  connectorId: whole(1, 999),
  evseId: Schema.optionalKey(whole(1, 999).annotate({ description: "Without it connectorId is OCPP 1.6's" }))
}

/** Exactly one of the four. */
export const Assignment = Schema.Struct({
  default: Schema.optionalKey(Schema.Literal(true).annotate({ description: "The whole organisation" })),
  siteId: Schema.optionalKey(Uuid),
  chargerId: Schema.optionalKey(ChargerId),
  connector: Schema.optionalKey(Schema.Struct(connector))
})
  .check(
    rule(
      (given: object) => Object.values(given).filter((one) => one !== undefined).length === 1,
      "Must name one of default, siteId, chargerId and connector"
    )
  )
  .annotate({ identifier: "TariffAssignment" })

const ConnectorNumber = Schema.String.check(
  rule((n: string) => /^[1-9]\d{0,2}$/.test(n), "Must be a whole number from 1 to 999", {
    pattern: "^[1-9][0-9]{0,2}$"
  })
)

/** The same in a query; `connectorId` (and `evseId`) beside `chargerId` name a connector. */
export const AssignmentQuery = {
  default: Schema.optionalKey(Schema.Literal("true")),
  siteId: Schema.optionalKey(Uuid),
  chargerId: Schema.optionalKey(ChargerId),
  connectorId: Schema.optionalKey(ConnectorNumber),
  evseId: Schema.optionalKey(ConnectorNumber)
}

export const Assignments = Schema.Struct({ items: Schema.Array(Assignment) }).annotate({
  identifier: "TariffAssignments"
})
