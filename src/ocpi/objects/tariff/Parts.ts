/** What tariffs have in common in all versions (OCPI 2.1.1 §11, 2.2.1 §11). */
import type { PartyId } from "../../../domain/values/PartyId.ts"
import type { Restrictions, Tariff, TariffBody } from "../../../domain/tariff/Tariff.ts"
import { cutTo, field, list, urlWithin } from "../Strict.ts"

/** A tariff with the party that it belongs to. */
export interface PartyTariff {
  readonly party: PartyId
  readonly tariff: Tariff
}

/** Restrictions that every version has. */
export const commonRestrictions = (given: Restrictions) => ({
  ...field("start_time", given.startTime),
  ...field("end_time", given.endTime),
  ...field("start_date", given.startDate),
  ...field("end_date", given.endDate),
  ...field("min_kwh", given.minKwh),
  ...field("max_kwh", given.maxKwh),
  ...field("min_power", given.minPower),
  ...field("max_power", given.maxPower),
  ...field("min_duration", given.minDuration),
  ...field("max_duration", given.maxDuration),
  ...list("day_of_week", given.dayOfWeek ?? [])
})

/** An element's restrictions, left out if there are none. */
export const restrictionsField = (restrictions: object) =>
  field("restrictions", Object.keys(restrictions).length === 0 ? undefined : restrictions)

/** The texts for drivers. */
export const altOf = ({ tariffAltText, tariffAltUrl }: TariffBody) => ({
  ...list(
    "tariff_alt_text",
    (tariffAltText ?? []).map(({ language, text }) => ({ language: cutTo(language, 2), text: cutTo(text, 512) }))
  ),
  ...field("tariff_alt_url", urlWithin(tariffAltUrl))
})

/** `impact` is the version's name for the category of an environmental impact. */
export const mixOf = (mix: TariffBody["energyMix"], impact: "source" | "category") =>
  mix === undefined
    ? undefined
    : {
        is_green_energy: mix.isGreenEnergy,
        ...list("energy_sources", mix.energySources ?? []),
        ...list(
          "environ_impact",
          (mix.environImpact ?? []).map(({ amount, category }) => ({ [impact]: category, amount }))
        ),
        ...field("supplier_name", mix.supplierName === undefined ? undefined : cutTo(mix.supplierName, 64)),
        ...field(
          "energy_product_name",
          mix.energyProductName === undefined ? undefined : cutTo(mix.energyProductName, 64)
        )
      }
