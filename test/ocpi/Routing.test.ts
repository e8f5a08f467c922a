import { describe, expect, it } from "vitest"
import type { Partner } from "../../src/domain/roaming/Partner.ts"
import type { PartyRole } from "../../src/domain/roaming/Party.ts"
import { asMeant, misrouted, routingOf, swapped } from "../../src/ocpi/modules/Routing.ts"

const ours = [
  { countryCode: "NL", partyId: "VLT" },
  { countryCode: "BE", partyId: "VL2" }
]

/** Partner DE ABC, invited in these roles. */
const partner = (roles: ReadonlyArray<PartyRole>): Partner => ({
  id: "1",
  organisationId: "2",
  name: "Partner",
  status: "Registered",
  expected: { countryCode: "DE", partyId: "ABC", roles },
  connection: {
    version: "2.2.1",
    versionsUrl: "https://partner.example/versions",
    tokenForm: "Base64",
    parties: [{ countryCode: "DE", partyId: "ABC", role: "EMSP", businessDetails: { name: "One" } }],
    endpoints: [],
    registeredAt: 0
  },
  switches: {},
  createdAt: 0,
  updatedAt: 0
})

const headers = (from: string, to: string) => {
  const [fromCountry, fromParty, toCountry, toParty] = [...from.split("*"), ...to.split("*")]
  return {
    "ocpi-from-country-code": fromCountry,
    "ocpi-from-party-id": fromParty,
    "ocpi-to-country-code": toCountry,
    "ocpi-to-party-id": toParty
  }
}

describe("routing headers", () => {
  it("are read in any case of letters, and ignored if incomplete", () => {
    expect(routingOf(headers("de*abc", "be*vl2"))).toEqual({
      from: { countryCode: "DE", partyId: "ABC" },
      to: { countryCode: "BE", partyId: "VL2" }
    })
    expect(routingOf({ "ocpi-to-country-code": "NL" })).toEqual({ from: undefined, to: undefined })
    expect(routingOf(headers("Germany*ABC", "NL*V"))).toEqual({ from: undefined, to: undefined })
  })

  it("that name a foreign party are refused, and missing ones are not", () => {
    expect(misrouted(routingOf(headers("DE*ABC", "NL*XXX")), ours)?.reason).toMatchObject({ _tag: "NotFound" })
    expect(misrouted(routingOf(headers("DE*ABC", "nl*vlt")), ours)).toBeUndefined()
    expect(misrouted(routingOf({}), ours)).toBeUndefined()
  })

  it("that name the caller's own party are ignored, unless the party is ours too or the caller is a hub", () => {
    const asked = routingOf(headers("DE*ABC", "DE*ABC"))
    const unaddressed = { ...asked, to: undefined }
    expect(asMeant(asked, ours, partner(["EMSP"]))).toEqual(unaddressed)
    expect(asMeant(asked, [...ours, { countryCode: "DE", partyId: "ABC" }], partner(["EMSP"]))).toEqual(asked)
    expect(asMeant(asked, ours, partner(["EMSP", "HUB"]))).toEqual(asked)
    const others = routingOf(headers("DE*ABC", "NL*XXX"))
    expect(asMeant(others, ours, partner(["EMSP"]))).toEqual(others)
  })

  it("are answered by the requested or default party, to the party that asked", () => {
    expect(swapped(routingOf(headers("DE*ABC", "BE*VL2")), ours, [])).toEqual({
      "OCPI-from-country-code": "BE",
      "OCPI-from-party-id": "VL2",
      "OCPI-to-country-code": "DE",
      "OCPI-to-party-id": "ABC"
    })
    const theirs = [{ countryCode: "DE", partyId: "ABC" }]
    expect(swapped(routingOf({}), ours, theirs)).toMatchObject({
      "OCPI-from-party-id": "VLT",
      "OCPI-to-party-id": "ABC"
    })
    // It is unknown which of several parties asked.
    expect(swapped(routingOf({}), ours, [...theirs, { countryCode: "FR", partyId: "DEF" }])).toEqual({})
  })
})
