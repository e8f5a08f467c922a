/** Which tariff a session starts under: the narrowest assignment that is valid at that time. */
import { describe, expect, it } from "vitest"
import { type AssignedTariff, tariffOf, validityAt, verdictsOf } from "../../../src/domain/tariff/Choice.ts"
import type { Assignment } from "../../../src/domain/tariff/Tariff.ts"

const noon = Date.UTC(2026, 4, 20, 12)
const place = { chargerId: "CP1", evseId: 2, connectorId: 1 }

const assigned = (assignment: Assignment, more: Partial<AssignedTariff> = {}): AssignedTariff => ({
  tariffId: assignment.scope,
  assignment,
  startsAt: undefined,
  endsAt: undefined,
  ...more
})

const ofOrganisation = assigned({ scope: "organisation" })
const ofSite = assigned({ scope: "site", siteId: "site" })
const ofCharger = assigned({ scope: "charger", chargerId: "CP1" })
const ofConnector = assigned({ scope: "connector", ...place })

const chosen = (...tariffs: ReadonlyArray<AssignedTariff>) => tariffOf(place, tariffs, noon)?.tariffId

describe("a session's tariff", () => {
  it.each([
    ["none", [], undefined],
    ["the organisation's", [ofOrganisation], "organisation"],
    ["the site's rather than the organisation's", [ofOrganisation, ofSite], "site"],
    ["the charger's rather than the site's", [ofSite, ofCharger, ofOrganisation], "charger"],
    ["the connector's rather than any other", [ofCharger, ofSite, ofConnector, ofOrganisation], "connector"]
  ] as const)("is %s", (_, tariffs, tariffId) => {
    expect(chosen(...tariffs)).toBe(tariffId)
    expect(chosen(...tariffs.toReversed())).toBe(tariffId)
  })

  it.each([
    ["another charger", { scope: "charger", chargerId: "CP2" }],
    ["a connector of another charger", { scope: "connector", ...place, chargerId: "CP2" }],
    ["another EVSE", { scope: "connector", ...place, evseId: 1 }],
    ["another connector of the EVSE", { scope: "connector", ...place, connectorId: 2 }]
  ] as const)("is never that of %s", (_, assignment) => {
    expect(chosen(assigned(assignment), ofOrganisation)).toBe("organisation")
  })

  it("is valid from its start, inclusive, to its end, exclusive", () => {
    const at = (time: number) => validityAt({ ...ofCharger, startsAt: noon, endsAt: noon + 10 }, time)
    expect([noon - 1, noon, noon + 9, noon + 10].map(at)).toEqual(["Later", "Valid", "Valid", "Ended"])
    expect(validityAt(ofCharger, noon)).toBe("Valid")
    // An assignment whose end is before its start is never valid.
    expect(validityAt({ ...ofCharger, startsAt: noon + 10, endsAt: noon }, noon)).toBe("Ended")
  })

  it("is a wider one when the narrower is not yet or no longer valid", () => {
    expect(chosen({ ...ofConnector, startsAt: noon + 1 }, { ...ofCharger, endsAt: noon }, ofSite)).toBe("site")
    expect(chosen({ ...ofConnector, startsAt: noon }, ofSite)).toBe("connector")
    expect(chosen({ ...ofConnector, endsAt: noon })).toBeUndefined()
  })
})

describe("the reason for a session's tariff", () => {
  const verdicts = (...tariffs: ReadonlyArray<AssignedTariff>) =>
    verdictsOf(place, tariffs, noon).map(([{ tariffId }, verdict]) => [tariffId, verdict])

  it("lists every assignment for the connector, the narrowest first, and the verdict on each", () => {
    const given = [ofOrganisation, { ...ofConnector, startsAt: noon + 1 }, ofSite, { ...ofCharger, endsAt: noon }]
    expect(verdicts(...given)).toEqual([
      ["connector", "NotYetValid"],
      ["charger", "Ended"],
      ["site", "Applies"],
      ["organisation", "Overridden"]
    ])
    expect(verdicts(...given.toReversed())).toEqual(verdicts(...given))
    expect(verdicts()).toEqual([])
    expect(verdicts(assigned({ scope: "charger", chargerId: "CP2" }))).toEqual([])
  })

  it("has the verdict Applies for the tariff that sessions get, whatever is valid when", () => {
    const times = [undefined, noon - 1, noon, noon + 1]
    for (const startsAt of times) {
      for (const endsAt of times) {
        const given = [
          { ...ofConnector, startsAt, endsAt },
          { ...ofCharger, startsAt: endsAt, endsAt: startsAt },
          ofSite
        ]
        const applies = verdictsOf(place, given, noon).filter(([, verdict]) => verdict === "Applies")
        expect(applies.map(([one]) => one)).toEqual([tariffOf(place, given, noon)])
      }
    }
  })
})
