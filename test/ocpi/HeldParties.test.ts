/** Whose tokens a partner may send, depending on its role, its credentials and the other partners. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { NotFound } from "../../src/domain/Errors.ts"
import type { Partner } from "../../src/domain/roaming/Partner.ts"
import type { PartyRole } from "../../src/domain/roaming/Party.ts"
import { heldParties } from "../../src/ocpi/protocol/HeldParties.ts"

const party = { countryCode: "DE", partyId: "EM1" }

/** A partner invited in these roles. `as` is the party's role in its credentials, if they name it. */
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

const may = (of: Partner, announced: PartyRole | undefined, holder: "Ourselves" | "Partner" | undefined) =>
  heldParties({
    get: () =>
      announced === undefined
        ? Effect.fail(new NotFound({ kind: "client", id: "DE*EM1" }))
        : Effect.succeed({ ...party, role: announced, status: "CONNECTED", lastUpdated: 0 }),
    holder: () => Effect.succeed(holder)
  })(of, party)

it.effect.each<readonly [string, Partner, PartyRole | undefined, "Ourselves" | "Partner" | undefined, boolean]>([
  ["accepts the eMSP itself", partner(["EMSP"], "EMSP"), undefined, undefined, true],
  ["accepts the eMSP itself even if we have the same code", partner(["EMSP"], "EMSP"), undefined, "Ourselves", true],
  ["accepts the party itself in another role", partner(["NAP"], "NAP"), undefined, undefined, true],
  [
    "refuses the party in another role if another partner is the eMSP",
    partner(["NAP"], "NAP"),
    undefined,
    "Partner",
    false
  ],
  ["accepts the hub that has announced the party", partner(["HUB"]), "EMSP", undefined, true],
  ["refuses a hub if the party is another partner", partner(["HUB"]), "EMSP", "Partner", false],
  ["refuses a hub if the party is ours", partner(["HUB"]), "EMSP", "Ourselves", false],
  ["refuses a hub if the party is a CPO", partner(["HUB"]), "CPO", undefined, false],
  ["refuses a hub that has not announced the party", partner(["HUB"]), undefined, undefined, false],
  ["refuses a partner that was not invited as a hub", partner(["EMSP"]), "EMSP", undefined, false]
])("%s", ([, of, announced, holder, expected]) =>
  Effect.gen(function* () {
    expect(yield* may(of, announced, holder)).toBe(expected)
  })
)
