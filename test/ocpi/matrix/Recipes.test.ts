import { expect, it } from "vitest"
import { endpointRows, nameOf } from "../../../src/ocpi/protocol/EndpointTable.ts"
import { recipes } from "./Recipes.ts"

it("every row of the endpoint table has a recipe, and every recipe has a row", () =>
  expect(Object.keys(recipes).toSorted()).toEqual(endpointRows.map(nameOf).toSorted()))
