/** Subscriptions on both databases: cursors, what is due behind them, lanes, leases, and what is stored about what was sent. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Partners } from "../../src/domain/roaming/Partners.ts"
import { Subscriptions } from "../../src/domain/event/Subscriptions.ts"
import { forgetSent } from "../../src/storage/delivery/SubscriptionForgetting.ts"
import { forEachDriver } from "../support/databases.ts"
import { anOrganisation, noon } from "../support/repositories.ts"
import {
  aSubscriber,
  byUs,
  claim,
  connection,
  done,
  idsOf,
  lease,
  makeDue,
  ref,
  second,
  settle,
  world
} from "../support/subscribers.ts"

forEachDriver("subscriptions", world, (it) => {
  it.effect("make objects due once, in the order of their facts, and hand each out to one process alone", () =>
    Effect.gen(function* () {
      const { id } = yield* aSubscriber
      yield* makeDue(id, [ref("b"), ref("a"), ref("b"), ref("c")])
      const items = yield* claim(id)
      assert.deepStrictEqual(idsOf(items), ["b", "a", "c"])
      assert.deepStrictEqual(yield* claim(id), [])
      assert.isTrue(items.every(({ isInDoubt }) => isInDoubt === false))
      // The process that took them has died: after the lease another one may, and knows that they may have been sent.
      const again = yield* claim(id, noon + lease)
      assert.deepStrictEqual(idsOf(again), ["b", "a", "c"])
      assert.isTrue(again.every(({ isInDoubt }) => isInDoubt === true))
      for (const item of again) yield* settle(item, { _tag: "Again", at: noon, refusals: 0, problem: "500" })
      assert.isTrue((yield* claim(id, noon + lease)).every(({ isInDoubt }) => isInDoubt === false))
    })
  )

  it.effect("remember that an object may have been sent until its outcome is known, although it was only put off", () =>
    Effect.gen(function* () {
      const { id } = yield* aSubscriber
      yield* makeDue(id, [ref("a", "a", "tariff"), ref("x", "x", "cdr")])
      const untried = { _tag: "Untried", at: noon + lease } as const
      for (const item of yield* claim(id)) yield* settle(item, untried)
      assert.deepStrictEqual(
        (yield* claim(id, noon + lease)).map(({ isInDoubt }) => isInDoubt),
        [false, false]
      )
      // The process that took them has died, and the next one does not get to send them.
      const doubtful = yield* claim(id, noon + 2 * lease)
      for (const item of doubtful) yield* settle(item, { _tag: "Untried", at: noon + 3 * lease })
      assert.deepStrictEqual(yield* claim(id, noon + 3 * lease - 1), [])
      const again = yield* claim(id, noon + 3 * lease)
      assert.deepStrictEqual(idsOf(again), ["a", "x"])
      assert.isTrue(again.every(({ isInDoubt }) => isInDoubt === true))
    })
  )

  it.effect("write nothing when another process has moved the cursor", () =>
    Effect.gen(function* () {
      const storage = yield* Subscriptions
      const { id } = yield* aSubscriber
      const from = yield* makeDue(id, [ref("a")])
      const due = { ...ref("x"), subscriptionId: id, position: from + 1 }
      yield* storage.advance([{ subscriptionId: id, from, to: from + 5 }], [due], noon)
      assert.deepStrictEqual(idsOf(yield* claim(id)), ["a"])
      assert.strictEqual((yield* storage.find(id))?.position, from + 1)
    })
  )

  it.effect("hand out one of a lane at a time, the oldest first", () =>
    Effect.gen(function* () {
      const { id } = yield* aSubscriber
      yield* makeDue(id, [ref("1", "L"), ref("2", "L"), ref("3", "other")])
      const [first, other] = yield* claim(id)
      assert.deepStrictEqual([first?.id, other?.id], ["1", "3"])
      assert.deepStrictEqual(yield* claim(id), [])
      // While the first waits for its next try, the second waits behind it.
      yield* settle(first!, { _tag: "Again", at: noon + second, refusals: 0, problem: "500" })
      assert.deepStrictEqual(yield* claim(id), [])
      const [again] = yield* claim(id, noon + second)
      assert.deepStrictEqual([again?.id, again?.tries, again?.itemId], ["1", 1, first?.itemId])
      yield* settle(again!, { _tag: "Parked", problem: "400" })
      assert.deepStrictEqual(idsOf(yield* claim(id, noon + second)), ["2"])
    })
  )

  it.effect("hand nothing out twice to concurrent claims, nor two objects of a lane", () =>
    Effect.gen(function* () {
      const { id } = yield* aSubscriber
      const objects = Array.from({ length: 12 }, (_, n) => ref(`o${n}`, `lane${n % 4}`))
      yield* makeDue(id, objects)
      const taken = (yield* Effect.all([claim(id), claim(id), claim(id)], { concurrency: "unbounded" })).flat()
      assert.deepStrictEqual(idsOf(taken).toSorted(), ["o0", "o1", "o2", "o3"])
    })
  )

  it.effect("move each cursor once when two processes have read the same page", () =>
    Effect.gen(function* () {
      const storage = yield* Subscriptions
      const { id } = yield* aSubscriber
      const { position } = (yield* storage.find(id))!
      const due = [{ ...ref("a"), subscriptionId: id, position: position + 1 }]
      const once = storage.advance([{ subscriptionId: id, from: position, to: position + 1 }], due, noon)
      yield* Effect.all([once, once], { concurrency: "unbounded" })
      const [item] = yield* claim(id)
      assert.strictEqual(item?.position, position + 1)
      assert.strictEqual((yield* storage.find(id))?.position, position + 1)
    })
  )

  it.effect("keep what was sent, and make due again what changed during the delivery", () =>
    Effect.gen(function* () {
      const storage = yield* Subscriptions
      const { id } = yield* aSubscriber
      yield* makeDue(id, [ref("a")])
      const [item] = yield* claim(id)
      yield* makeDue(id, [ref("a")])
      assert.deepStrictEqual(yield* claim(id), [])
      yield* settle(item!, done)
      const [again] = yield* claim(id)
      assert.deepStrictEqual(again?.hash, new Uint8Array([1, 2, 3]))
      assert.strictEqual(again?.tries, 0)
      yield* settle(again!, { ...done, hash: undefined })
      assert.deepStrictEqual(yield* claim(id), [])
      assert.notInclude(yield* storage.ready(noon), id)
      yield* makeDue(id, [ref("a")])
      // Nothing was stored about it: it is new.
      assert.strictEqual((yield* claim(id))[0]?.hash, undefined)
    })
  )

  it.effect("hand nothing out while they are down or inactive, and continue at once when released", () =>
    Effect.gen(function* () {
      const storage = yield* Subscriptions
      const partners = yield* Partners
      const { id, organisation, subscription } = yield* aSubscriber
      yield* makeDue(id, [ref("a"), ref("b")])
      const [a, b] = yield* claim(id)
      yield* settle(a!, { _tag: "Again", at: noon + 900 * second, refusals: 0, problem: "down" })
      yield* settle(b!, { _tag: "Again", at: noon + 900 * second, refusals: 2, problem: "no" })
      const circuit = { failures: 3, openedAt: noon, notBefore: undefined }
      yield* storage.circuit(id, circuit, { now: noon, error: "connection refused" })
      assert.notInclude(yield* storage.ready(noon + 1000 * second), id)
      assert.deepStrictEqual(yield* claim(id, noon + 1000 * second), [])
      assert.notInclude(yield* storage.takeSilent(noon + 59 * second, 60 * second), id)
      assert.include(yield* storage.takeSilent(noon + 60 * second, 60 * second), id)
      assert.notInclude(yield* storage.takeSilent(noon + 61 * second, 60 * second), id)
      const health = yield* storage.health(organisation.id, id, noon)
      assert.deepInclude(health, { state: "Down", due: 2, parked: 0, openedAt: noon })
      assert.deepStrictEqual(health.lastError, { at: noon, message: "connection refused" })
      const released = { failures: 2, openedAt: undefined, notBefore: undefined }
      yield* storage.circuit(id, released, { now: noon + 61 * second, isReleased: true })
      assert.include(yield* storage.ready(noon + 61 * second), id)
      // The refused one waits for its own time.
      assert.deepStrictEqual(idsOf(yield* claim(id, noon + 61 * second)), ["a"])
      yield* partners.update(id, { suspended: true }, organisation.writing())
      assert.deepStrictEqual(yield* claim(id, noon + 2000 * second), [])
      assert.strictEqual(yield* storage.find(id), undefined)
      yield* partners.update(id, { suspended: false }, organisation.writing())
      assert.isAtLeast((yield* storage.find(id))!.position, subscription.position)
      assert.deepStrictEqual(idsOf(yield* claim(id, noon + 2000 * second)), ["a", "b"])
    })
  )

  it.effect("show parked deliveries to their organisation alone, which replays or discards them", () =>
    Effect.gen(function* () {
      const storage = yield* Subscriptions
      const sql = yield* SqlClient.SqlClient
      const { id, organisation } = yield* aSubscriber
      const stranger = yield* anOrganisation
      yield* makeDue(id, [ref("a"), ref("b")])
      for (const item of yield* claim(id)) yield* settle(item, { _tag: "Parked", problem: "2001 no" })
      const page = yield* storage.parked(organisation.id, id, { limit: 1 })
      assert.strictEqual(page.items[0]?.problem, "2001 no")
      const rest = yield* storage.parked(organisation.id, id, { limit: 5, cursor: page.nextCursor ?? "" })
      const items = [...page.items, ...rest.items]
      assert.sameMembers(
        items.map(({ objectId }) => objectId),
        ["a", "b"]
      )
      const [one, other] = items
      const notFound = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>) =>
        Effect.map(Effect.flip(effect), (error) => assert.strictEqual(error._tag, "NotFound"))
      yield* notFound(storage.parked(stranger.id, id, { limit: 1 }))
      yield* notFound(storage.health(stranger.id, id, noon))
      yield* notFound(storage.replay(id, one!.id, stranger.writing()))
      yield* notFound(storage.discard(id, one!.id, stranger.writing()))
      yield* notFound(storage.health(organisation.id, "no", noon))
      yield* storage.replay(id, one!.id, organisation.writing())
      yield* storage.discard(id, other!.id, organisation.writing())
      yield* notFound(storage.replay(id, other!.id, organisation.writing()))
      assert.deepStrictEqual((yield* storage.parked(organisation.id, id, { limit: 5 })).items, [])
      assert.deepStrictEqual(idsOf(yield* claim(id)), [one!.objectId])
      // A change brings back what was discarded.
      yield* makeDue(id, [ref(other!.objectId)])
      assert.deepStrictEqual(idsOf(yield* claim(id)), [other!.objectId])
      const facts = yield* sql<{ type: string }>`
        SELECT type FROM journal WHERE subject = ${`subscription:${id}`} ORDER BY position`
      assert.deepStrictEqual(
        facts.map(({ type }) => type),
        ["DeliveryReplayed", "DeliveryDiscarded"]
      )
    })
  )

  it.effect("get all parked deliveries again on request, when they answer again, and after a new registration", () =>
    Effect.gen(function* () {
      const storage = yield* Subscriptions
      const sql = yield* SqlClient.SqlClient
      const partners = yield* Partners
      const { id, organisation } = yield* aSubscriber
      const stranger = yield* anOrganisation
      const objects = [ref("s", "session:s", "session"), ref("c", "session:c", "cdr")]
      yield* makeDue(id, objects)
      const park = (now: number) =>
        Effect.gen(function* () {
          const items = yield* claim(id, now)
          assert.sameMembers(idsOf(items), ["s", "c"])
          assert.deepStrictEqual(
            items.map(({ dueAt, refusals, tries }) => ({ dueAt, refusals, tries })),
            [now, now].map((dueAt) => ({ dueAt, refusals: 0, tries: 0 }))
          )
          for (const item of items) yield* settle(item, { _tag: "Parked", problem: "2001 no" }, now)
          assert.deepInclude(yield* storage.health(organisation.id, id, now), { due: 0, parked: 2 })
          assert.deepStrictEqual(yield* claim(id, now + lease), [])
        })
      yield* park(noon)
      assert.strictEqual((yield* Effect.flip(storage.replayAll(id, stranger.writing())))._tag, "NotFound")
      assert.strictEqual(yield* storage.replayAll(id, organisation.writing()), 2)
      assert.strictEqual(yield* storage.replayAll(id, organisation.writing()), 0)
      const [fact, ...more] = yield* sql<{ body: unknown }>`
        SELECT body FROM journal WHERE subject = ${`subscription:${id}`} ORDER BY position`
      assert.deepInclude(fact?.body, { before: { items: 2 } })
      assert.deepStrictEqual(more, [])
      yield* park(noon)
      const at = noon + 100 * second
      yield* storage.circuit(id, { failures: 3, openedAt: at, notBefore: undefined }, { now: at })
      assert.strictEqual((yield* storage.health(organisation.id, id, at)).parked, 2)
      const released = { failures: 2, openedAt: undefined, notBefore: undefined }
      yield* storage.circuit(id, released, { now: at, isReleased: true })
      yield* park(at)
      yield* partners.unregister(id, organisation.writing())
      const ourVerifier = new Uint8Array(32).fill(11)
      const begun = yield* byUs(id, ourVerifier, organisation)
      yield* partners.register(id, { begun, connection, theirToken: "sealed", ourVerifier }, organisation.writing())
      const refilledAt = noon + 300 * second
      yield* storage.fill((yield* storage.find(id))!, [], refilledAt)
      yield* park(refilledAt)
    })
  )

  it.effect("report a last delivery only when something was sent", () =>
    Effect.gen(function* () {
      const storage = yield* Subscriptions
      const { id, organisation } = yield* aSubscriber
      const lastAt = Effect.map(storage.health(organisation.id, id, noon), ({ lastDeliveredAt }) => lastDeliveredAt)
      yield* makeDue(id, [ref("a"), ref("b")])
      const [a, b] = yield* claim(id)
      yield* settle(a!, { ...done, isSilent: true }, noon + second)
      assert.strictEqual(yield* lastAt, undefined)
      yield* settle(b!, done, noon + 2 * second)
      assert.strictEqual(yield* lastAt, noon + 2 * second)
    })
  )

  it.effect("start again with a registration, and end with their partner", () =>
    Effect.gen(function* () {
      const storage = yield* Subscriptions
      const partners = yield* Partners
      const { id, organisation } = yield* aSubscriber
      yield* makeDue(id, [ref("a"), ref("x", "x", "cdr")])
      for (const item of yield* claim(id)) yield* settle(item, done)
      yield* partners.unregister(id, organisation.writing())
      assert.strictEqual(yield* storage.find(id), undefined)
      const ourVerifier = new Uint8Array(32).fill(9)
      const begun = yield* byUs(id, ourVerifier, organisation)
      yield* partners.register(id, { begun, connection, theirToken: "sealed", ourVerifier }, organisation.writing())
      assert.strictEqual((yield* storage.find(id))?.needsAll, true)
      yield* makeDue(id, [ref("a"), ref("x", "x", "cdr")])
      const [a, x] = yield* claim(id)
      assert.strictEqual(a?.hash, undefined)
      assert.deepStrictEqual(x?.hash, new Uint8Array([1, 2, 3]))
      yield* partners.remove(id, organisation.writing())
      assert.deepStrictEqual(yield* claim(id, noon + lease), [])
    })
  )

  it.effect("deliver again what was in flight when the partner registered at another URL", () =>
    Effect.gen(function* () {
      const partners = yield* Partners
      const { id, organisation } = yield* aSubscriber
      yield* makeDue(id, [ref("a"), ref("x", "x", "cdr")])
      const sent = yield* claim(id)
      const elsewhere = { ...connection, versionsUrl: "https://elsewhere.example/versions" }
      const ourVerifier = new Uint8Array(32).fill(8)
      const begun = yield* byUs(id, ourVerifier, organisation)
      const renewal = { begun, connection: elsewhere, theirToken: "newly sealed", ourVerifier }
      yield* partners.renew(id, renewal, organisation.writing())
      // The previous URL has accepted them, and that is reported now.
      for (const item of sent) yield* settle(item, done)
      const again = yield* claim(id)
      assert.deepStrictEqual(again.map((item) => item.id).toSorted(), ["a", "x"])
      assert.isTrue(again.every(({ hash }) => hash === undefined))
      // The same partner may be there, so a record must be asked for before it is sent again.
      assert.isTrue(again.every(({ isInDoubt }) => isInDoubt === true))
      for (const item of again) yield* settle(item, done)
      assert.deepStrictEqual(yield* claim(id), [])
      yield* partners.remove(id, organisation.writing())
    })
  )

  it.effect("deliver nothing twice that was in flight when only the partner's tokens were renewed", () =>
    Effect.gen(function* () {
      const partners = yield* Partners
      const { id, organisation } = yield* aSubscriber
      yield* makeDue(id, [ref("a"), ref("x", "x", "cdr")])
      const sent = yield* claim(id)
      const ourVerifier = new Uint8Array(32).fill(12)
      const begun = yield* byUs(id, ourVerifier, organisation)
      yield* partners.renew(id, { begun, connection, theirToken: "newly sealed", ourVerifier }, organisation.writing())
      assert.deepStrictEqual(yield* claim(id), [])
      for (const item of sent) yield* settle(item, done)
      assert.deepStrictEqual(yield* claim(id, noon + lease), [])
      yield* partners.remove(id, organisation.writing())
    })
  )

  it.effect("forget what was sent about sessions and records long ago, and nothing that is due or parked", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* aSubscriber
      const objects = [
        ref("s1", "session:s1", "session"),
        ref("d1", "session:s1", "cdr"),
        ref("parked", "session:s2", "cdr"),
        ref("due", "session:s3", "session"),
        ref("place")
      ]
      yield* makeDue(id, objects)
      for (const item of [...(yield* claim(id)), ...(yield* claim(id)), ...(yield* claim(id))]) {
        if (item.id === "parked") yield* settle(item, { _tag: "Parked", problem: "no" })
        else if (item.id !== "due") yield* settle(item, done)
      }
      for (const item of yield* claim(id)) yield* settle(item, done)
      yield* makeDue(id, [ref("s9", "session:s9", "session")], noon + second)
      for (const item of yield* claim(id, noon + second)) yield* settle(item, done, noon + second)
      assert.strictEqual(yield* forgetSent(sql, noon), 0)
      assert.strictEqual(yield* forgetSent(sql, noon + second), 2)
      const left = yield* sql<{ id: string }>`
        SELECT o.object_id AS id FROM subscription_object o WHERE o.subscription_id = ${id} ORDER BY 1`
      assert.deepStrictEqual(idsOf(left), ["due", "parked", "place", "s9"])
      // An object that is due again is treated as new.
      yield* makeDue(id, [objects[0]!], noon + second)
      const [again] = yield* claim(id, noon + second)
      assert.deepStrictEqual([again?.id, again?.hash, again?.tries], ["s1", undefined, 0])
    })
  )

  it.effect("read facts of their organisations and types, with the position up to which the journal was read", () =>
    Effect.gen(function* () {
      const storage = yield* Subscriptions
      const sql = yield* SqlClient.SqlClient
      const { organisation } = yield* aSubscriber
      const other = yield* anOrganisation
      const [end] = yield* sql<{ at: number }>`SELECT max(position)::float8 AS at FROM journal`
      for (const [n, org, type] of [
        [1, organisation.id, "A"],
        [2, other.id, "A"],
        [3, organisation.id, "B"],
        [4, organisation.id, "A"]
      ] as const) {
        yield* sql`INSERT INTO journal (key, organisation_id, type, subject, at, heard_at, body)
          VALUES (sha256(convert_to(${`${organisation.id}${n}`}, 'UTF8')), ${org}, ${type}, 's', ${new Date(noon)}, ${new Date(noon)},
            ${JSON.stringify({ n })}::text::json)`
      }
      const request = { after: end!.at, limit: 3, organisationIds: [organisation.id], types: ["A"] }
      const page = yield* storage.read(request)
      assert.deepStrictEqual(
        page.facts.map(({ at, body, type }) => ({ at, body, type })),
        [{ at: noon, body: { n: 1 }, type: "A" }]
      )
      const rest = yield* storage.read({ ...request, after: page.upTo! })
      assert.deepStrictEqual(
        rest.facts.map(({ body }) => body),
        [{ n: 4 }]
      )
      const nothing = yield* storage.read({ ...request, after: page.upTo!, types: ["none"] })
      assert.deepStrictEqual(nothing, { upTo: rest.upTo, facts: [] })
      assert.deepStrictEqual(yield* storage.read({ ...request, after: rest.upTo! }), { upTo: undefined, facts: [] })
    })
  )

  it.effect("report whether any of them is waiting for something", () =>
    Effect.gen(function* () {
      const storage = yield* Subscriptions
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE subscription SET active = false`
      const { id } = yield* aSubscriber
      assert.isFalse(yield* storage.isAnyWaiting)
      yield* makeDue(id, [ref("a")])
      assert.isTrue(yield* storage.isAnyWaiting)
      const [item] = yield* claim(id)
      yield* settle(item!, { _tag: "Again", at: noon + 900 * second, refusals: 0, problem: "down" })
      assert.isTrue(yield* storage.isAnyWaiting, "a later try")
      const [again] = yield* claim(id, noon + 900 * second)
      yield* settle(again!, done)
      assert.isFalse(yield* storage.isAnyWaiting)
      yield* storage.circuit(id, { failures: 3, openedAt: noon, notBefore: undefined }, { now: noon, error: "silent" })
      assert.isTrue(yield* storage.isAnyWaiting, "one that does not answer")
    })
  )
})
