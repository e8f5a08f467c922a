/** What is sent of a location to one partner, depending on what was sent before. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Location } from "../../../src/domain/site/Location.ts"
import type { Partner } from "../../../src/domain/roaming/Partner.ts"
import type { DueItem, ObjectRef, Outcome } from "../../../src/domain/event/Subscription.ts"
import { PartnerFailed } from "../../../src/ocpi/client/OcpiClient.ts"
import { PartnerClient, type PartnerRequest } from "../../../src/ocpi/client/PartnerClient.ts"
import { wireObjects } from "../../../src/ocpi/objects/WireObjects.ts"
import { ModulePauses } from "../../../src/ocpi/push/ModulePauses.ts"
import { evseRef, locationRef } from "../../../src/ocpi/push/Objects.ts"
import { pushEvse, pushLocation } from "../../../src/ocpi/push/LocationPush.ts"

const now = Date.UTC(2026, 4, 20, 12)
const uids = ["01990000-0000-7000-8000-00000000000c", "01990000-0000-7000-8000-00000000000d"] as const

const location: Location = {
  id: "01990000-0000-7000-8000-000000000001",
  organisationId: "01990000-0000-7000-8000-0000000000aa",
  party: { countryCode: "NL", partyId: "ABC" },
  operator: { name: "Charge AG" },
  name: "Harbour",
  address: "Quay 12b",
  postalCode: undefined,
  city: "Lelystad",
  state: undefined,
  country: "NLD",
  latitude: 52.5,
  longitude: -5.1,
  timeZone: "Europe/Amsterdam",
  openingHours: undefined,
  evses: uids.map((uid) => ({
    uid,
    evseId: "NL*ABC*E000001",
    status: "CHARGING",
    capabilities: [],
    connectors: [
      {
        id: "1",
        standard: "IEC_62196_T2",
        format: "CABLE",
        powerType: "AC_3_PHASE",
        maxVoltage: 230,
        maxAmperage: 32,
        maxPowerW: 22_080,
        assumed: false,
        tariffId: undefined,
        laterTariffIds: [],
        lastUpdated: now
      }
    ],
    lastUpdated: now
  })),
  lastUpdated: now
}

const partner: Partner = {
  id: "01990000-0000-7000-8000-0000000000bb",
  organisationId: location.organisationId,
  name: "P",
  status: "Registered",
  switches: {},
  connection: undefined,
  createdAt: now,
  updatedAt: now
}

/** A partner that answers a PATCH with `http`, and the calls that it received. */
const listening = (http: number) => {
  const calls: Array<PartnerRequest> = []
  const client = PartnerClient.of({
    versionOf: () => "2.2.1",
    endpointOf: () => "https://partner.example/locations",
    call: (_, request) => {
      calls.push(request)
      return request.method === "PATCH" && http !== 200
        ? Effect.fail(new PartnerFailed({ heard: true, http, status: 2003, message: "no" }))
        : Effect.succeed({ data: undefined, form: "Raw", http: 200, headers: {} })
    }
  })
  return { calls, client }
}

const dueOf = (object: ObjectRef, known: Pick<DueItem, "hash" | "reference">): DueItem => ({
  ...object,
  ...known,
  subscriptionId: partner.id,
  organisationId: partner.organisationId,
  itemId: "i",
  position: 1,
  dueAt: now,
  tries: 0,
  refusals: 0
})

const wire = wireObjects["2.2.1"]
const inTurn = <A, E>(call: Effect.Effect<A, E>) => call

/** Pushes the first EVSE. `hash` is that of its last push, and `http` the answer to a PATCH. */
const pushFirstEvse = (known: { readonly location: boolean; readonly hash?: Uint8Array }, http = 200) => {
  const { calls, client } = listening(http)
  let asked = 0
  const item = dueOf(evseRef(location.id, uids[0]), { hash: known.hash, reference: undefined })
  const isKnown = Effect.sync(() => {
    asked++
    return known.location
  })
  const push = { item, partner, client, wire, pauses: new ModulePauses(), inTurn }
  return Effect.map(pushEvse(push, location, uids[0], isKnown), (outcome) => ({
    calls: calls.map(({ method }) => method),
    also:
      outcome._tag === "Delivered"
        ? (outcome.also ?? []).map(({ kind, id, reference }) => [kind, id, reference].filter(Boolean).join(" "))
        : outcome,
    asked
  }))
}

const another = `evse ${location.id}/${uids[1]}`

