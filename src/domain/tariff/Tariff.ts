/**
 * A tariff in OCPI 2.2.1's model (`mod_tariffs`): elements in order, each a set of prices under restrictions. Prices are without VAT, per kWh or
 * hour. Time restrictions are in the local time of the charger's site.
 */
import { Schema } from "effect"

export const Dimension = Schema.Literals(["ENERGY", "FLAT", "PARKING_TIME", "TIME"])
export type Dimension = typeof Dimension.Type

export const PriceComponent = Schema.Struct({
  type: Dimension,
  price: Schema.Finite,
  /** Percent; missing means that no VAT applies, which is not the same as 0. */
  vat: Schema.optionalKey(Schema.Finite),
  /** Wh, or seconds; 0 means that nothing is rounded up. */
  stepSize: Schema.Int
})
export type PriceComponent = typeof PriceComponent.Type

export const weekdays = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"] as const

export const Restrictions = Schema.Struct({
  /** HH:MM, inclusive. An end time that is not later than the start time is on the next day. */
  startTime: Schema.optionalKey(Schema.String),
  /** HH:MM, exclusive; 00:00 is the end of the day. */
  endTime: Schema.optionalKey(Schema.String),
  /** YYYY-MM-DD, inclusive and exclusive. */
  startDate: Schema.optionalKey(Schema.String),
  endDate: Schema.optionalKey(Schema.String),
  /** Energy of the session so far, inclusive and exclusive. */
  minKwh: Schema.optionalKey(Schema.Finite),
  maxKwh: Schema.optionalKey(Schema.Finite),
  /** A, the sum over all phases; inclusive and exclusive. */
  minCurrent: Schema.optionalKey(Schema.Finite),
  maxCurrent: Schema.optionalKey(Schema.Finite),
  /** kW, inclusive and exclusive. */
  minPower: Schema.optionalKey(Schema.Finite),
  maxPower: Schema.optionalKey(Schema.Finite),
  /** Seconds since the session began, inclusive and exclusive. */
  minDuration: Schema.optionalKey(Schema.Int),
  maxDuration: Schema.optionalKey(Schema.Int),
  dayOfWeek: Schema.optionalKey(Schema.Array(Schema.Literals(weekdays))),
  /** The element applies only to reservations. */
  reservation: Schema.optionalKey(Schema.Literals(["RESERVATION", "RESERVATION_EXPIRES"]))
})
export type Restrictions = typeof Restrictions.Type

export const TariffElement = Schema.Struct({
  priceComponents: Schema.Array(PriceComponent),
  restrictions: Schema.optionalKey(Restrictions)
})
export type TariffElement = typeof TariffElement.Type

/** A limit for the price of the whole session. Its two figures apply separately. */
export const PriceLimit = Schema.Struct({ exclVat: Schema.Finite, inclVat: Schema.optionalKey(Schema.Finite) })
export type PriceLimit = typeof PriceLimit.Type

/** The parts of a tariff that pricing needs. */
export const Pricing = Schema.Struct({
  /** ISO 4217. */
  currency: Schema.String,
  elements: Schema.Array(TariffElement),
  minPrice: Schema.optionalKey(PriceLimit),
  maxPrice: Schema.optionalKey(PriceLimit)
})
export type Pricing = typeof Pricing.Type

/** Whether the tariff has prices for reservations. */
export const chargesForReservations = (elements: ReadonlyArray<TariffElement>): boolean =>
  elements.some(({ restrictions }) => restrictions?.reservation !== undefined)

/** OCPI 2.2.1's `EnergyMix`. */
export const EnergyMix = Schema.Struct({
  isGreenEnergy: Schema.Boolean,
  energySources: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        source: Schema.Literals([
          "NUCLEAR",
          "GENERAL_FOSSIL",
          "COAL",
          "GAS",
          "GENERAL_GREEN",
          "SOLAR",
          "WIND",
          "WATER"
        ]),
        percentage: Schema.Finite
      })
    )
  ),
  environImpact: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({ category: Schema.Literals(["NUCLEAR_WASTE", "CARBON_DIOXIDE"]), amount: Schema.Finite })
    )
  ),
  supplierName: Schema.optionalKey(Schema.String),
  energyProductName: Schema.optionalKey(Schema.String)
})

/** A tariff as its author writes it. */
export const TariffBody = Schema.Struct({
  ...Pricing.fields,
  type: Schema.optionalKey(
    Schema.Literals(["AD_HOC_PAYMENT", "PROFILE_CHEAP", "PROFILE_FAST", "PROFILE_GREEN", "REGULAR"])
  ),
  tariffAltText: Schema.optionalKey(Schema.Array(Schema.Struct({ language: Schema.String, text: Schema.String }))),
  tariffAltUrl: Schema.optionalKey(Schema.String),
  /** ms epoch; sessions that start before `startDateTime`, or at or after `endDateTime`, have another tariff. */
  startDateTime: Schema.optionalKey(Schema.Finite),
  endDateTime: Schema.optionalKey(Schema.Finite),
  energyMix: Schema.optionalKey(EnergyMix)
})
export type TariffBody = typeof TariffBody.Type

export interface Tariff {
  readonly id: string
  readonly organisationId: string
  /** Each change makes another version. A session keeps the version that was in force when it began. */
  readonly version: number
  readonly body: TariffBody
  readonly createdAt: number
  readonly updatedAt: number
}

/** What a tariff is assigned to. Of several assignments the narrowest applies whose tariff is valid when the session starts. */
export type Assignment =
  | { readonly scope: "organisation" }
  | { readonly scope: "site"; readonly siteId: string }
  | { readonly scope: "charger"; readonly chargerId: string }
  | { readonly scope: "connector"; readonly chargerId: string; readonly evseId: number; readonly connectorId: number }

export const assignmentScopes = ["organisation", "site", "charger", "connector"] as const satisfies ReadonlyArray<
  Assignment["scope"]
>
