/**
 * A tariff in OCPI 2.2.1's model (`mod_tariffs`): elements in order, each a set of prices under restrictions. Prices are without VAT, per kWh
 * or hour; restrictions of time are local to the charger's site.
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
  /** HH:MM, inclusive; an end that is not later than its start is on the next day. */
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
  /** The element is about a reservation, and about nothing else. */
  reservation: Schema.optionalKey(Schema.Literals(["RESERVATION", "RESERVATION_EXPIRES"]))
})
export type Restrictions = typeof Restrictions.Type

export const TariffElement = Schema.Struct({
  priceComponents: Schema.Array(PriceComponent),
  restrictions: Schema.optionalKey(Restrictions)
})
export type TariffElement = typeof TariffElement.Type

/** A bound of the whole session's price; each of the two figures bounds by itself. */
export const PriceLimit = Schema.Struct({ exclVat: Schema.Finite, inclVat: Schema.optionalKey(Schema.Finite) })
export type PriceLimit = typeof PriceLimit.Type

/** What pricing needs of a tariff. */
export const Pricing = Schema.Struct({
  /** ISO 4217. */
  currency: Schema.String,
  elements: Schema.Array(TariffElement),
  minPrice: Schema.optionalKey(PriceLimit),
  maxPrice: Schema.optionalKey(PriceLimit)
})
export type Pricing = typeof Pricing.Type
