/** Sessions to partners: told when they have changed, and not when only what stands around them has. Records, and where they stand there. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Partner } from "../../../src/domain/party/Partner.ts"
import type { RoamingSession } from "../../../src/domain/session/RoamingSession.ts"
import { PartnerClient, type PartnerRequest } from "../../../src/ocpi/client/PartnerClient.ts"
import { wireObjects } from "../../../src/ocpi/objects/WireObjects.ts"
import { tellCdr, tellSession } from "../../../src/ocpi/push/Charging.ts"
import type { OcpiVersion } from "../../../src/ocpi/Version.ts"
import { at, cdr, ids, place, session } from "../objects/charged.ts"

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

const itemOf = (kind: string, id: string, hash: Uint8Array | undefined) => ({
  subscriptionId: ids.partner,
  organisationId: ids.organisation,
  kind,
  id,
  lane: id,
  itemId: ids.other,
  position: 1,
  dueAt: at,
  tries: 0,
  refusals: 0,
  hash,
  reference: undefined
})

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
      const item = itemOf("session", one.id, hash)
      const outcome = yield* tellSession(
        { item, partner, wire: wireObjects[version], client, inTurn: (call) => call },
        one,
        ours
      )
      hash = outcome._tag === "Delivered" ? outcome.hash : undefined
    }
    return calls
  })

it.effect("a record's address at a partner is kept as text that can be, though it was cut", () =>
  Effect.gen(function* () {
    const address = `https://partner.example/cdrs/\0${"\u{1f50b}".repeat(1_000)}`
    const client = PartnerClient.of({
      versionOf: () => "2.2.1",
      endpointOf: () => "https://partner.example/cdrs",
      call: () => Effect.succeed({ data: undefined, form: "Raw" as const, http: 200, headers: { location: address } })
    })
    const item = itemOf("cdr", cdr.id, undefined)
    const wire = wireObjects["2.2.1"]
    const outcome = yield* tellCdr({ item, partner, wire, client, inTurn: (call) => call }, cdr, ours)
    const reference = outcome._tag === "Delivered" ? (outcome.reference ?? "") : ""
    assert.isTrue(reference.startsWith("https://partner.example/cdrs/\\u0000\u{1f50b}"), reference)
    assert.isTrue(reference.isWellFormed())
    assert.isAtMost(reference.length, 1_024)
  })
)

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
