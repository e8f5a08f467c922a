/** Sessions are sent to partners again when they have changed, but not when only their site has. Records, and their addresses at the partner. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Partner } from "../../../src/domain/roaming/Partner.ts"
import type { RoamingSession } from "../../../src/domain/session/RoamingSession.ts"
import type { DueItem } from "../../../src/domain/event/Subscription.ts"
import type { Tariff } from "../../../src/domain/tariff/Tariff.ts"
import { PartnerClient, type PartnerRequest } from "../../../src/ocpi/client/PartnerClient.ts"
import { wireObjects } from "../../../src/ocpi/objects/WireObjects.ts"
import { PartnerFailed } from "../../../src/ocpi/client/OcpiClient.ts"
import { pushCdr, pushSession, pushTariff, pushTariffRemoval } from "../../../src/ocpi/push/Charging.ts"
import { ModulePauses } from "../../../src/ocpi/push/ModulePauses.ts"
import type { OcpiVersion } from "../../../src/ocpi/protocol/Version.ts"
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

const tariff: Tariff = {
  id: ids.tariff,
  organisationId: ids.organisation,
  version: 1,
  body: { currency: "EUR", elements: [{ priceComponents: [{ type: "ENERGY", price: 0.3, stepSize: 1 }] }] },
  createdAt: at,
  updatedAt: at
}

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

/** Pushes each of the sessions to a partner of `version`, and returns the calls. */
const pushSessions = (version: OcpiVersion, sessions: ReadonlyArray<RoamingSession>) =>
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
      const outcome = yield* pushSession(
        { item, partner, wire: wireObjects[version], client, pauses: new ModulePauses(), inTurn: (call) => call },
        one,
        ours
      )
      hash = outcome._tag === "Delivered" ? outcome.hash : undefined
    }
    return calls
  })

it.effect("a record's address at a partner is stored as valid text, even if it has to be cut", () =>
  Effect.gen(function* () {
    const address = `https://partner.example/cdrs/\0${"\u{1f50b}".repeat(1_000)}`
    const client = PartnerClient.of({
      versionOf: () => "2.2.1",
      endpointOf: () => "https://partner.example/cdrs",
      call: () => Effect.succeed({ data: undefined, form: "Raw" as const, http: 200, headers: { location: address } })
    })
    const item = itemOf("cdr", cdr.id, undefined)
    const wire = wireObjects["2.2.1"]
    const outcome = yield* pushCdr(
      { item, partner, wire, client, pauses: new ModulePauses(), inTurn: (call) => call },
      cdr,
      ours
    )
    const reference = outcome._tag === "Delivered" ? (outcome.reference ?? "") : ""
    assert.isTrue(reference.startsWith("https://partner.example/cdrs/\\u0000\u{1f50b}"), reference)
    assert.isTrue(reference.isWellFormed())
    assert.isAtMost(reference.length, 1_024)
  })
)

/** A partner that answers each method with an HTTP status, or not at all (0), or a status of OCPI, and a successful answer with the record. */
const answering = (
  http: Readonly<Partial<Record<PartnerRequest["method"], number>>>,
  refused: number | undefined = undefined
) => {
  const calls: Array<string> = []
  const client = PartnerClient.of({
    versionOf: () => "2.2.1",
    endpointOf: () => "https://partner.example/cdrs",
    call: (_, { method }) => {
      calls.push(method)
      const status = http[method] ?? 200
      if (status === 0) {
        return Effect.fail(new PartnerFailed({ heard: true, http: undefined, status: undefined, message: "no answer" }))
      }
      return status < 300 && refused === undefined
        ? Effect.succeed({ data: { id: cdr.id }, form: "Raw" as const, http: status, headers: {} })
        : Effect.fail(new PartnerFailed({ heard: true, http: status, status: refused, message: "no" }))
    }
  })
  return { calls, client }
}

/** Pushes a record, and returns the calls and the outcome. */
const record = (known: Partial<DueItem>, http: Parameters<typeof answering>[0] = {}) => {
  const { calls, client } = answering(http)
  const item = { ...itemOf("cdr", cdr.id, undefined), ...known }
  const push = {
    item,
    partner,
    wire: wireObjects["2.2.1"],
    client,
    pauses: new ModulePauses(),
    inTurn: <A, E>(call: Effect.Effect<A, E>) => call
  }
  return Effect.map(Effect.result(pushCdr(push, cdr, ours)), (result) => ({
    calls,
    outcome: result._tag === "Success" ? result.success : undefined
  }))
}

