/**
 * Tariffs in OCPI 2.1.1 §11.3: prices without VAT. Lost there: the party, VAT, least and highest prices, the tariff's type and the time in which it is valid,
 * and elements about reservations or restricted by current, as they would count where they do not without what restricts them.
 */
import { isPlain } from "../../../domain/tariff/Plain.ts"
import type { TariffElement } from "../../../domain/tariff/Tariff.ts"
import { printTimestamp } from "../../protocol/Timestamp.ts"
import { field, type WireEncoder } from "../Strict.ts"
import { altOf, commonRestrictions, mixOf, type PartyTariff, restrictionsField } from "./Parts.ts"

const elementOf = ({ priceComponents, restrictions }: TariffElement) => ({
  price_components: priceComponents.map(({ price, stepSize, type }) => ({ type, price, step_size: stepSize })),
  ...restrictionsField(commonRestrictions(restrictions ?? {}))
})

/** A tariff must have an element: where nothing can be said of charging, it costs nothing. */
const free = { price_components: [{ type: "FLAT", price: 0, step_size: 1 }] }

export const tariffV211: WireEncoder<PartyTariff> = {
  encode: ({ tariff: { body, id, updatedAt } }) => {
    const elements = body.elements.filter(isPlain).map(elementOf)
    return {
      id,
      currency: body.currency,
      ...altOf(body),
      elements: elements.length === 0 ? [free] : elements,
      ...field("energy_mix", mixOf(body.energyMix, "source")),
      last_updated: printTimestamp(updatedAt)
    }
  }
}
