/** Tariffs in OCPI 2.2 and 2.2.1 §11.3, after which the domain's tariffs are modelled. Only texts that are too long are cut. */
import type { PriceLimit, TariffElement } from "../../../domain/tariff/Tariff.ts"
import { printTimestamp } from "../../protocol/Timestamp.ts"
import { field, type WireEncoder } from "../Strict.ts"
import { altOf, commonRestrictions, mixOf, type PartyTariff, restrictionsField } from "./Parts.ts"

const elementOf = ({ priceComponents, restrictions = {} }: TariffElement) => ({
  price_components: priceComponents.map(({ price, stepSize, type, vat }) => ({
    type,
    price,
    ...field("vat", vat),
    step_size: stepSize
  })),
  ...restrictionsField({
    ...commonRestrictions(restrictions),
    ...field("min_current", restrictions.minCurrent),
    ...field("max_current", restrictions.maxCurrent),
    ...field("reservation", restrictions.reservation)
  })
})

const priceOf = (limit: PriceLimit | undefined) =>
  limit === undefined ? undefined : { excl_vat: limit.exclVat, ...field("incl_vat", limit.inclVat) }

const timeOf = (at: number | undefined) => (at === undefined ? undefined : printTimestamp(at))

export const tariffV22: WireEncoder<PartyTariff> = {
  encode: ({ party, tariff: { body, id, updatedAt } }) => ({
    country_code: party.countryCode,
    party_id: party.partyId,
    id,
    currency: body.currency,
    ...field("type", body.type),
    ...altOf(body),
    ...field("min_price", priceOf(body.minPrice)),
    ...field("max_price", priceOf(body.maxPrice)),
    elements: body.elements.map(elementOf),
    ...field("start_date_time", timeOf(body.startDateTime)),
    ...field("end_date_time", timeOf(body.endDateTime)),
    ...field("energy_mix", mixOf(body.energyMix, "category")),
    last_updated: printTimestamp(updatedAt)
  })
}
