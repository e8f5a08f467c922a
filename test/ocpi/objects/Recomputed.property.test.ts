/** Random tariffs and sessions: a partner that has only the record computes the same cents from it, in every version that can show the tariff. */
import { describe, expect, it } from "vitest"
import { cdrOf } from "../../../src/domain/cdr/Cdr.ts"
import type { RoamingCdr } from "../../../src/domain/cdr/RoamingCdr.ts"
import { isPlain } from "../../../src/domain/tariff/Plain.ts"
import { type PricedResult, price } from "../../../src/domain/tariff/Price.ts"
import type { Pricing, TariffElement } from "../../../src/domain/tariff/Tariff.ts"
import { wireObjects } from "../../../src/ocpi/objects/WireObjects.ts"
import { forSeeds, type Random } from "../../support/random.ts"
import { chargedSession } from "../../support/chargedSession.ts"
import { days, elementsOf, sessionOf, zones } from "../../domain/tariff/generated.ts"
import { schemasOf, type Version } from "../schemas/Schemas.ts"
import { ids, place, roaming } from "./charged.ts"
import { readPrice, type ReadRecord } from "./reader.ts"

const hour = 3_600_000
const versions: ReadonlyArray<Version> = ["2.1.1", "2.2", "2.2.1"]

/** Some elements with VAT and with restrictions of current. */
const varied = (random: Random, { priceComponents, restrictions }: TariffElement): TariffElement => {
  const currents = {
    ...(random.chance(0.15) ? { minCurrent: random.pick([0, 16, 31.3]) } : {}),
    ...(random.chance(0.15) ? { maxCurrent: random.pick([32, 70, 78.3]) } : {})
  }
  const given = { ...restrictions, ...currents }
  return {
    priceComponents: priceComponents.map((one) =>
      random.chance(0.6) ? { ...one, vat: random.pick([0, 7, 21]) } : one
    ),
    ...(Object.keys(given).length === 0 ? {} : { restrictions: given })
  }
}

const pricingOf = (random: Random, day: string): Pricing => {
  const elements = elementsOf(random, day).map((one) => varied(random, one as TariffElement))
  const kept: TariffElement = {
    priceComponents: [
      { type: "TIME", price: random.between(0, 30_000) / 10_000, vat: 21, stepSize: random.pick([0, 600]) },
      { type: "FLAT", price: random.between(0, 10_000) / 10_000, stepSize: 1 }
    ],
    restrictions: { reservation: random.pick(["RESERVATION", "RESERVATION_EXPIRES"] as const) }
  }
  const limit = (from: number, to: number) => {
    const exclVat = random.between(from, to)
    const inclVat = exclVat + random.between(0, 20_000)
    return { exclVat: exclVat / 10_000, ...(random.chance(0.5) ? { inclVat: inclVat / 10_000 } : {}) }
  }
  return {
    currency: "EUR",
    elements: random.chance(0.3) ? [...elements, kept] : elements,
    ...(random.chance(0.15) ? { minPrice: limit(0, 30_000) } : {}),
    ...(random.chance(0.15) ? { maxPrice: limit(30_000, 80_000) } : {})
  }
}

const generatedPrice = (random: Random) => {
  const day = random.pick(days)
  const pricing = pricingOf(random, day)
  const timeZone = random.pick(zones)
  const exact = sessionOf(random, day)
  // Chargers report fractions of a second, and clocks of their own for the stop.
  const fraction = random.pick([0, 0, random.between(0, 999)])
  const shifted = <A extends { readonly at: number }>(moments: ReadonlyArray<A>) =>
    moments.map((one) => ({ ...one, at: one.at + fraction }))
  const startedAt = exact.startedAt + fraction
  const session = {
    startedAt,
    endedAt: exact.endedAt + fraction + random.pick([0, 100]),
    timeZone,
    readings: shifted(exact.readings),
    statuses: shifted(exact.statuses),
    resolution: exact.resolution
  }
  const wasReserved = random.chance(0.3)
  const isUsed = !wasReserved || random.chance(0.7)
  const length = random.pick(isUsed ? [0, hour / 3, hour] : [hour / 3, hour])
  const reserved = { startedAt: startedAt - length, endedAt: startedAt, expired: !isUsed }
  const given = { session: isUsed ? session : undefined, ...(wasReserved ? { reserved } : {}), timeZone, ended: true }
  return { pricing, session, timeZone, priced: price(pricing, given) }
}

const recordOf = ({ pricing, priced, session, timeZone }: ReturnType<typeof generatedPrice>): RoamingCdr => {
  const { endedAt, startedAt } = session
  const tariff = {
    id: ids.tariff,
    organisationId: ids.organisation,
    version: 1,
    body: pricing,
    createdAt: 0,
    updatedAt: 0
  }
  const surroundings = { maxPowerW: undefined, before: undefined }
  const ledger = {
    session: chargedSession({ startedAt, endedAt }),
    timeZone,
    readings: [],
    surroundings,
    place,
    tariff
  }
  const { body, ...rest } = cdrOf(ledger, priced)
  return {
    ...rest,
    id: ids.cdr,
    number: 1,
    creditReferenceId: undefined,
    issuedAt: endedAt,
    lastUpdated: endedAt,
    body: { ...body, roaming }
  }
}

/** Whether version 2.1.1 can show everything that has decided the price. */
const isShown = ({ elements }: Pricing, { costs, periods, total }: PricedResult): boolean => {
  const used = new Set(periods.flatMap((period) => Object.values(period.elements)))
  const unlimited = Object.values(costs).reduce((sum, { exclVat }) => sum + exclVat, 0)
  return (
    periods.some(({ reserved }) => reserved !== true) &&
    elements.every((element, i) => isPlain(element) || !used.has(i)) &&
    elements.every(
      ({ restrictions: { maxPower, minPower } = {} }) => minPower === undefined && maxPower === undefined
    ) &&
    Math.abs(unlimited - total.exclVat) < 1e-9
  )
}

const cents = 0.005

describe.each(versions)("a record in OCPI %s", (version) => {
  it("shows what decided its price: a reader of it alone computes the same cents", () => {
    let read = 0
    forSeeds(
      400,
      (random) => {
        const generated = generatedPrice(random)
        const { priced, pricing, timeZone } = generated
        const json = wireObjects[version].cdrs.encode(recordOf(generated))
        expect(schemasOf[version].CDR(json, "cdr")).toEqual([])
        const again = readPrice(json as ReadRecord, timeZone)
        expect(again !== undefined).toBe(version !== "2.1.1" || isShown(pricing, priced))
        if (again === undefined) return
        read++
        expect(Math.abs(again.exclVat - priced.total.exclVat)).toBeLessThan(cents)
        // Version 2.1.1 has no VAT.
        const vat = version === "2.1.1" ? 0 : again.inclVat - priced.total.inclVat
        expect(Math.abs(vat)).toBeLessThan(cents)
      },
      4000
    )
    expect(read).toBeGreaterThan(version === "2.1.1" ? 50 : 399)
  })
})
