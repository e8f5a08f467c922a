/** Descriptions of tariffs, their assignments, and their prices for examples. */
import type { Descriptions } from "../../openapi/Descriptions.ts"
import { ids } from "./Common.ts"

const element = {
  priceComponents: [{ type: "ENERGY", price: 0.51, vat: 21, stepSize: 1 }],
  restrictions: { dayOfWeek: ["MONDAY"], startTime: "07:00", endTime: "19:00" }
}

export const tariffDescriptions: Descriptions["properties"] = {
  "Tariff.id": ["The tariff's id", ids.tariff],
  elements: ["At each moment, the first matching element with a price for a dimension applies", [element]],
  minPrice: ["The minimum price of a session; null for none"],
  maxPrice: ["The maximum price of a session; null for none"],
  "minPrice.exclVat": ["The minimum without VAT", 0.5],
  "minPrice.inclVat": ["The minimum with VAT; missing or null if only the other limits the price", 0.6],
  "maxPrice.exclVat": ["The maximum without VAT", 60],
  "maxPrice.inclVat": ["The maximum with VAT; missing or null if only the other limits the price", 72.6],
  "PriceLimit.exclVat": ["The limit without VAT", 60],
  "PriceLimit.inclVat": ["The limit with VAT; missing if only the other limits the price", 72.6],
  "RunningTariffVersions.items": [
    "Newest version first; versions without running sessions or reservations are left out"
  ],
  "RunningTariffVersion.version": ["The version of the tariff", 2],
  "RunningTariffVersion.sessions": ["Running sessions that began under it", 12],
  "RunningTariffVersion.reservations": ["Reservations that began under it and that cost something", 1],
  "Tariff.type": ["OCPI's TariffType: who it is for; null for everyone"],
  "NewTariff.type": ["OCPI's TariffType: who it is for; null for everyone"],
  "TariffChange.type": ["OCPI's TariffType: who it is for; null for everyone"],
  tariffAltText: ["The text that drivers see instead of the figures, one per language"],
  "tariffAltText.language": ["ISO 639-1", "en"],
  "tariffAltText.text": ["The text that drivers see, at most 512 characters", "€ 0.51 per kWh"],
  tariffAltUrl: ["URL of a page for drivers about the tariff; null for none", "https://example.com/prices"],
  startDateTime: ["Applies to sessions that start from then on; null: at once"],
  endDateTime: ["No longer applies to sessions that start from then on; null: never", "2027-12-31T23:00:00.000Z"],
  warnings: ["Probable mistakes in the tariff; empty if there are none"],
  "TariffWarning.pointer": ["JSON Pointer into the tariff", "/elements/1"],
  "TariffWarning.detail": [
    "What is probably a mistake",
    "Never applies: element 0 comes first and matches whenever this one does. Put the more specific element first."
  ],
  priceComponents: ["The prices, at most one per dimension"],
  "priceComponents.type": ["What is priced: energy, time charging, time parked, or the session as a whole (once)"],
  price: ["Price without VAT per kWh, per hour, or once", 0.51],
  stepSize: ["The step to round up to: Wh of energy, seconds of time; 0: no rounding", 1],
  restrictions: ["When the element applies; missing or null: always"],
  startTime: ["Local time of day, `HH:MM`, from which it applies", "07:00"],
  endTime: ["Local time of day, `HH:MM`, until which it applies; on the next day if not later than startTime", "19:00"],
  startDate: ["Local day, `YYYY-MM-DD`, from which it applies", "2026-11-01"],
  endDate: ["Local day, `YYYY-MM-DD`, before which it applies", "2027-11-01"],
  minKwh: ["Applies from this energy of the session, in kWh", 10],
  maxKwh: ["Applies up to this energy of the session, in kWh", 50],
  minCurrent: ["Applies from this current, in amperes, summed over all phases", 16],
  maxCurrent: ["Applies below this current, in amperes, summed over all phases", 96],
  minPower: ["Applies from this power, in kW", 11],
  maxPower: ["Applies below this power, in kW", 50],
  minDuration: ["Applies from this duration of the session, in seconds", 3600],
  maxDuration: ["Applies up to this duration of the session, in seconds", 14400],
  dayOfWeek: ["Local days on which it applies; default: all", ["SATURDAY", "SUNDAY"]],
  "restrictions.reservation": ["Applies only to a reservation that was used, or only to one that expired unused"],

  // What a tariff is for.
  "TariffAssignments.items": ["What the tariff is assigned to"],
  "TariffAssignment.default": ["The whole organisation, unless a narrower assignment exists"],
  "TariffAssignment.siteId": ["Every charger of this site", ids.site],
  "TariffAssignment.chargerId": ["Every connector of this charger", "CP-7"],
  "TariffAssignment.connector": ["One connector"],
  "connector.evseId": ["The connector's EVSE; if it is left out, connectorId is OCPP 1.6's", 1],
  "tariffs.unassign.query.default": ["The organisation's default", "true"],
  "tariffs.unassign.query.chargerId": ["This charger or, with connectorId, one of its connectors", "CP-7"],
  "tariffs.unassign.query.connectorId": ["One connector of the charger", 1],
  "tariffs.unassign.query.evseId": ["The connector's EVSE; if it is left out, connectorId is OCPP 1.6's", 1],

  // Where tariffs are assigned.
  "PlacedTariffAssignment.scope": [
    "The scope of the assignment: the organisation, a site, a charger or a connector",
    "charger"
  ],
  "PlacedTariffAssignment.siteId": ["The site, or the charger's site; null for the organisation", ids.site],
  "PlacedTariffAssignment.chargerId": ["The charger; null for a wider scope", "CP-7"],
  "PlacedTariffAssignment.evseId": ["The connector's EVSE; null for a wider scope", 1],
  "PlacedTariffAssignment.connectorId": ["The connector; null for a wider scope", 1],
  assignedAt: ["When it was assigned"],
  "tariffs.listAssignments.query.tariffId": ["Of this tariff", ids.tariff],
  "JudgedTariffAssignment.version": ["The version that sessions get", 3],
  "JudgedTariffAssignment.scope": ["The scope of the assignment", "site"],
  "JudgedTariffAssignment.siteId": ["The charger's site; null for the organisation", ids.site],
  "JudgedTariffAssignment.chargerId": ["The charger; null for a wider scope", "CP-7"],
  "JudgedTariffAssignment.evseId": ["The connector's EVSE; null for a wider scope", 1],
  "JudgedTariffAssignment.connectorId": ["The connector; null for a wider scope", 1],
  verdict: ["Whether the assignment applies to a session that starts at that time, and if not, why"],
  "ChargerTariffs.items": ["The charger's connectors"],
  "ConnectorTariff.tariffId": [
    "The tariff that a session gets; null for none: the session then has no price",
    ids.tariff
  ],
  "ConnectorTariff.version": ["The version that it gets; null if there is no tariff", 3],
  "ConnectorTariff.assignments": ["All assignments that cover this connector, the narrowest first"],
  "tariffs.ofCharger.query.at": ["When the session starts; default: now", "2026-12-24T18:00:00Z"],

  // Previews.
  "NewTariffPreview.tariff": ["The tariff, as it would be stored"],
  "NewTariffPreview.session": ["The session that is priced"],
  "NewTariffPreview.reservation": ["The reservation before it; null for none"],
  readings: ["Meter readings in order of time"],
  powerW: ["Watts at that moment; null if unknown", 11040],
  currentA: ["Amperes at that moment, summed over all phases; null if unknown", 48],
  statuses: ["The connector's statuses, which distinguish charging from parking; null for none"],
  "statuses.status": ["The connector's status from then on, in OCPP 1.6's terms"],
  standbyPowerW: ["Watts; a vehicle that takes less counts as parked if the charger does not report its state", 100],
  "TariffPreview.cost": ["What the session costs"],
  costs: ["The cost, split by dimension"],
  fixed: ["For flat fees, charged once for the session"],
  energy: ["For energy"],
  time: ["For time in which the vehicle charged"],
  parking: ["For time in which the vehicle only parked"],
  "costs.reservation": ["For reserving the connector"],
  lines: ["How the price is calculated, one line for each price that was used"],

  // The week of a tariff.
  "NewTariffWeek.tariff": ["The tariff, as it would be stored"],
  "NewTariffWeek.startDate": ["The first of seven local days, `YYYY-MM-DD`", "2026-11-23"],
  "NewTariffWeek.powerW": ["Watts that the vehicle takes at first; default 11040", 11040],
  "NewTariffWeek.currentA": ["Amperes that it takes at first, summed over all phases; default 48", 48],
  bands: ["Each distinct set of prices, in the order of the week"],
  "TariffWeekBand.prices": ["The price of each dimension that the tariff mentions"],
  "TariffWeekPrice.dimension": ["What is priced"],
  "TariffWeekPrice.element": [
    "The element that applies when the session starts, counted from 0; null if it is free",
    0
  ],
  "TariffWeekPrice.price": ["Price of one unit without VAT: per kWh, per hour, or once; 0 if it is free", 0.51],
  "TariffWeekPrice.vat": ["VAT on the price in percent; null if none applies", 21],
  later: ["Elements that may apply later in the session, by its time, energy, power or current", [1]],
  "TariffWeek.periods": ["The seven days in order, each from 00:00 to 24:00 without gaps"],
  day: ["The day of the week", "MONDAY"],
  date: ["The local day, `YYYY-MM-DD`", "2026-11-23"],
  "TariffWeekPeriod.startTime": ["Local time of day, `HH:MM`, from which the prices apply", "07:00"],
  "TariffWeekPeriod.endTime": ["Local time of day until which they apply; `24:00` is the end of the day", "19:00"],
  band: ["The prices that apply: the index in `bands`, from 0", 0],
  gaps: ["Times at which a dimension that costs something at other times is free, because no element matches"],
  "TariffWeekGap.dimension": ["The dimension that is free then"],
  "TariffWeekGap.days": ["The days of the week", ["SUNDAY"]],
  "TariffWeekGap.startTime": ["Local time of day, `HH:MM`, from which it is free", "06:00"],
  "TariffWeekGap.endTime": ["Local time of day until which it is free", "08:00"],

  // Prices line by line.
  "PriceLine.kind": ["What the line is for"],
  dimension: ["The dimension that the line prices; null for amounts from limits and rounding"],
  element: ["The tariff's element, counted from 0; null if no element prices the line", 0],
  "PriceLine.reservation": ["True if the line is for a reservation"],
  "PriceLine.from": ["When the element first priced something; null for amounts from limits and rounding"],
  "PriceLine.to": ["When the element last priced something; null for amounts from limits and rounding"],
  "PriceLine.unit": ["The unit of the price; null for amounts from limits and rounding", "kWh"],
  "PriceLine.price": ["Price of one unit without VAT; null for amounts from limits and rounding", 0.51],
  "PriceLine.vat": ["VAT on the price in percent; null if none applies", 21],
  volume: ["The quantity used: kWh, hours, or 1; null for amounts from limits and rounding", 24.5],
  billedVolume: ["The billed quantity, after rounding up to the step size; null if `volume` is null", 24.5],
  "PriceLine.restrictions": ["When the element applies, as short text; null for always", "07:00–19:00, Mo–Fr"],
  "PriceLine.note": [
    "A further explanation of the line, such as the quantity added by a step; null for none",
    "A step of 1 kWh adds 0.5 kWh"
  ],
  "PriceExplanation.tariff": ["The tariff version that priced it; null if none was assigned when it began"],
  "PricedByTariff.id": ["The tariff's id", ids.tariff],
  "PricedByTariff.name": ["The first of its texts for drivers; null if it has none", "€ 0.51 per kWh"],
  "PriceExplanation.total": ["The sum of the lines: the session's cost, or the record's total"],
  "ExplainedTotal.vat": ["inclVat minus exclVat, in the given currency", 2.65],
  provisional: ["True while the session runs: quantities are not rounded up to steps yet", false],
  "PriceExplanation.held": [
    "Why the session is held, so that it is not billed until an operator releases or corrects it; null if it is not held",
    null
  ]
}
