/** Sessions to partners: told when they have changed, and not when only what stands around them has. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Partner } from "../../../src/domain/party/Partner.ts"
import type { RoamingSession } from "../../../src/domain/session/RoamingSession.ts"
import { PartnerClient, type PartnerRequest } from "../../../src/ocpi/client/PartnerClient.ts"
import { wireObjects } from "../../../src/ocpi/objects/WireObjects.ts"
import { tellSession } from "../../../src/ocpi/push/Charging.ts"
import type { OcpiVersion } from "../../../src/ocpi/Version.ts"
import { at, ids, place, session } from "../objects/charged.ts"

const partner: Partner = {
  id: ids.partner,
  organisationId: ids.organisation,
  name: "P",
  status: "Registered",
  switches: {},
  connection: undefined,
  createdAt: at,
  updatedAt: at
}

const ours = { countryCode: "NL", partyId: "VLT" }

/** Tells a partner of `version` each of the sessions, and answers what it was sent. */
const told = (version: OcpiVersion, sessions: ReadonlyArray<RoamingSession>) =>
  Effect.gen(function* () {
    const calls: Array<PartnerRequest> = []
    const client = PartnerClient.of({
      versionOf: () => version,
      endpointOf: () => "https://partner.example/sessions",
      call: (_, request) => {
        calls.push(request)
        return Effect.succeed({ data: undefined, form: "Raw" as const, http: 200, headers: {} })
      }
    })
    let hash: Uint8Array | undefined
    for (const one of sessions) {
      const item = {
        subscriptionId: ids.partner,
        organisationId: ids.organisation,
        kind: "session",
        id: one.id,
        lane: one.id,
        itemId: ids.other,
        position: 1,
        dueAt: at,
        tries: 0,
        refusals: 0,
        hash,
        reference: undefined
      }
      const outcome = yield* tellSession(
        { item, partner, wire: wireObjects[version], client, inTurn: (call) => call },
        one,
        ours
      )
      hash = outcome._tag === "Delivered" ? outcome.hash : undefined
    }
    return calls
  })

const versions: ReadonlyArray<OcpiVersion> = ["2.1.1", "2.2", "2.2.1"]

describe.each(versions)("a session to a partner on OCPI %s", (version) => {
  it.effect("is sent again when it has changed", () =>
    Effect.gen(function* () {
      const calls = yield* told(version, [session, { ...session, energyWh: session.energyWh + 1000 }])
      assert.deepStrictEqual(
        calls.map(({ method }) => method),
        ["PUT", "PUT"]
      )
    })
  )

  it.effect("is sent once, though its site is renamed and it is looked at later", () =>
    Effect.gen(function* () {
      const renamed = { ...session, place: { ...place, siteName: "Renamed" }, lastUpdated: session.lastUpdated + 1000 }
      assert.strictEqual((yield* told(version, [session, renamed])).length, 1)
    })
  )
})
