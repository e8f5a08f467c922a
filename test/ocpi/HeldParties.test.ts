/** Whose tokens a partner may send, by what it is, what it says of itself, and who else there is. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { NotFound } from "../../src/domain/Errors.ts"
import type { Partner } from "../../src/domain/roaming/Partner.ts"
import type { PartyRole } from "../../src/domain/roaming/Party.ts"
import { heldParties } from "../../src/ocpi/protocol/HeldParties.ts"

const party = { countryCode: "DE", partyId: "EM1" }

/** Invited in these roles; `as` is what its credentials call it for the party, if they name it. */
const partner = (roles: ReadonlyArray<PartyRole>, as?: PartyRole): Partner => ({
  id: "1",
  organisationId: "2",
  name: "Partner",
  status: "Registered",
  expected: { countryCode: "DE", partyId: "HUB", roles },
  connection: {
    version: "2.2.1",
    versionsUrl: "https://partner.example/versions",
    tokenForm: "Base64",
    parties: as === undefined ? [] : [{ ...party, role: as, businessDetails: { name: "One" } }],
    endpoints: [],
    registeredAt: 0
  },
  switches: {},
  createdAt: 0,
  updatedAt: 0
})

const may = (of: Partner, told: PartyRole | undefined, holder: "Ourselves" | "Partner" | undefined) =>
  heldParties({
    get: () =>
      told === undefined
        ? Effect.fail(new NotFound({ kind: "client", id: "DE*EM1" }))
        : Effect.succeed({ ...party, role: told, status: "CONNECTED", lastUpdated: 0 }),
    holder: () => Effect.succeed(holder)
  })(of, party)

it.effect.each<readonly [string, Partner, PartyRole | undefined, "Ourselves" | "Partner" | undefined, boolean]>([
  ["the eMSP itself", partner(["EMSP"], "EMSP"), undefined, undefined, true],
  ["the eMSP itself, also where we have the same code", partner(["EMSP"], "EMSP"), undefined, "Ourselves", true],
  ["who is the party in another role", partner(["NAP"], "NAP"), undefined, undefined, true],
  ["who calls itself so, while another is the eMSP", partner(["NAP"], "NAP"), undefined, "Partner", false],
  ["the hub that tells of it", partner(["HUB"]), "EMSP", undefined, true],
  ["the hub, of another partner", partner(["HUB"]), "EMSP", "Partner", false],
  ["the hub, of ours", partner(["HUB"]), "EMSP", "Ourselves", false],
  ["the hub, of a CPO", partner(["HUB"]), "CPO", undefined, false],
  ["the hub that has not told of it", partner(["HUB"]), undefined, undefined, false],
  ["who was not invited as a hub", partner(["EMSP"]), "EMSP", undefined, false]
])("%s", ([, of, told, holder, expected]) =>
  Effect.gen(function* () {
    expect(yield* may(of, told, holder)).toBe(expected)
  })
)
