/** Words on tariffs, what they are for, and what they come to on an example. */
import type { Descriptions } from "../../openapi/Descriptions.ts"
import { ids } from "./Common.ts"

const element = {
  priceComponents: [{ type: "ENERGY", price: 0.51, vat: 21, stepSize: 1 }],
  restrictions: { dayOfWeek: ["MONDAY"], startTime: "07:00", endTime: "19:00" }
}

export const tariffDescriptions: Descriptions["properties"] = {
  "Tariff.id": ["The tariff's id", ids.tariff],
  elements: [
    "For each dimension the first element that matches and has a price for it counts, at each moment",
    [element]
  ],
  minPrice: ["The least that a session costs; null for no such limit"],
  maxPrice: ["The most that a session costs; null for no such limit"],
  "minPrice.exclVat": ["The least without VAT", 0.5],
  "minPrice.inclVat": ["The least with VAT; missing or null where only the other bounds", 0.6],
  "maxPrice.exclVat": ["The most without VAT", 60],
  "maxPrice.inclVat": ["The most with VAT; missing or null where only the other bounds", 72.6],
  "PriceLimit.exclVat": ["The bound without VAT", 60],
  "PriceLimit.inclVat": ["The bound with VAT; missing where only the other bounds", 72.6],
  "RunningTariffVersions.items": ["Newest version first; versions under which nothing runs are left out"],
  "RunningTariffVersion.version": ["The version of the tariff that they keep", 2],
  "RunningTariffVersion.sessions": ["Sessions that began under it and go on", 12],
  "RunningTariffVersion.reservations": ["Reservations that began under it and cost something", 1],
  "Tariff.type": ["OCPI's TariffType: whom it is for; null for everybody"],
  "NewTariff.type": ["OCPI's TariffType: whom it is for; null for everybody"],
  "TariffChange.type": ["OCPI's TariffType: whom it is for; null for everybody"],
  tariffAltText: ["What drivers are shown in place of the figures, one text in each language"],
  "tariffAltText.language": ["ISO 639-1", "en"],
  "tariffAltText.text": ["What drivers are shown, at most 512 characters", "€ 0.51 per kWh"],
  tariffAltUrl: ["Address where drivers read about it; null for none", "https://example.com/prices"],
  startDateTime: ["Sessions that start from then on have it; null: at once"],
  endDateTime: ["Sessions that start from then on do not have it any more; null: never", "2027-12-31T23:00:00.000Z"],
  warnings: ["What its author may not have meant; empty where nothing is strange"],
  "TariffWarning.pointer": ["JSON Pointer into the tariff", "/elements/1"],
  "TariffWarning.detail": ["What is strange about it", "Is never reached: the element before it has no restrictions"],
  priceComponents: ["The prices, at most one for each dimension"],
  "priceComponents.type": ["The dimension that is priced: energy, time charging, time parked, or once for the session"],
  price: ["Price without VAT for a kWh, an hour, or once", 0.51],
  stepSize: ["What is rounded up to: Wh of energy, seconds of time; 0 rounds nothing", 1],
  restrictions: ["When it counts; without any, or with null, at all times"],
  startTime: ["Local time of day, `HH:MM`, from which it counts", "07:00"],
  endTime: [
    "Local time of day, `HH:MM`, until which it counts; one that is not later than startTime is on the next day",
    "19:00"
  ],
  startDate: ["Local day, `YYYY-MM-DD`, from which it counts", "2026-11-01"],
  endDate: ["Local day, `YYYY-MM-DD`, before which it counts", "2027-11-01"],
  minKwh: ["Counts once the session has taken so many kWh", 10],
  maxKwh: ["Counts until the session has taken so many kWh", 50],
  minCurrent: ["Counts from so many amperes on, summed over all phases", 16],
  maxCurrent: ["Counts below so many amperes, summed over all phases", 96],
  minPower: ["Counts from so many kW on", 11],
  maxPower: ["Counts below so many kW", 50],
  minDuration: ["Counts once the session has lasted so many seconds", 3600],
  maxDuration: ["Counts until the session has lasted so many seconds", 14400],
  dayOfWeek: ["Local days on which it counts; all without it", ["SATURDAY", "SUNDAY"]],
  "restrictions.reservation": ["Prices a reservation that was used, or one that expired unused, and nothing else"],

  // What a tariff is for.
  "TariffAssignments.items": ["What the tariff is assigned to"],
  "TariffAssignment.default": ["The whole organisation, where nothing narrower has a tariff"],
  "TariffAssignment.siteId": ["Every charger of this site", ids.site],
  "TariffAssignment.chargerId": ["Every connector of this charger", "CP-7"],
  "TariffAssignment.connector": ["One connector"],
  "connector.evseId": ["The connector's EVSE; without it connectorId is OCPP 1.6's", 1],
  "tariffs.unassign.query.default": ["The organisation's default", "true"],
  "tariffs.unassign.query.chargerId": ["This charger, or with connectorId one connector of it", "CP-7"],
  "tariffs.unassign.query.connectorId": ["One connector of the charger", 1],
  "tariffs.unassign.query.evseId": ["The connector's EVSE; without it connectorId is OCPP 1.6's", 1],

  // Previews.
  "NewTariffPreview.tariff": ["The tariff, as it would be stored"],
  "NewTariffPreview.session": ["The session that is priced"],
  "NewTariffPreview.reservation": ["The reservation before it; null for none"],
  readings: ["Meter readings in order of time"],
  powerW: ["Watts at that moment; null where they are not known", 11040],
  currentA: ["Amperes at that moment, the sum over all phases; null where they are not known", 48],
  statuses: ["What the connector reported, by which charging and parking are distinguished; null for nothing"],
  "statuses.status": ["The connector's status from then on, in OCPP 1.6's words"],
  standbyPowerW: ["Watts; a vehicle that takes less is parked, where the charger does not say what it does", 100],
  "TariffPreview.cost": ["What the session costs"],
  costs: ["The same by what it is for"],
  fixed: ["For flat prices, once for the session"],
  energy: ["For energy"],
  time: ["For time in which the vehicle charged"],
  parking: ["For time in which the vehicle only parked"],
  "costs.reservation": ["For keeping the connector"],
  lines: ["How the price comes about, one line for each price that was used"],

  // The week of a tariff.
  "NewTariffWeek.tariff": ["The tariff, as it would be stored"],
  "NewTariffWeek.startDate": ["The first of seven local days, `YYYY-MM-DD`", "2026-11-23"],
  "NewTariffWeek.powerW": ["Watts that the vehicle takes at first; 11040 without it", 11040],
  "NewTariffWeek.currentA": ["Amperes that it takes at first, the sum over all phases; 48 without it", 48],
  bands: ["Each set of prices once, in the order of the week"],
  "TariffWeekBand.prices": ["The price of each dimension that the tariff speaks of"],
  "TariffWeekPrice.dimension": ["What is priced"],
  "TariffWeekPrice.element": [
    "The element that applies when the session starts, counted from 0; null where it is free",
    0
  ],
  "TariffWeekPrice.price": ["Price of one unit without VAT: a kWh, an hour, or once; 0 where it is free", 0.51],
  "TariffWeekPrice.vat": ["Percent of VAT on the price; null where none applies", 21],
  later: ["Elements that may apply later in the session, by its time, energy, power or current", [1]],
  "TariffWeek.periods": ["The seven days in order, each from 00:00 to 24:00 without gaps"],
  day: ["The day of the week", "MONDAY"],
  date: ["The local day, `YYYY-MM-DD`", "2026-11-23"],
  "TariffWeekPeriod.startTime": ["Local time of day, `HH:MM`, from which the prices apply", "07:00"],
  "TariffWeekPeriod.endTime": ["Local time of day until which they apply; `24:00` is the end of the day", "19:00"],
  band: ["The prices that apply: their place in `bands`, counted from 0", 0],
  gaps: ["When a dimension that costs something at other times is free, because no element fits"],
  "TariffWeekGap.dimension": ["What is free then"],
  "TariffWeekGap.days": ["The days of the week", ["SUNDAY"]],
  "TariffWeekGap.startTime": ["Local time of day, `HH:MM`, from which it is free", "06:00"],
  "TariffWeekGap.endTime": ["Local time of day until which it is free", "08:00"],

  // Prices line by line.
  "PriceLine.kind": ["What the line is for"],
  dimension: ["The dimension that the line prices; null for what limits and rounding add"],
  element: ["The tariff's element, counted from 0; null for what no element prices", 0],
  "PriceLine.reservation": ["True where the line is for a reservation"],
  "PriceLine.from": ["When the element priced something first; null for what limits and rounding add"],
  "PriceLine.to": ["When the element priced something last; null for what limits and rounding add"],
  "PriceLine.unit": ["What the price is per; null for what limits and rounding add", "kWh"],
  "PriceLine.price": ["Price of one unit without VAT; null for what limits and rounding add", 0.51],
  "PriceLine.vat": ["Percent of VAT on the price; null where none applies", 21],
  volume: ["What was used: kWh, hours, or 1; null for what limits and rounding add", 24.5],
  billedVolume: ["What is paid for, after rounding up to the step size; null as `volume`", 24.5],
  "PriceLine.restrictions": ["When the element applies, in a few words; null for always", "07:00–19:00, Mo–Fr"],
  "PriceLine.note": [
    "What else explains the line, such as what a step adds; null for nothing",
    "A step of 1 kWh adds 0.5 kWh"
  ],
  "PriceExplanation.tariff": ["The tariff version that priced it; null where none was assigned when it began"],
  "PricedByTariff.id": ["The tariff's id", ids.tariff],
  "PricedByTariff.name": ["The first of its texts for drivers; null where it has none", "€ 0.51 per kWh"],
  "PriceExplanation.total": ["What the lines add up to: the session's cost, or the record's total"],
  "ExplainedTotal.vat": ["inclVat less exclVat, in the currency beside it", 2.65],
  provisional: ["True while the session runs: nothing is rounded up to a step yet", false],
  "PriceExplanation.held": [
    "Why the session is not billed until an operator releases or corrects it; null otherwise",
    null
  ]
}