describe("an EVSE's status", () => {
  it.effect("is sent alone to a partner that has the location", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* pushFirstEvse({ location: true }), { calls: ["PATCH"], also: [], asked: 1 })
      // A partner that has its status must have the location, so that this is not looked up.
      const hash = new Uint8Array(16)
      assert.deepStrictEqual(yield* pushFirstEvse({ location: true, hash }), { calls: ["PATCH"], also: [], asked: 0 })
    })
  )

  it.effect(
    "is sent with the whole location to a partner that does not have it, and the location is recorded as sent",
    () =>
      Effect.gen(function* () {
        // The party it was sent by is recorded too: if the site moves, it must be removed there.
        const also = [`location ${location.id} NL*ABC`, another]
        assert.deepStrictEqual(yield* pushFirstEvse({ location: false }), { calls: ["PUT"], also, asked: 1 })
      })
  )

  it.effect("is sent with the whole location to a partner that does not know the EVSE", () =>
    Effect.gen(function* () {
      for (const http of [404, 405]) {
        const { also, calls } = yield* pushFirstEvse({ location: true }, http)
        assert.deepStrictEqual({ also, calls }, { also: [another], calls: ["PATCH", "PUT"] })
      }
    })
  )
})

describe("a location", () => {
  const deliver = (known: Pick<DueItem, "hash" | "reference">, as = location) => {
    const { calls, client } = listening(200)
    const push = {
      item: dueOf(locationRef(location.id), known),
      partner,
      client,
      wire,
      pauses: new ModulePauses(),
      inTurn
    }
    return Effect.map(pushLocation(push, as), (outcome) => ({ calls, outcome }))
  }
  const delivered = (outcome: Outcome) => (outcome._tag === "Delivered" ? outcome : undefined)

  it.effect("is sent once, and removed from the party that its site has left", () =>
    Effect.gen(function* () {
      const first = delivered((yield* deliver({ hash: undefined, reference: undefined })).outcome)
      assert.strictEqual(first?.reference, "NL*ABC")
      assert.deepStrictEqual(first?.named, [])
      // Sent together with one of its EVSEs by an older release, which did not store the party.
      const { calls, outcome } = yield* deliver({ hash: first?.hash, reference: undefined })
      assert.deepStrictEqual(calls, [])
      assert.deepInclude(outcome, { isSilent: true, reference: "NL*ABC" })
      const moved = { ...location, party: { countryCode: "BE", partyId: "VL2" } }
      const after = yield* deliver({ hash: first?.hash, reference: "NL*ABC" }, moved)
      assert.deepStrictEqual(
        after.calls.map(({ at, body, from, method }) => [
          method,
          "path" in at ? at.path?.slice(0, 2) : [],
          from?.partyId,
          JSON.stringify(body).includes('"REMOVED"')
        ]),
        [
          ["PUT", ["NL", "ABC"], "ABC", true],
          ["PUT", ["BE", "VL2"], "VL2", false]
        ]
      )
      assert.strictEqual(delivered(after.outcome)?.reference, "BE*VL2")
    })
  )

  it.effect("is stored with the tariffs that it names, each once, even if nothing has to be sent", () =>
    Effect.gen(function* () {
      const [first, second] = location.evses
      const named = (tariffId: string | undefined, laterTariffIds: ReadonlyArray<string>) => ({
        ...location,
        evses: [first!, second!].map((evse) => ({
          ...evse,
          connectors: evse.connectors.map((connector) => ({ ...connector, tariffId, laterTariffIds }))
        }))
      })
      const both = yield* deliver({ hash: undefined, reference: undefined }, named("t1", ["t2"]))
      assert.deepStrictEqual(delivered(both.outcome)?.named, ["t1", "t2"])
      const known = { hash: delivered(both.outcome)?.hash, reference: "NL*ABC" }
      const same = yield* deliver(known, named("t1", ["t2"]))
      assert.deepStrictEqual([same.calls, delivered(same.outcome)?.named], [[], ["t1", "t2"]])
      const gone = {
        ...named("t1", []),
        evses: named("t1", []).evses.map((evse) => ({ ...evse, status: "REMOVED" as const }))
      }
      assert.deepStrictEqual(delivered((yield* deliver(known, gone)).outcome)?.named, [])
      const none = yield* deliver(known, named(undefined, []))
      assert.deepStrictEqual([none.calls.length, delivered(none.outcome)?.named], [1, []])
    })
  )
})