describe("a record", () => {
  it.effect("that was accepted is never sent again, whatever it is due for", () =>
    Effect.gen(function* () {
      const { calls, outcome } = yield* record({ hash: new Uint8Array([1]), tries: 3, isInDoubt: true })
      assert.deepStrictEqual(calls, [])
      assert.deepInclude(outcome, { _tag: "Delivered", isSilent: true })
    })
  )

  it.effect("that is accepted is marked to be sent only once", () =>
    Effect.gen(function* () {
      const { calls, outcome } = yield* record({})
      assert.deepStrictEqual(calls, ["POST"])
      assert.deepInclude(outcome, { _tag: "Delivered", isOnce: true })
    })
  )

  it.effect("that a partner already has counts as accepted, after a conflict at the first try", () =>
    Effect.gen(function* () {
      const { calls, outcome } = yield* record({ tries: 0 }, { POST: 409 })
      assert.deepStrictEqual(calls, ["POST"])
      assert.deepInclude(outcome, { _tag: "Delivered", isOnce: true })
    })
  )

  it.effect("that may have been sent already is asked for before it is sent again", () =>
    Effect.gen(function* () {
      for (const known of [{ isInDoubt: true }, { tries: 1 }]) {
        const had = yield* record(known)
        assert.deepStrictEqual(had.calls, ["GET"])
        assert.deepInclude(had.outcome, { _tag: "Delivered", isOnce: true })
        for (const http of [404, 405, 500]) {
          const { calls, outcome } = yield* record(known, { GET: http })
          assert.deepStrictEqual(calls, ["GET", "POST"])
          assert.deepInclude(outcome, { _tag: "Delivered", isOnce: true })
        }
      }
    })
  )

  it.effect("that may have been sent already is not sent again while the partner does not answer about it", () =>
    Effect.gen(function* () {
      for (const http of [0, 429]) {
        const { calls, outcome } = yield* record({ tries: 1 }, { GET: http })
        assert.deepStrictEqual(calls, ["GET"])
        assert.isUndefined(outcome)
      }
    })
  )
})

describe("a tariff that is no longer assigned", () => {
  const gone = (known: Partial<DueItem>, isNamed: boolean, refused?: number) => {
    const { calls, client } = answering({}, refused)
    const item = { ...itemOf("tariff", ids.tariff, undefined), ...known }
    const push = {
      item,
      partner,
      wire: wireObjects["2.2.1"],
      client,
      pauses: new ModulePauses(),
      inTurn: <A, E>(call: Effect.Effect<A, E>) => call
    }
    const removed = Effect.result(pushTariffRemoval(push, ids.tariff, ours, Effect.succeed(isNamed)))
    return Effect.map(removed, (result) => ({
      _tag: result._tag === "Success" ? result.success._tag : result.failure._tag,
      calls
    }))
  }
  const hash = new Uint8Array([1])

  it.effect("is deleted at the partner after no location names it any more, and waits until then", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* gone({ hash }, true), { _tag: "Waits", calls: [] })
      assert.deepStrictEqual(yield* gone({ hash }, false), { _tag: "Delivered", calls: ["DELETE"] })
      assert.deepStrictEqual(yield* gone({ hash: undefined }, true), { _tag: "Delivered", calls: [] })
    })
  )

  it.effect("is deleted too if the partner may have it because an answer was lost", () =>
    Effect.gen(function* () {
      for (const known of [{ tries: 1 }, { isInDoubt: true }]) {
        assert.deepStrictEqual(yield* gone(known, true), { _tag: "Waits", calls: [] })
        assert.deepStrictEqual(yield* gone(known, false), { _tag: "Delivered", calls: ["DELETE"] })
      }
    })
  )

  it.effect("counts as deleted if a partner that may never have had it refuses to delete it", () =>
    Effect.gen(function* () {
      for (const status of [2001, 2003]) {
        assert.deepStrictEqual(yield* gone({ tries: 1 }, false, status), { _tag: "Delivered", calls: ["DELETE"] })
      }
      // One that had it has to say that it is gone, and its server has to work.
      assert.deepStrictEqual(yield* gone({ hash }, false, 2001), { _tag: "PartnerFailed", calls: ["DELETE"] })
      assert.deepStrictEqual(yield* gone({ tries: 1 }, false, 3000), { _tag: "PartnerFailed", calls: ["DELETE"] })
    })
  )

  it.effect("that a partner's version cannot express any more is deleted if the partner may have it", () =>
    Effect.gen(function* () {
      const inTurn = <A, E>(call: Effect.Effect<A, E>) => call
      const wire = { ...wireObjects["2.2.1"], tariff: { ...wireObjects["2.2.1"].tariff, encode: () => undefined } }
      const called = (known: Partial<DueItem>) => {
        const { calls, client } = answering({})
        const item = { ...itemOf("tariff", ids.tariff, undefined), ...known }
        return Effect.as(
          pushTariff({ item, partner, wire, client, pauses: new ModulePauses(), inTurn }, tariff, ours),
          calls
        )
      }
      assert.deepStrictEqual(yield* called({}), [])
      assert.deepStrictEqual(yield* called({ tries: 1 }), ["DELETE"])
    })
  )
})

const versions: ReadonlyArray<OcpiVersion> = ["2.1.1", "2.2", "2.2.1"]

describe.each(versions)("a session to a partner on OCPI %s", (version) => {
  it.effect("is sent again when it has changed", () =>
    Effect.gen(function* () {
      const calls = yield* pushSessions(version, [session, { ...session, energyWh: session.energyWh + 1000 }])
      assert.deepStrictEqual(
        calls.map(({ method }) => method),
        ["PUT", "PUT"]
      )
    })
  )

  it.effect("is sent once, although its site is renamed and its time changes", () =>
    Effect.gen(function* () {
      const renamed = { ...session, place: { ...place, siteName: "Renamed" }, lastUpdated: session.lastUpdated + 1000 }
      assert.strictEqual((yield* pushSessions(version, [session, renamed])).length, 1)
    })
  )
})
