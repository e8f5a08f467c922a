/** Registered partners as subscribers of their own organisations, and what becomes due to them, for tests of storage. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Partners } from "../../src/domain/roaming/Partners.ts"
import { Subscriptions } from "../../src/domain/event/Subscriptions.ts"
import type { Settlement } from "../../src/domain/event/Settling.ts"
import type { DueItem, ObjectRef } from "../../src/domain/event/Subscription.ts"
import * as SubscriptionsRepository from "../../src/storage/delivery/Subscriptions.ts"
import { anOrganisation, noon, repositories, type TestOrganisation } from "../support/repositories.ts"

export const world = Layer.mergeAll(SubscriptionsRepository.layer.pipe(Layer.provideMerge(repositories)))

export const second = 1_000
export const lease = 40 * second

export const connection = {
  version: "2.2.1",
  versionsUrl: "https://partner.example/versions",
  tokenForm: "Raw",
  parties: [],
  endpoints: [],
  registeredAt: noon
} as const

let made = 0
const partyOf = () => (made++).toString(36).toUpperCase().padStart(3, "Z")

/** A handshake that we start, with the token that is exchanged in it. */
export const byUs = (id: string, verifier: Uint8Array, organisation: TestOrganisation) =>
  Effect.gen(function* () {
    const partners = yield* Partners
    yield* partners.expect(id, { verifier, expiresAt: noon + 1e9 }, organisation.writing())
    return { by: "Us" } as const
  })

/** A registered partner of a new organisation, to which everything at its registration has been pushed. */
export const aSubscriber = Effect.gen(function* () {
  const partners = yield* Partners
  const storage = yield* Subscriptions
  const organisation = yield* anOrganisation
  const verifier = (n: number) => new Uint8Array(32).map((_, i) => (i * 7 + n + organisation.id.charCodeAt(i)) & 0xff)
  const invitation = { verifier: verifier(1), expiresAt: noon + 1e9 }
  const { id } = yield* partners.create(
    { name: "P", switches: {}, invitation, expected: { countryCode: "DE", partyId: partyOf(), roles: ["EMSP"] } },
    organisation.writing()
  )
  const begun = { by: "Partner", presented: verifier(1), theirToken: undefined } as const
  const registration = { begun, connection, theirToken: "sealed", ourVerifier: verifier(2) }
  yield* partners.register(id, registration, organisation.writing())
  const found = yield* storage.find(id)
  assert.strictEqual(found?.needsAll, true)
  yield* storage.fill(found!, [], noon)
  const subscription = (yield* storage.find(id))!
  assert.strictEqual(subscription.needsAll, false)
  return { subscription, organisation, id }
})

export const ref = (id: string, lane = id, kind = "location"): ObjectRef => ({ kind, id, lane })

/** Makes objects due after the cursor, each at its own position. */
export const makeDue = (id: string, objects: ReadonlyArray<ObjectRef>, now = noon) =>
  Effect.gen(function* () {
    const storage = yield* Subscriptions
    const { position } = (yield* storage.find(id))!
    const due = objects.map((object, i) => ({ ...object, subscriptionId: id, position: position + i + 1 }))
    yield* storage.advance([{ subscriptionId: id, from: position, to: position + objects.length }], due, now)
    return position
  })

export const claim = (id: string, now = noon, limit = 10) =>
  Effect.flatMap(Subscriptions, (storage) => storage.claim([id], { now, limit, leaseMillis: lease }))

export const idsOf = (items: ReadonlyArray<{ readonly id: string }>) => items.map(({ id }) => id)

export const done = {
  _tag: "Done",
  hash: new Uint8Array([1, 2, 3]),
  reference: undefined
} as const satisfies Settlement
export const settle = (item: DueItem, settlement: Settlement, now = noon) =>
  Effect.flatMap(Subscriptions, (storage) => storage.settle([{ item, settlement }], now))
