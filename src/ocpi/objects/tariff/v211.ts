/**
 * Tariffs in OCPI 2.1.1 §11.3: prices without VAT. It loses the party, VAT, minimum and maximum prices, and the tariff's type and validity.
 * Elements for reservations or with current restrictions are left out: without that restriction they would apply where they should not.
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

/** A tariff must have an element. If none about charging can be expressed, charging is shown as free. */
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
