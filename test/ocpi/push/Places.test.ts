/** What is sent of a location to one partner, by what it was told before. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Location } from "../../../src/domain/location/Location.ts"
import type { Partner } from "../../../src/domain/party/Partner.ts"
import type { DueItem } from "../../../src/domain/subscription/Subscription.ts"
import { PartnerFailed } from "../../../src/ocpi/client/OcpiClient.ts"
import { PartnerClient, type PartnerRequest } from "../../../src/ocpi/client/PartnerClient.ts"
import { wireObjects } from "../../../src/ocpi/objects/WireObjects.ts"
import { evseRef } from "../../../src/ocpi/push/Objects.ts"
import { tellEvse } from "../../../src/ocpi/push/Places.ts"

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

/** Tells of the first evse; `hash` is of what the partner was told of it last, and `http` what it answers to a PATCH. */
const told = (known: { readonly location: boolean; readonly hash?: Uint8Array }, http = 200) => {
  const calls: Array<PartnerRequest> = []
  let asked = 0
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
  const item: DueItem = {
    ...evseRef(location.id, uids[0]),
    subscriptionId: partner.id,
    organisationId: partner.organisationId,
    itemId: "i",
    position: 1,
    dueAt: now,
    tries: 0,
    refusals: 0,
    hash: known.hash,
    reference: undefined
  }
  const isKnown = Effect.sync(() => {
    asked++
    return known.location
  })
  const telling = {
    item,
    partner,
    client,
    wire: wireObjects["2.2.1"],
    inTurn: <A, E>(call: Effect.Effect<A, E>) => call
  }
  return Effect.map(tellEvse(telling, location, uids[0], isKnown), (outcome) => ({
    calls: calls.map(({ method }) => method),
    also: outcome._tag === "Delivered" ? (outcome.also ?? []).map(({ kind, id }) => `${kind} ${id}`) : outcome,
    asked
  }))
}

const another = `evse ${location.id}/${uids[1]}`

describe("an evse's status", () => {
  it.effect("goes by itself to a partner that was told of the location", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* told({ location: true }), { calls: ["PATCH"], also: [], asked: 1 })
      // Whoever was told of its status was told of the location, and nobody needs to look.
      const hash = new Uint8Array(16)
      assert.deepStrictEqual(yield* told({ location: true, hash }), { calls: ["PATCH"], also: [], asked: 0 })
    })
  )

  it.effect("goes with the whole location to a partner that has heard nothing of it, which then is told", () =>
    Effect.gen(function* () {
      const also = [`location ${location.id}`, another]
      assert.deepStrictEqual(yield* told({ location: false }), { calls: ["PUT"], also, asked: 1 })
    })
  )

  it.effect("goes with the whole location to a partner that does not know the evse", () =>
    Effect.gen(function* () {
      for (const http of [404, 405]) {
        const { also, calls } = yield* told({ location: true }, http)
        assert.deepStrictEqual({ also, calls }, { also: [another], calls: ["PATCH", "PUT"] })
      }
    })
  )
})
