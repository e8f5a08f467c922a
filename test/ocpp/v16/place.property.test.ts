import { expect, it } from "vitest"
import { connectorIdOf, highestConnectorId, placeOf } from "../../../src/ocpp/v16/place.ts"
import { forSeeds, type Random } from "../../support/random.ts"

/** Small numbers, the limits, and anything between. */
const connectorId = (random: Random): number =>
  random.chance(0.5) ? random.between(0, 3) : random.between(0, 1) * random.between(0, highestConnectorId)

it("a connector's place is converted back to its number", () => {
  forSeeds(1_000, (random) => {
    const number = connectorId(random)
    expect(connectorIdOf(placeOf(number))).toBe(number)
  })
})

it("two connectors never have the same place", () => {
  forSeeds(1_000, (random) => {
    const [one, other] = [connectorId(random), connectorId(random)]
    const [a, b] = [placeOf(one), placeOf(other)]
    expect(a.evseId === b.evseId && a.connectorId === b.connectorId).toBe(one === other)
  })
})

it("only number 0 is the whole charger", () => {
  forSeeds(1_000, (random) => {
    const number = connectorId(random)
    const place = placeOf(number)
    expect(place.evseId === 0).toBe(number === 0)
    expect(place.connectorId).toBe(number === 0 ? 0 : 1)
  })
})

it("the lowest and highest numbers have places", () => {
  expect(placeOf(0)).toEqual({ evseId: 0, connectorId: 0 })
  expect(placeOf(1)).toEqual({ evseId: 1, connectorId: 1 })
  expect(placeOf(highestConnectorId)).toEqual({ evseId: 2147483647, connectorId: 1 })
})
